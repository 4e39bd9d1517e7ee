package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// bazaar is a market in front of a Slurm, with an agent on each of its nodes.
type bazaar struct {
	p       *plan
	c       *slurmtest.Cluster
	owner   *client.Client
	rating  float64
	running []*exec.Cmd
}

func openMarket(ctx context.Context, p *plan, c *slurmtest.Cluster, policy string) (*bazaar, error) {
	m := &bazaar{p: p, c: c}
	if err := m.open(ctx, policy); err != nil {
		m.end()
		return nil, err
	}
	return m, nil
}

// open opens one under a policy, which may have settings of its own behind its name.
func (m *bazaar) open(ctx context.Context, policy string) error {
	policy, settings, _ := strings.Cut(policy, ":")
	port, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	at := port.Addr().String()
	if err = port.Close(); err != nil {
		return err
	}
	config, token := filepath.Join(m.c.Dir, "libra.yaml"), filepath.Join(m.c.Dir, "owner.token")
	// Who tries this is root, and so are the jobs.
	if err = os.WriteFile(config, fmt.Appendf(nil, "slurm: {system_users: [root]}\nreport: %s\n", m.p.report), 0o600); err != nil {
		return err
	}
	args := []string{
		"serve", "--config", config, "--backend", "slurm", "--slurm-rest", m.c.RestURL, "--listen", at,
		"--store", filepath.Join(m.c.Dir, "market.db"), "--owner-token-file", token, "--policy", policy,
	}
	for s := range strings.SplitSeq(settings, ":") {
		if s != "" {
			args = append(args, "--set", s)
		}
	}
	if err = m.start(ctx, "market", args...); err != nil {
		return err
	}
	if err = m.await(ctx, "the market", func() bool {
		secret, missing := os.ReadFile(token)
		if missing != nil {
			return false
		}
		owner, wrong := client.New("http://"+at, strings.TrimSpace(string(secret)), client.Options{})
		m.owner = owner
		return wrong == nil && owner.Healthy(ctx) == nil
	}); err != nil {
		return err
	}
	for _, node := range m.c.Nodes {
		if err = m.hire(ctx, at, node); err != nil {
			return err
		}
	}
	if err = m.await(ctx, "its nodes", func() bool {
		nodes, away := m.owner.Nodes(ctx)
		for _, n := range nodes {
			m.rating = max(m.rating, n.Rating)
		}
		return away == nil && len(nodes) == len(m.c.Nodes)
	}); err != nil {
		return err
	}
	if _, err = m.owner.ChangeAccount(ctx, v1.AccountChange{Op: "open", Account: "people/root", User: "root"}); err == nil {
		_, err = m.owner.Grant(ctx, v1.Grant{To: "people/root", Amount: 1e12})
	}
	return err
}

// hire has the agent of a node begin.
func (m *bazaar) hire(ctx context.Context, at, node string) error {
	token, err := m.owner.MakeToken(ctx, v1.TokenRequest{User: node, Role: v1.RoleNode})
	if err != nil {
		return err
	}
	file := filepath.Join(m.c.Dir, node+".token")
	if err := os.WriteFile(file, []byte(token.Secret), 0o600); err != nil {
		return err
	}
	return m.start(ctx, node, "agent", "--control", "slurm", "--node", node, "--processors", "1", "--capacity", fmt.Sprint(m.p.capacity),
		"--server", "http://"+at, "--token-file", file, "--state", filepath.Join(m.c.Dir, node+".agent"))
}

// start starts a program of the market's, which writes to a file of its own.
func (m *bazaar) start(ctx context.Context, name string, args ...string) error {
	log, err := os.Create(filepath.Join(m.c.Dir, name+".log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.CommandContext(context.WithoutCancel(ctx), m.p.libra, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), m.c.Env()...), log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: make build makes it", err)
	}
	m.running = append(m.running, cmd)
	return nil
}

var errNever = errors.New("it never came")

func (m *bazaar) await(ctx context.Context, what string, here func() bool) error {
	for range 120 {
		if here() {
			return nil
		}
		select {
		case <-time.After(500 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("%s: %w: %s", what, errNever, strings.Join(m.lastWords(), "; "))
}

// lastWords are the last lines that the programs of the market wrote: their files go with the Slurm.
func (m *bazaar) lastWords() (words []string) {
	logs, _ := filepath.Glob(filepath.Join(m.c.Dir, "*.log")) // the pattern is a good one
	for _, name := range logs {
		text, _ := os.ReadFile(name) // one that is gone has none
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		words = append(words, filepath.Base(name)+": "+lines[len(lines)-1])
	}
	return words
}

func (m *bazaar) hand(ctx context.Context, j *job) (bool, error) {
	margin := m.p.margin
	if j.short {
		margin = 1
	}
	estimate := margin * m.rating * float64(j.estimate.Milliseconds()) // with a whole processor of rating 1
	budget := int64(j.budget * j.estimate.Seconds() * 1e6)
	taken, err := m.owner.Submit(ctx, v1.Request{
		Name: fmt.Sprintf("deadline-%d", j.number), Argv: m.p.program(j, ""), Dir: m.c.Dir, Output: "/dev/null",
		EstimateMS: int64(estimate), DeadlineMS: j.within.Milliseconds(), Budget: &budget,
		PenaltyMicros: int64(m.p.penalty * j.budget * 1e6),
	}, "")
	var no *v1.Problem
	if errors.As(err, &no) && no.Reason != "" {
		j.became = no.Detail
		return false, nil
	}
	j.id = taken.ID
	return err == nil && taken.ID > 0, err
}

func (m *bazaar) end() {
	for i := len(m.running) - 1; i >= 0; i-- {
		cmd := m.running[i]
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}
}
