package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/link"
	"github.com/libra-market/libra/live/slurm/slurmtest"
	"github.com/libra-market/libra/live/wire"
)

// slurmMarket is a whole service on a real Slurm, with an agent on every node.
type slurmMarket struct {
	*service
	slurm *slurmtest.Cluster
	dir   string // that everybody may write to
}

// slurmConfig is the configuration of a market on a Slurm.
func slurmConfig(tb testing.TB, cluster *slurmtest.Cluster, policy, control string) *config.Config {
	tb.Helper()
	c := config.Default()
	c.Store = filepath.Join(tb.TempDir(), "libra.db")
	c.Listen, c.Policy, c.Backend = "127.0.0.1:0", policy, config.BackendSlurm
	c.Report = config.Duration(time.Second)
	c.Limits = config.Limits{} // benchmarks measure one user, at all it can
	c.Slurm = config.Slurm{Partition: slurmtest.Partition, Rest: cluster.RestURL, Conf: cluster.Conf, Control: control, DoorKey: cluster.DoorKey, Follow: config.Duration(time.Second)}
	if err := c.Validate(); err != nil {
		tb.Fatal(err)
	}
	return &c
}

// slurmDefaults is a configuration for Slurm that nobody uses.
func slurmDefaults(control string) *config.Config {
	c := config.Default()
	c.Backend, c.Slurm.Control = config.BackendSlurm, control
	return &c
}

func openSlurmMarket(tb testing.TB, cluster *slurmtest.Cluster, policy, control string, users ...string) *slurmMarket {
	tb.Helper()
	return serveSlurmMarket(tb, cluster, slurmConfig(tb, cluster, policy, control), users...)
}

type slurmSettings = config.Slurm

// openSlurmMarketWith is one under libra, with agents, that is set up otherwise.
func openSlurmMarketWith(tb testing.TB, cluster *slurmtest.Cluster, change func(*slurmSettings), users ...string) *slurmMarket {
	tb.Helper()
	c := slurmConfig(tb, cluster, "libra", "agents")
	change(&c.Slurm)
	return serveSlurmMarket(tb, cluster, c, users...)
}

func serveSlurmMarket(tb testing.TB, cluster *slurmtest.Cluster, c *config.Config, users ...string) *slurmMarket {
	tb.Helper()
	s, err := startService(tb.Context(), c, slog.New(slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})), nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.close(); err != nil {
			tb.Error(err)
		}
	})
	for _, name := range users {
		for _, m := range []trade.MoneyCommand{{Op: "open", To: "lab/" + name, User: name}, {Op: "grant", To: "lab/" + name, Amount: int64(1e6 * market.Unit)}} {
			if _, _, err := s.market.Do(tb.Context(), trade.Command{By: ownHand, Money: &m}, api.Key{}); err != nil {
				tb.Fatal(err)
			}
		}
	}
	m := &slurmMarket{service: s, slurm: cluster, dir: filepath.Join("/tmp", "libra-"+filepath.Base(tb.TempDir())+fmt.Sprint(time.Now().UnixNano()))}
	if err := os.Mkdir(m.dir, 0o777); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(m.dir) })
	if err := os.Chmod(m.dir, 0o777); err != nil { // whatever the umask is
		tb.Fatal(err)
	}
	return m
}

// hire starts an agent on every node, until the end of the test.
func (m *slurmMarket) hire(tb testing.TB, capacity float64) {
	tb.Helper()
	ctx, stop := context.WithCancel(tb.Context())
	var all sync.WaitGroup
	tb.Cleanup(func() { stop(); all.Wait() })
	for _, name := range m.slurm.Nodes {
		token, err := m.makeToken(tb.Context(), name, v1.RoleNode, "a test")
		if err != nil {
			tb.Fatal(err)
		}
		to, err := client.New(m.url(), token, client.Options{})
		if err != nil {
			tb.Fatal(err)
		}
		a := config.Default().Agent
		a.Node, a.State, a.Control, a.Processors, a.Capacity, a.Rating, a.MemoryMB = name, tb.TempDir(), "slurm", 1, capacity, 1, 4096
		all.Go(func() {
			if err := keepNode(ctx, &a, link.New(to, name), slog.New(slog.DiscardHandler)); err != nil {
				tb.Errorf("agent of %s: %v", name, err)
			}
		})
	}
}

func (m *slurmMarket) awaitNodes(tb testing.TB) {
	tb.Helper()
	m.until(tb, "nodes to join", func() bool {
		nodes, err := m.market.Nodes(tb.Context())
		up := 0
		for i := range nodes {
			if nodes[i].Up {
				up++
			}
		}
		return err == nil && up == len(m.slurm.Nodes)
	})
}

func (m *slurmMarket) until(tb testing.TB, what string, ready func() bool) {
	tb.Helper()
	m.within(tb, time.Minute, what, ready)
}

func (m *slurmMarket) within(tb testing.TB, long time.Duration, what string, ready func() bool) {
	tb.Helper()
	for end := time.Now().Add(long); !ready(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("waited too long for %s", what)
		}
	}
}

// say runs libra as a user would.
func (m *slurmMarket) say(tb testing.TB, user string, args ...string) (string, error) {
	tb.Helper()
	token, err := m.makeToken(tb.Context(), user, v1.RoleUser, "a test")
	if err != nil {
		tb.Fatal(err)
	}
	file := filepath.Join(tb.TempDir(), "token")
	if err = os.WriteFile(file, []byte(token), 0o600); err != nil {
		tb.Fatal(err)
	}
	var out, errs strings.Builder
	con := &console{in: strings.NewReader(""), out: &out, err: &errs}
	err = execute(tb.Context(), con, append(args[:1:1], append([]string{"--server", m.url(), "--token-file", file}, args[1:]...)...))
	if errs.Len() > 0 {
		tb.Logf("libra %s: %s", args[0], errs.String())
	}
	return out.String(), err
}

