package system_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

const (
	alice = slurmtest.Alice
	bob   = slurmtest.Bob
)

// unixUser is a user that the test made, or found, with a home in a directory.
func unixUser(t testing.TB, name, dir string) (home string, uid int) {
	t.Helper()
	who, uid := userOf(t, slurmtest.User(t, name))
	home = filepath.Join(dir, name)
	gid, err := strconv.Atoi(who.Gid)
	if err = errors.Join(err, os.Mkdir(home, 0o700), os.Chown(home, uid, gid)); err != nil {
		t.Fatal(err)
	}
	return home, uid
}

// userOf is the number of a user of this machine.
func userOf(t testing.TB, name string) (who *user.User, uid int) {
	t.Helper()
	who, err := user.Lookup(name)
	if err == nil {
		uid, err = strconv.Atoi(who.Uid)
	}
	if err != nil {
		t.Fatal(err)
	}
	return who, uid
}

// uidOf is whose a file is; -1 if there is none.
func uidOf(t testing.TB, file string) int {
	t.Helper()
	about, err := os.Stat(file)
	if err != nil {
		t.Error(err)
		return -1
	}
	return int(about.Sys().(*syscall.Stat_t).Uid)
}

// A job runs as its owner, writes as its owner, and is nobody else's business.
func TestUsers(t *testing.T) {
	requireCgroup(t)
	t.Parallel()
	b := newBazaar(t, terms{})
	b.hire("n1", "--cpus", "0")
	home, uid := unixUser(t, alice, b.dir)
	unixUser(t, bob, b.dir)
	a, o := b.user(alice, 100), b.user(bob, 100)

	t.Run("run as themselves", func(t *testing.T) { runAsThemselves(t, b, a, home, uid) })
	t.Run("cannot be what they are not", func(t *testing.T) { stayThemselves(t, b, a, home) })
	t.Run("see only what is theirs", func(t *testing.T) { seeTheirOwn(t, b, a, o, home) })
	b.verify()
}

func runAsThemselves(t *testing.T, b *bazaar, a *client.Client, home string, uid int) {
	program := b.shell("id -un; id -u; id -g; ls -ld . | cut -d' ' -f3; touch made", time.Second)
	program.Dir, program.Output = home, "out-%j"
	script := program
	script.Script, script.Argv = "#!/bin/sh\n"+program.Argv[2]+"\necho $1\n", []string{"hello"}
	for what, r := range map[string]v1.Request{"program": program, "script": script} {
		j := b.completed(submit(t, a, r).ID)
		out := filepath.Join(home, fmt.Sprintf("out-%d", j.ID))
		if said := text(t, out); !strings.HasPrefix(said, fmt.Sprintf("%s\n%d\n", alice, uid)) || strings.Contains(said, "root") {
			t.Errorf("%s: said %q", what, said)
		}
		for _, file := range []string{out, filepath.Join(home, "made")} {
			if owner := uidOf(t, file); owner != uid {
				t.Errorf("%s: %s is of user %d, want %d", what, file, owner, uid)
			}
		}
	}
}

// stayThemselves tries what a job must not be able to do.
func stayThemselves(t *testing.T, b *bazaar, a *client.Client, home string) {
	for what, line := range map[string]string{
		"read what is root's":      "cat /etc/shadow",
		"get new privileges":       "grep -q 'NoNewPrivs:.*0' /proc/self/status",
		"change its share":         `g=$(sed -n 's/^[0-9]*:cpu[^:]*:\(.*\)/\1/p' /proc/self/cgroup); echo -1 > "/sys/fs/cgroup/cpu$g/cpu.cfs_quota_us"`,
		"leave its group":          "echo $$ > /sys/fs/cgroup/cpu/cgroup.procs",
		"read the agent's records": "ls " + b.agents["n1"].state,
		"read the market's files":  "cat " + b.at("owner.token"),
	} {
		r := b.shell(line+" && echo it could > could-"+strings.Fields(what)[0], time.Second)
		r.Dir = home
		j := b.ended(submit(t, a, r).ID)
		if _, err := os.Stat(filepath.Join(home, "could-"+strings.Fields(what)[0])); err == nil || j.State != v1.Failed {
			t.Errorf("a job could %s (it is %s)", what, j.State)
		}
	}
	// To write where the user may not is the user's failure, not the agent's.
	r := b.shell("true", time.Second)
	r.Dir, r.Output = home, "/etc/libra-was-here"
	if j := b.ended(submit(t, a, r).ID); j.State != v1.Failed {
		t.Errorf("output to /etc: %s", j.State)
	}
	if _, err := os.Stat(r.Output); err == nil {
		t.Errorf("%s exists", r.Output)
	}
	// Who is no user of the node runs nothing there.
	stranger := b.user("nobody-here", 10)
	if j := b.ended(submit(t, stranger, b.shell("true", time.Second)).ID); j.State != v1.Failed || j.Reason != v1.ReasonRefused {
		t.Errorf("a user whom the node does not know: %s (%s)", j.State, j.Reason)
	}
}

func seeTheirOwn(t *testing.T, b *bazaar, a, o *client.Client, home string) {
	r := b.shell("echo secret; "+untilTold, 30*time.Second)
	r.Dir, r.Output = home, "secret-%j"
	j := submit(t, a, r)
	ctx := t.Context()
	until(t, "the output", func() bool {
		chunk, err := a.Tail(ctx, j.ID, client.Output{})
		return err == nil && string(chunk.Data) == "secret\n"
	})
	quote, err := a.AskQuote(ctx, r, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	look := map[string]func() error{
		"job":     func() error { _, err := o.Job(ctx, j.ID); return err },
		"explain": func() error { _, err := o.Explain(ctx, j.ID); return err },
		"output":  func() error { _, err := o.Tail(ctx, j.ID, client.Output{}); return err },
		"follow":  func() error { _, err := o.FollowOutput(ctx, j.ID, client.Output{}); return err },
		"cancel":  func() error { _, err := o.Cancel(ctx, j.ID); return err },
		"after":   func() error { q := r; q.After = []int64{j.ID}; _, err := o.Submit(ctx, q, ""); return err },
		"quote":   func() error { _, err := o.Quote(ctx, quote.ID); return err },
		"take":    func() error { _, err := o.Submit(ctx, v1.Request{}, quote.ID); return err },
		"account": func() error { _, err := o.Account(ctx, "people/"+alice); return err },
		"statement": func() error {
			_, err := o.Statement(ctx, client.Period{Account: "people/" + alice})
			return err
		},
	}
	for what, f := range look {
		wantNotFound(t, what, f())
	}
	tell(t, home)
	b.completed(j.ID)
	wantNotFound(t, "receipt", func() error { _, err := o.Receipt(ctx, j.ID); return err }())
	mine, err := o.Accounts(ctx, "")
	if err != nil || len(mine) != 1 || mine[0].Path != "people/"+bob {
		t.Errorf("bob sees the accounts %+v: %v", mine, err)
	}
	if got, err := a.Receipt(ctx, j.ID); err != nil || got.Job != j.ID {
		t.Errorf("alice's own receipt: %+v, %v", got, err)
	}
}

func wantNotFound(t *testing.T, what string, err error) {
	t.Helper()
	if p, ok := errors.AsType[*client.Problem](err); !ok || p.Status != http.StatusNotFound {
		t.Errorf("%s: bob is answered %v, want not found", what, err)
	}
}
