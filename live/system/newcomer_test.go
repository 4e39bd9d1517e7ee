package system_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// upMarket is a market that libra up runs in a home of its own.
type upMarket struct {
	*daemon

	t    testing.TB
	home string
	tree string
	as   []string // what to put before every command: another user
	args []string
}

func newUp(t testing.TB, home string) *upMarket {
	t.Helper()
	u := &upMarket{t: t, home: home, args: []string{"up", "--listen", fmt.Sprintf("127.0.0.1:%d", freePort(t))}}
	u.tree = treeOf("local", filepath.Join(home, ".local", "state", "libra", "agent"))
	if err := writeDown(runDir(), madeTrees, u.tree); err != nil {
		t.Fatal(err)
	}
	return u
}

// start starts it and waits until it says that it is up.
func (u *upMarket) start() {
	u.t.Helper()
	before := strings.Count(text(u.t, filepath.Join(u.home, "log")), "libra is up")
	u.daemon = launch(u.t, u.home, append(append([]string{}, u.as...), append([]string{binary()}, u.args...)...)...)
	until(u.t, "libra up", func() bool {
		if !u.running() {
			u.t.Fatalf("it has ended:\n%s", u.said(4000))
		}
		return strings.Count(u.said(1<<20), "libra is up") > before
	})
}

// libra runs a command of the user and returns what it printed.
func (u *upMarket) libra(args ...string) string {
	u.t.Helper()
	return good(u.t, u.home, append(append([]string{}, u.as...), append([]string{binary()}, args...)...)...)
}

// client reads where the commands find the market.
func (u *upMarket) client() *client.Client { return u.dial(client.Options{Retries: 20}) }

func (u *upMarket) impatient() *client.Client {
	return u.dial(client.Options{Retries: -1, Timeout: 30 * time.Second})
}

func (u *upMarket) dial(o client.Options) *client.Client {
	u.t.Helper()
	var found struct{ Server, Token, Socket string }
	if err := json.Unmarshal([]byte(text(u.t, filepath.Join(u.home, ".config", "libra", "context.json"))), &found); err != nil {
		u.t.Fatal(err)
	}
	server := "unix:" + found.Socket
	if len(u.as) > 0 { // it is not whose this process is
		server = "unix://" + alice + "@" + found.Socket
	}
	c, err := client.New(server, found.Token, o)
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(c.Close)
	return c
}

// A newcomer types libra up, does what it says, and stops it with Ctrl-C. All is
// as it was when it is started again, and a job that ran meanwhile has gone on.
func TestANewcomer(t *testing.T) {
	t.Run("root", func(t *testing.T) {
		requireCgroup(t)
		t.Parallel()
		welcome(t, newUp(t, scene(t)), "cgroup")
	})
	t.Run("anybody", func(t *testing.T) {
		t.Parallel()
		home := scene(t)
		u := newUp(t, home)
		if os.Geteuid() == 0 { // become somebody without rights
			requireCgroup(t)
			u.home, _ = unixUser(t, alice, home)
			u.as = []string{"setpriv", "--reuid=" + alice, "--regid=" + alice, "--init-groups"}
			if _, err := exec.LookPath("setpriv"); err != nil {
				t.Skip("there is no setpriv")
			}
		}
		welcome(t, u, "signals")
	})
}

