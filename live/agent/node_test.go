package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

var nodes atomic.Int64

// node is an agent under test, with the controller it works for.
type node struct {
	*board

	t      testing.TB
	config Config
	tree   cgroup.Tree
	dir    string // where tasks run
	user   account
	stop   func() // the agent
}

// newNode makes a node, with an agent that is not started yet.
func newNode(t testing.TB) *node {
	t.Helper()
	requireCgroup(t)
	who := alice(t)
	name := fmt.Sprintf("n%d-%d", os.Getpid(), nodes.Add(1))
	config, err := Config{
		Node: name, StateDir: filepath.Join(openDir(t), "state"), Version: "test",
		Rating: 1, Tree: "libra-agent-test/" + name, Weight: 1,
	}.Default()
	if err != nil {
		t.Fatal(err)
	}
	tree, err := cgroup.Open(config.Tree, cgroup.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := &node{board: newBoard(), t: t, config: config, tree: tree, dir: home(t, who), user: who, stop: func() {}}
	t.Cleanup(n.tearDown)
	return n
}

// newPlainNode makes a node whose agent is not root, and has only signals.
func newPlainNode(t testing.TB) *node {
	t.Helper()
	require(t, "cgroup", os.Geteuid() == 0) // to become another user
	n := newNode(t)
	if err := n.tree.Remove(); err != nil {
		t.Fatal(err)
	}
	tree, err := cgroup.Open(n.config.Tree, cgroup.Options{Kind: cgroup.Signals})
	if err != nil {
		t.Fatal(err)
	}
	n.tree = tree
	place := home(t, n.user)
	n.config.StateDir = filepath.Join(place, "state")
	// Go keeps a test's binary where only its own user gets to.
	binary, err := os.ReadFile(n.config.Self)
	n.config.Self = filepath.Join(place, "agent")
	if err = errors.Join(err, os.WriteFile(n.config.Self, binary, 0o755)); err != nil {
		t.Fatal(err)
	}
	return n
}

// start starts the agent in this process.
func (n *node) start() *node {
	n.t.Helper()
	var log *slog.Logger
	if testing.Verbose() {
		log = slog.New(slog.NewTextHandler(n.t.Output(), nil))
	}
	a, err := New(n.config, n.board, n.tree, log)
	if err != nil {
		n.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(n.t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	n.stop = func() {
		n.t.Helper()
		cancel()
		if err := <-done; err != nil {
			n.t.Errorf("agent: %v", err)
		}
		n.stop = func() {}
	}
	return n
}

// tearDown leaves nothing behind, and complains about what the agent has left.
func (n *node) tearDown() {
	n.stop()
	names, err := n.tree.List()
	if err != nil {
		n.t.Error(err)
	}
	for _, name := range names {
		if group, ok := n.tree.Find(name); ok {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			if err := group.Kill(ctx); err != nil {
				n.t.Error(err)
			}
			cancel()
		}
	}
	// Shepherds have seen their tasks end; the last ones need a moment.
	until(n.t, "the last shepherds to end", func() bool {
		found, err := folders(filepath.Join(n.config.StateDir, "tasks"))
		if err != nil {
			return os.IsNotExist(err)
		}
		for _, f := range found {
			if f.alive() {
				return false
			}
		}
		return true
	})
	if err := n.tree.Remove(); err != nil {
		n.t.Error(err)
	}
}

// shell is the order to run a shell script as the node's user.
func (n *node) shell(job int64, script string) task.Order {
	return task.Order{
		CPU: 0.5, Weight: 1,
		Spec: task.Spec{
			Key: task.Key{Job: job}, Size: 1, Nodes: []string{n.config.Node}, Name: "test", User: n.user.Name,
			Argv: []string{"sh", "-c", script}, Dir: n.dir, Output: "out", Error: "out", GraceMS: 2000,
		},
	}
}

// file is what a task has written.
func (n *node) file(name string) string {
	n.t.Helper()
	content, err := os.ReadFile(filepath.Join(n.dir, name))
	if err != nil {
		n.t.Fatal(err)
	}
	return string(content)
}

// empty checks that no process of the node's tasks is left.
func (n *node) empty() {
	n.t.Helper()
	names, err := n.tree.List()
	if err != nil {
		n.t.Fatal(err)
	}
	for _, name := range names {
		if group, ok := n.tree.Find(name); ok {
			if procs, err := group.Procs(); err == nil && len(procs) > 0 {
				n.t.Errorf("processes %v of %s are left", procs, name)
			}
		}
	}
}

// has reports whether a task has written this.
func (n *node) has(file, text string) bool {
	content, err := os.ReadFile(filepath.Join(n.dir, file))
	return err == nil && strings.Contains(string(content), text)
}

// used is the processor time of a task that lives.
func (n *node) used(key task.Key) time.Duration {
	n.t.Helper()
	group, ok := n.tree.Find(key.String())
	if !ok {
		n.t.Fatalf("%s has no group", key)
	}
	usage, err := group.Usage()
	if err != nil {
		n.t.Fatal(err)
	}
	return usage.CPU
}

func (n *node) reportsUntilNow() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.reports
}

func (n *node) folder(key task.Key) folder {
	return folder(filepath.Join(n.config.StateDir, "tasks", key.String()))
}

func (n *node) killShepherd(key task.Key) {
	n.t.Helper()
	pid := n.folder(key).shepherd()
	if pid == 0 {
		n.t.Fatalf("%s has no shepherd", key)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		n.t.Fatal(err)
	}
}
