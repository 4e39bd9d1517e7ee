package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// agentWord makes the test binary an agent of its own, which can be killed.
const agentWord = "_agent"

// agentOrder is what such an agent is told, on its standard input.
type agentOrder struct {
	Config Config
	Socket string
	Kind   string
}

func runAgentProcess() int {
	var order agentOrder
	err := json.NewDecoder(os.Stdin).Decode(&order)
	var tree cgroup.Tree
	if err == nil {
		if order.Config.Control != "" {
			tree, err = cgroup.OpenSlurm(order.Config.Tree, order.Config.Node)
		} else {
			tree, err = cgroup.Open(order.Config.Tree, cgroup.Options{Kind: order.Kind})
		}
	}
	var a *Agent
	if err == nil {
		a, err = New(order.Config, newRemote(order.Socket), tree, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	}
	if err == nil {
		err = a.Run(context.Background())
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// startProcess starts the agent in a process of its own.
func (n *node) startProcess() *exec.Cmd {
	n.t.Helper()
	order, err := json.Marshal(agentOrder{Config: n.config, Socket: n.listen(), Kind: n.tree.Kind()})
	if err != nil {
		n.t.Fatal(err)
	}
	command := exec.Command(n.config.Self, agentWord)
	command.Stdin = bytes.NewReader(order)
	command.Stderr = os.Stderr
	if !testing.Verbose() {
		command.Stderr = nil
	}
	if n.user.UID != 0 && n.tree.Kind() == cgroup.Signals {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(n.user.UID), Gid: uint32(n.user.GID)}}
	}
	if err := command.Start(); err != nil {
		n.t.Fatal(err)
	}
	n.stop = func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		n.stop = func() {}
	}
	return command
}

// listen serves the board on a socket.
func (n *node) listen() string {
	n.t.Helper()
	socket := filepath.Join(openDir(n.t), "controller")
	listener, err := net.Listen("unix", socket)
	if err == nil {
		err = os.Chmod(socket, 0o666)
	}
	if err != nil {
		n.t.Fatal(err)
	}
	mux := http.NewServeMux()
	serve(mux, "/register", n.board.Register)
	serve(mux, "/report", n.board.Report)
	serve(mux, "/desired", func(ctx context.Context, after int64) (task.Desired, error) {
		return n.board.Desired(ctx, n.config.Node, after)
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: patience}
	go func() { _ = server.Serve(listener) }()
	n.t.Cleanup(func() { _ = server.Close() })
	return socket
}

func serve[In, Out any](mux *http.ServeMux, path string, do func(context.Context, In) (Out, error)) {
	mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		var in In
		var out Out
		err := json.NewDecoder(r.Body).Decode(&in)
		if err == nil {
			out, err = do(r.Context(), in)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_ = json.NewEncoder(w).Encode(out)
	})
}

// remote is a controller behind a socket.
type remote struct{ client *http.Client }

func newRemote(socket string) *remote {
	return &remote{&http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}}
}

func call[Out any](ctx context.Context, r *remote, path string, in any) (out Out, err error) {
	content, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://controller"+path, bytes.NewReader(content))
	if err != nil {
		return out, err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return out, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(string(answer))
	}
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(answer, &out)
}

func (r *remote) Register(ctx context.Context, hello task.Hello) (task.Welcome, error) {
	return call[task.Welcome](ctx, r, "/register", hello)
}

func (r *remote) Desired(ctx context.Context, _ string, after int64) (task.Desired, error) {
	return call[task.Desired](ctx, r, "/desired", after)
}

func (r *remote) Report(ctx context.Context, report task.Report) (task.Reply, error) {
	return call[task.Reply](ctx, r, "/report", report)
}

func (r *remote) Tail(context.Context, string, task.Chunk) error {
	return errors.New("not in this test")
}