func welcome(t *testing.T, u *upMarket, limits string) {
	u.t = t
	u.start()
	if !strings.Contains(u.said(1<<20), "shares by "+limits) {
		t.Errorf("it does not say that shares are by %s:\n%s", limits, u.said(4000))
	}
	u.follow()
	c := u.client()
	first, before := u.look(c)
	running := u.handIn("8s", "echo began > began; "+untilTold+"; echo finished > finished")
	until(t, "the job", func() bool { return text(t, filepath.Join(u.home, "began")) != "" })
	if code := u.end(syscall.SIGINT, patience); code != 0 {
		t.Fatalf("after Ctrl-C: exit code %d:\n%s", code, u.said(2000))
	}
	if said := u.said(200); !strings.Contains(said, "stopped; 1 job left running") {
		t.Errorf("at the end it says %q", said)
	}
	tell(t, u.home)
	until(t, "the job to end with nobody there", func() bool { return text(t, filepath.Join(u.home, "finished")) != "" })
	u.start()
	until(t, "the end of the job", func() bool {
		j, err := c.Job(t.Context(), running)
		if err != nil {
			t.Fatal(err)
		}
		if j.State.Final() && (j.State != v1.Completed || j.Attempt != 0) {
			t.Fatalf("the job is %s, attempt %d: %s", j.State, j.Attempt, j.Detail)
		}
		return j.State.Final()
	})
	again, after := u.look(c)
	if !reflect.DeepEqual(first, again) {
		t.Errorf("the first job was %+v\nand is %+v", first, again)
	}
	if j, err := c.Job(t.Context(), running); err != nil || before.Free-after.Free != j.Charged || after.Held != 0 {
		t.Errorf("the account was %+v\nand is %+v; charged %d, %v", before, after, j.Charged, err)
	}
	if said := u.libra("ledger", "verify"); !strings.Contains(said, "all is right") {
		t.Error(said)
	}
	if code := u.end(syscall.SIGINT, patience); code != 0 {
		t.Errorf("after the second Ctrl-C: exit code %d", code)
	}
}

// Two markets on one machine leave each other alone.
func TestTwoMarketsOnOneMachine(t *testing.T) {
	requireCgroup(t)
	t.Parallel()
	first, second := newUp(t, scene(t)), newUp(t, scene(t))
	first.start()
	id := first.handIn("6s", untilTold+"; echo ended > ended")
	until(t, "the job", func() bool {
		j, err := first.client().Job(t.Context(), id)
		return err == nil && j.State == v1.Running && len(processesOf(first.home)) > 1
	})
	second.start()
	if same := second.handIn("2s", "true"); same != id {
		t.Errorf("the jobs are %d and %d: nothing was tested", id, same)
	}
	for _, u := range []*upMarket{second, first} {
		c := u.client()
		until(t, "the end", func() bool {
			j, err := c.Job(t.Context(), id)
			if err == nil && j.State.Final() && j.State != v1.Completed {
				t.Fatalf("the job is %s: %s", j.State, j.Detail)
			}
			return err == nil && j.State.Final()
		})
		tell(t, first.home)
	}
	if text(t, filepath.Join(first.home, "ended")) == "" {
		t.Error("the first job did not come to its end")
	}
}

// untilTold is a part of a job that lasts until its directory is told.
const untilTold = "until [ -e told ]; do sleep 0.1; done"

func tell(t testing.TB, dir string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "told"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// follow does what libra up says to try.
func (u *upMarket) follow() {
	u.t.Helper()
	_, advice, _ := strings.Cut(u.said(1<<20), "Try")
	tried := 0
	for line := range strings.Lines(advice) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "libra ") {
			continue
		}
		if strings.HasPrefix(line, "libra logs") { // a person would have waited for the job
			until(u.t, "the first job", func() bool { return strings.Contains(u.libra("jobs"), "completed") })
		}
		out := good(u.t, u.home, append(append([]string{}, u.as...), "sh", "-c", line)...)
		if strings.HasPrefix(line, "libra logs") && out != "hello\n" {
			u.t.Errorf("%s: %q", line, out)
		}
		tried++
	}
	if tried != 3 {
		u.t.Errorf("it says %d things to try:\n%s", tried, advice)
	}
}

// handIn hands in a line of shell and returns the number of the job.
func (u *upMarket) handIn(estimate, line string) int64 {
	u.t.Helper()
	var j v1.Job
	if err := json.Unmarshal([]byte(u.libra("submit", "--json", "--estimate", estimate, "--deadline", "1m", "--", "sh", "-c", line)), &j); err != nil {
		u.t.Fatal(err)
	}
	return j.ID
}

// look is how the first job and the user's account stand.
func (u *upMarket) look(c *client.Client) (first v1.Job, account v1.Account) {
	u.t.Helper()
	first, err := c.Job(u.t.Context(), 1)
	if err == nil {
		account, err = c.Account(u.t.Context(), first.Account)
	}
	if err != nil {
		u.t.Fatal(err)
	}
	return first, account
}