// burnCPU takes so many seconds of a processor. The shell itself reads how many it had:
// programs that are begun to ask wait, on a busy machine, for more than processors, which
// is time that was declined.
const burnCPU = `i=0; while read -r had </proc/$$/stat; set -- $had; [ $((${14}+${15})) -lt %d00 ]; do i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; done`

// TestSharesOnSlurm runs two users' jobs on one node of a real Slurm at the shares
// that were sold to them, handed in as sbatch would.
func TestSharesOnSlurm(t *testing.T) {
	slurmtest.Require(t)
	alice, bob := slurmtest.User(t, slurmtest.Alice), slurmtest.User(t, slurmtest.Bob)
	cluster := slurmtest.Start(t, slurmtest.Options{Nodes: 1, Door: true})
	m := openSlurmMarket(t, cluster, "libra", "agents", alice, bob)
	for _, f := range m.findings {
		t.Log(f)
		if f.Wrong {
			t.Errorf("found wrong: %s", f)
		}
	}
	m.hire(t, 0.9)
	m.awaitNodes(t)
	script := func(name string, seconds, exit int) string {
		file := filepath.Join(m.dir, name)
		text := fmt.Sprintf("#!/bin/sh\n#SBATCH -J %s -o %s.out\n"+burnCPU+"\nid -un\nexit %d\n", name, name, seconds, exit)
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return file
	}
	var ids []int64
	for _, c := range []struct {
		user, name     string
		seconds, exit  int
		term, deadline string
	}{
		{alice, "quick", 3, 0, "0:00:08", "now+40seconds"}, {bob, "slow", 3, 4, "0:00:08", "now+80seconds"},
	} {
		out, err := m.say(t, c.user, "sbatch", "-D", m.dir, "-t", c.term, "--deadline", c.deadline, "--budget=100", "--parsable", script(c.name, c.seconds, c.exit))
		if err != nil {
			t.Fatal(err)
		}
		var id int64
		if _, err := fmt.Sscan(out, &id); err != nil {
			t.Fatalf("sbatch said %q", out)
		}
		ids = append(ids, id)
	}
	for i, want := range []v1.State{v1.Completed, v1.Failed} {
		var j v1.Job
		m.within(t, 2*time.Minute, fmt.Sprintf("job %d to end", ids[i]), func() bool {
			var err error
			j, err = m.market.Job(t.Context(), ids[i])
			return err == nil && j.State.Final()
		})
		t.Logf("job %d %s: %.1f s, due after %.1f s, %.2f s used, shares %v", j.ID, j.State, float64(j.EndedUS-j.SubmittedUS)/1e6,
			float64(j.DueUS-j.SubmittedUS)/1e6, float64(j.Tasks[0].CPUUS)/1e6, j.Timeline)
		if j.State != want || j.Attempt != 0 || j.Tasks[0].Exit != 4*i {
			t.Errorf("job %d is %s %s: %+v", j.ID, j.State, j.Detail, j.Tasks)
		}
		if j.EndedUS > j.DueUS {
			t.Errorf("job %d ended %.1f s late", j.ID, float64(j.EndedUS-j.DueUS)/1e6)
		}
		if used := float64(j.Tasks[0].CPUUS) / 1e6; used < 2.5 || used > 6 {
			t.Errorf("job %d used %.2f s of the processor, want about 3", j.ID, used)
		}
	}
	if text, err := os.ReadFile(filepath.Join(m.dir, "slow.out")); err != nil || string(text) != bob+"\n" {
		t.Errorf("bob's job said %q, %v", text, err)
	}
	if out, err := cluster.RunAs(t.Context(), alice, "sbatch", "-p", slurmtest.Partition, "--wrap", "true"); err == nil {
		t.Errorf("a job went past the market: %s", out)
	}
}

// TestSlurmWithoutAgents runs a market whose nodes nobody holds to shares: policies
// that would need that are refused, also later.
func TestSlurmWithoutAgents(t *testing.T) {
	r := libra(t, "serve", "--backend", "slurm", "--slurm-control", "none", "--store", filepath.Join(t.TempDir(), "libra.db"))
	if r.code == exitOK || !strings.Contains(r.err, "libra shares processors") || !strings.Contains(r.err, "edf-bf") {
		t.Errorf("the policy libra without agents: %+v", r)
	}
	m := onSlurm{config: slurmDefaults("none")}
	_, _, err := m.Do(t.Context(), trade.Command{By: ownHand, Epoch: wire.ToEpoch(&v1.Epoch{Policy: "libra-plus"})}, api.Key{})
	if wrong, ok := errors.AsType[*trade.FieldError](err); !ok || wrong.Field != "policy" || !strings.Contains(err.Error(), "cannot be resized") {
		t.Errorf("an epoch of libra-plus: %v", err)
	}
	_, _, err = m.Do(t.Context(), trade.Command{Submit: wire.ToSubmit(&v1.SubmitRequest{Request: v1.Request{Optional: &v1.Optional{}}})}, api.Key{})
	if wrong, ok := errors.AsType[*trade.FieldError](err); !ok || wrong.Field != "optional" {
		t.Errorf("an optional part: %v", err)
	}
}
