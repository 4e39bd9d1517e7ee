package system_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// Controller and agent are killed at random moments. Nothing is lost, nothing
// happens twice, nothing is left.
func TestNothingIsLost(t *testing.T) {
	requireCgroup(t)
	t.Parallel()
	kills := 12
	if long() {
		kills = 200
	}
	b := newBazaar(t, terms{})
	w := b.hire("n1", "--cpus", "0,1")
	b.user("root", 1_000_000)
	s := &storm{t: t, dir: b.dir, runs: b.at("runs"), open: func() *client.Client { return b.impatient() }, seed: seedOf(t)}
	s.rage(3, func(random *rand.Rand) {
		for range kills {
			time.Sleep(time.Duration(50+random.IntN(1200)) * time.Millisecond)
			which := random.IntN(4)
			if which != 0 {
				b.serve.kill()
			}
			if which < 2 {
				w.kill()
			}
			time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
			if which != 0 {
				b.open()
			}
			if which < 2 {
				w.start(t)
			}
		}
	})
	b.joined(w)
	s.check(b.owner, "people/root")
	nothingRuns(t, w.tree(), b.dir)
	t.Logf("%d kills survived", kills)
}

// The same of a market on one machine: libra up, killed with all its parts.
func TestNothingIsLostByUp(t *testing.T) {
	requireCgroup(t)
	t.Parallel()
	kills := 6
	if long() {
		kills = 50
	}
	u := newUp(t, scene(t))
	s := &storm{t: t, dir: u.home, runs: filepath.Join(u.home, "runs"), open: u.impatient, seed: seedOf(t)}
	u.start()
	good(t, u.home, binary(), "account", "grant", "demo/root", "1000000")
	s.rage(2, func(random *rand.Rand) {
		for range kills {
			time.Sleep(time.Duration(50+random.IntN(1500)) * time.Millisecond)
			u.kill()
			u.start()
		}
	})
	s.check(u.client(), "demo/root")
	nothingRuns(t, u.tree, u.home)
	t.Logf("%d kills survived", kills)
}

// impatient is a client of the owner that leaves it to the test to ask again.
func (b *bazaar) impatient() *client.Client {
	b.t.Helper()
	token, err := b.owner.MakeToken(b.t.Context(), v1.TokenRequest{User: "root", SystemUser: true})
	if err != nil {
		b.t.Fatal(err)
	}
	c, err := client.New(b.url, token.Secret, client.Options{Retries: -1, Timeout: 30 * time.Second})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(c.Close)
	return c
}

// nothingRuns checks that no task has left a process: not in the groups of the
// node, and not below the directory of the test.
func nothingRuns(t testing.TB, name, dir string) {
	t.Helper()
	tree, err := cgroup.Open(name, cgroup.Options{Kind: groupKind()})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	var groups []string
	until(t, "the groups to be removed", func() bool {
		groups, err = tree.List()
		return err == nil && len(groups) == 0
	})
	for _, pid := range processesOf(runDir()) {
		daemon := strings.HasPrefix(commandLine(pid), binary()+" ")
		if !daemon && at(pid, dir) {
			t.Errorf("there is a process left: %s", describe(pid))
		}
	}
}

// at reports whether a process is in a directory or has something open there.
func at(pid int, dir string) bool {
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // the pattern is right
	for _, link := range append(links, fmt.Sprintf("/proc/%d/cwd", pid)) {
		if to, err := os.Readlink(link); err == nil && under(to, dir) {
			return true
		}
	}
	return false
}
