package client_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// TestAgainstSlurm holds both ways to speak to Slurm to the same promises, with a
// real Slurm, its door closed to all who do not come through Libra.
func TestAgainstSlurm(t *testing.T) {
	c := slurmtest.Start(t, slurmtest.Options{Nodes: 3, CPUs: 2, Door: true})
	alice := slurmtest.User(t, slurmtest.Alice)
	for _, byRest := range []bool{false, true} {
		s, err := client.Open(t.Context(), client.Options{Rest: c.RestURL, Conf: c.Conf, ListByRest: byRest})
		if err != nil {
			t.Fatal(err)
		}
		if jobs, err := s.Jobs(t.Context(), slurmtest.Partition); err != nil || len(jobs) != 0 {
			t.Errorf("before the first job there are %+v, %v", jobs, err)
		}
	}
	// Whoever has no key, or another one, does not get through the door.
	noKey, err := client.Open(t.Context(), client.Options{Rest: c.RestURL, Conf: c.Conf})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, c: c, s: noKey, alice: alice, dir: openDir(t)}
	if id, err := noKey.Submit(t.Context(), b.job("true")); !errors.Is(err, client.ErrRefused) || !strings.Contains(err.Error(), "denied") {
		t.Errorf("without the key: submitted %d, %v", id, err)
	}
	token, err := c.Token(t.Context(), "root")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]client.Options{
		"rest":          {Rest: c.RestURL, Conf: c.Conf, DoorKey: c.DoorKey},
		"rest, no list": {Rest: "unix:" + c.RestSocket, Conf: c.Conf, DoorKey: c.DoorKey, TokenFile: file, ListByRest: true},
		"commands":      {Conf: c.Conf},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := client.Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if want := map[bool]string{true: "slurmrestd " + slurmtest.API(), false: "sbatch"}[o.Rest != ""]; !strings.HasPrefix(s.Name(), want) {
				t.Errorf("it is called %q, want %q", s.Name(), want)
			}
			b := &bench{t: t, c: c, s: s, alice: alice, dir: openDir(t)}
			t.Run("runs", b.runs)
			t.Run("strange names", b.strangeNames)
			t.Run("long script", b.longScript)
			t.Run("script cannot ask", b.scriptCannotAsk)
			t.Run("refuses", b.refuses)
			t.Run("impossible", b.impossible)
			t.Run("cancels", b.cancels)
			t.Run("many nodes", b.manyNodes)
			t.Run("nodes", b.nodes)
			if !o.ListByRest { // which hands in like the other
				t.Run("passes", b.passes)
				t.Run("arrays", b.arrays)
			}
			t.Run("slurmctld away", b.away)
		})
	}
}

// bench is one way to speak to Slurm on trial.
type bench struct {
	t     *testing.T
	c     *slurmtest.Cluster
	s     client.Slurm
	alice string
	dir   string // that everybody may write to
}

func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for path, mode := range map[string]os.FileMode{filepath.Dir(dir): 0o711, dir: 0o777} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (b *bench) job(script string) client.Submission {
	return client.Submission{
		Name: "job", Comment: "libra-test:" + b.t.Name(), User: b.alice, Partition: slurmtest.Partition,
		Nodes: b.c.Nodes[1:2], Tasks: 1, CPUs: 1, MemoryMB: 64, Limit: 90 * time.Second,
		Dir: b.dir, Env: []string{"PATH=" + slurmtest.Path(), "WORD=a b\n\"c\"='$d'"}, Output: filepath.Join(b.dir, "out"), Command: []string{filepath.Join(b.dir, "job.sh"), "an argument"},
		Script: "#!/bin/sh\n" + script + "\n",
	}
}

func (b *bench) submit(t *testing.T, s client.Submission) int64 {
	t.Helper()
	id, err := b.s.Submit(t.Context(), s)
	if err != nil || id <= 0 {
		t.Fatalf("submitted %d: %v", id, err)
	}
	return id
}

// find is a job as it is listed; nil: it is not.
func (b *bench) find(t *testing.T, id int64) *client.Job {
	t.Helper()
	jobs, err := b.s.Jobs(t.Context(), slurmtest.Partition)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(jobs, func(j client.Job) bool { return j.ID == id })
	if i < 0 {
		return nil
	}
	return &jobs[i]
}

// when waits until a job is listed as someone wants it.
func (b *bench) when(t *testing.T, id int64, what string, so func(client.Job) bool) client.Job {
	t.Helper()
	var last *client.Job
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if last = b.find(t, id); last != nil && so(*last) {
			return *last
		}
	}
	t.Fatalf("job %d is not %s: %+v", id, what, last)
	return client.Job{}
}

func over(j client.Job) bool    { return j.State.Over() }
func running(j client.Job) bool { return j.State == client.Running }

func (b *bench) release(t *testing.T, id int64, nodes ...string) {
	t.Helper()
	if err := b.s.Release(t.Context(), id, nodes); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) runs(t *testing.T) {
	s := b.job(`id -un; id -gn; pwd; echo "$SLURMD_NODENAME"; printf '%s\n' "$WORD"; exit 7`)
	before := time.Now().Unix()
	id := b.submit(t, s)
	j := b.find(t, id)
	if j == nil {
		t.Fatal("it is not listed")
	}
	if j.State != client.Pending || !j.Held || j.Name != s.Name || j.Comment != s.Comment || j.User != b.alice ||
		!slices.Equal(j.Wanted, s.Nodes) || len(j.Nodes) != 0 || j.Submitted < before-1 || j.Started != 0 || j.Ended != 0 {
		t.Errorf("held, it is listed as %+v", *j)
	}
	if text, err := b.c.Run(t.Context(), "scontrol", "-o", "show", "job", fmt.Sprint(id)); err != nil {
		t.Error(err)
	} else {
		for _, want := range []string{"TimeLimit=00:02:00", "Requeue=0", "MinMemoryNode=64M", "NumNodes=1"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s is not in %s", want, text)
			}
		}
	}

	node := b.c.Nodes[2]
	b.release(t, id, node)
	j2 := b.when(t, id, "over", over)
	if j2.State != client.Failed || j2.Exit != 7 || j2.Signal != 0 || j2.Held || !slices.Equal(j2.Nodes, []string{node}) ||
		j2.Submitted != j.Submitted || j2.Started < j2.Submitted || j2.Ended < j2.Started {
		t.Errorf("over, it is listed as %+v", j2)
	}
	want := fmt.Sprintf("%s\n%s\n%s\n%s\n%s\n", b.alice, b.alice, b.dir, node, "a b\n\"c\"='$d'")
	if got := b.said(t, "out"); got != want {
		t.Errorf("it said %q, want %q", got, want)
	}
	if again := b.find(t, id); again == nil || again.Exit != 7 {
		t.Errorf("listed again it is %+v", again)
	}
}

func (b *bench) said(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(b.dir, file))
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

func (b *bench) strangeNames(t *testing.T) {
	for _, name := range []string{"a b", "ü|%A'\"`$(id)\\", "-x --hold", "two\nlines 1|PENDING|x", "\x1f1\x1f"} {
		s := b.job("true")
		s.Name, s.Comment = name, "c"+name
		id := b.submit(t, s)
		j := b.find(t, id)
		if j == nil || j.Name != name || j.Comment != s.Comment {
			t.Errorf("%q is listed as %+v", name, j)
		}
		b.cancel(t, id, false)
	}
}

func (b *bench) cancel(t *testing.T, id int64, urgent bool) {
	t.Helper()
	if err := b.s.Cancel(t.Context(), id, urgent); err != nil {
		t.Errorf("cancel job %d: %v", id, err)
	}
}

func (b *bench) longScript(t *testing.T) {
	line := "# " + strings.Repeat("x", 997) + "\n"
	s := b.job(strings.Repeat(line, 500) + "exit 3")
	id := b.submit(t, s)
	b.release(t, id, s.Nodes...)
	if j := b.when(t, id, "over", over); j.Exit != 3 {
		t.Errorf("it is %+v", j)
	}
}

// What a job may do was agreed on: lines of its script change nothing.
func (b *bench) scriptCannotAsk(t *testing.T) {
	s := b.job("#SBATCH --array=1-3\n#SBATCH --output=/dev/full\n#PBS -N other\n\n#SBATCH --exclusive\ngrep -c '[#].*SBATCH' \"$0\"")
	s.Output = filepath.Join(b.dir, "lines")
	id := b.submit(t, s)
	b.release(t, id, s.Nodes...)
	if j := b.when(t, id, "over", over); j.State != client.Completed || j.Name != "job" {
		t.Errorf("it is %+v", j)
	}
	if got := b.said(t, "lines"); got != "4\n" { // the three lines, and the one that counts
		t.Errorf("it counts %q", got)
	}
}

func (b *bench) refuses(t *testing.T) {
	for what, change := range map[string]func(*client.Submission){
		"user":      func(s *client.Submission) { s.User = "nobody-has-this-name" },
		"option":    func(s *client.Submission) { s.User = "-x" },
		"partition": func(s *client.Submission) { s.Partition = "nowhere" },
		"node":      func(s *client.Submission) { s.Nodes = []string{"nowhere7"} },
		"script":    func(s *client.Submission) { s.Script = "true\n" },
		"zero":      func(s *client.Submission) { s.Name = "a\x00b" },
	} {
		s := b.job("true")
		change(&s)
		id, err := b.s.Submit(t.Context(), s)
		if !errors.Is(err, client.ErrRefused) {
			t.Errorf("%s: submitted %d, %v; want refused", what, id, err)
		}
	}
	const unknown = 1 << 29
	if err := b.s.Release(t.Context(), unknown, b.c.Nodes[:1]); !errors.Is(err, client.ErrRefused) {
		t.Errorf("release a job that is not there: %v", err)
	}
	b.cancel(t, unknown, false)
	b.cancel(t, unknown, true)
}

// Slurm accepts held jobs that it can never run, and says so when they are released.
func (b *bench) impossible(t *testing.T) {
	for what, change := range map[string]func(*client.Submission){
		"memory": func(s *client.Submission) { s.MemoryMB = 1 << 20 },
		"nodes":  func(s *client.Submission) { s.Nodes, s.MemoryMB = b.c.Nodes[:2], 9000 },
	} {
		s := b.job("true")
		change(&s)
		id := b.submit(t, s)
		if j := b.find(t, id); j == nil || j.Impossible() {
			t.Errorf("%s: held, it is %+v", what, j)
		}
		b.release(t, id, s.Nodes...)
		b.when(t, id, "impossible", client.Job.Impossible)
		b.cancel(t, id, false)
	}
}

func (b *bench) cancels(t *testing.T) {
	held := b.submit(t, b.job("true"))
	b.cancel(t, held, false)
	if j := b.when(t, held, "over", over); j.State != client.Cancelled {
		t.Errorf("held and cancelled, it is %+v", j)
	}
	b.cancel(t, held, false) // once more is no error

	for _, urgent := range []bool{false, true} {
		s := b.job("sleep 1000")
		id := b.submit(t, s)
		b.release(t, id, s.Nodes...)
		b.when(t, id, "running", running)
		b.cancel(t, id, urgent)
		if j := b.when(t, id, "over", over); j.State != client.Cancelled && !(urgent && j.Signal == 9) {
			t.Errorf("cancelled (urgent: %t), it is %+v", urgent, j)
		}
	}
}

func (b *bench) manyNodes(t *testing.T) {
	s := b.job("srun --overcommit -n 9 sh -c 'echo $SLURMD_NODENAME' | sort -u")
	s.Nodes, s.Output = b.c.Nodes[:2], filepath.Join(b.dir, "nodes")
	s.Tasks, s.CPUs = 9, 7 // more than the nodes have processors: they share
	id := b.submit(t, s)
	b.release(t, id, s.Nodes...)
	j := b.when(t, id, "over", over)
	if j.State != client.Completed || !slices.Equal(j.Nodes, s.Nodes) || !slices.Equal(j.Wanted, s.Nodes) {
		t.Errorf("it is %+v", j)
	}
	if got, want := b.said(t, "nodes"), strings.Join(s.Nodes, "\n")+"\n"; got != want {
		t.Errorf("it ran on %q, want %q", got, want)
	}
}

func (b *bench) nodes(t *testing.T) {
	drained := b.c.Nodes[0]
	if _, err := b.c.Run(t.Context(), "scontrol", "update", "nodename="+drained, "state=drain", "reason=it smells of smoke"); err != nil {
		t.Fatal(err)
	}
	nodes, err := b.s.Nodes(t.Context(), slurmtest.Partition)
	if err != nil || len(nodes) != len(b.c.Nodes) {
		t.Fatalf("the nodes are %+v, %v", nodes, err)
	}
	for _, n := range nodes {
		is := n.Name == drained
		if !n.Up || n.Draining != is || n.Processors != 2 || n.MemoryMB != 8192 || n.Boot <= 0 || n.Slurmd <= 0 ||
			strings.HasPrefix(n.Reason, "it smells of smoke") != is {
			t.Errorf("a node is %+v", n)
		}
	}
	if _, err = b.c.Run(t.Context(), "scontrol", "update", "nodename="+drained, "state=resume"); err != nil {
		t.Fatal(err)
	}
	if nodes, err = b.s.Nodes(t.Context(), "nowhere"); len(nodes) > 0 {
		t.Errorf("a partition that is not there has %+v, %v", nodes, err)
	}
}

// While slurmctld is gone nothing is refused, and nothing is listed.
func (b *bench) away(t *testing.T) {
	if err := b.s.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	began, err := b.s.Began(t.Context())
	if err != nil || began > time.Now().Unix() || began < time.Now().Add(-time.Hour).Unix() {
		t.Errorf("slurmctld was started at %d: %v", began, err)
	}
	last := b.submit(t, b.job("true"))
	if err := b.c.Kill("slurmctld"); err != nil {
		t.Fatal(err)
	}
	calls := map[string]func(context.Context) error{
		"ping":    b.s.Ping,
		"submit":  func(ctx context.Context) error { _, err := b.s.Submit(ctx, b.job("true")); return err },
		"release": func(ctx context.Context) error { return b.s.Release(ctx, 1, b.c.Nodes[:1]) },
		"cancel":  func(ctx context.Context) error { return b.s.Cancel(ctx, 1, false) },
		"jobs":    func(ctx context.Context) error { _, err := b.s.Jobs(ctx, slurmtest.Partition); return err },
		"nodes":   func(ctx context.Context) error { _, err := b.s.Nodes(ctx, slurmtest.Partition); return err },
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	done := make(chan struct{})
	for what, call := range calls {
		go func() {
			defer func() { done <- struct{}{} }()
			if err := call(ctx); err == nil || errors.Is(err, client.ErrRefused) {
				t.Errorf("%s without slurmctld: %v", what, err)
			}
		}()
	}
	for range calls {
		<-done
	}
	if err := b.c.Restart(t.Context(), "slurmctld"); err != nil {
		t.Fatal(err)
	}
	// It writes its state down only now and then: that a node was resumed before this
	// may have been lost with it. Of one that need not be it says so.
	for _, node := range b.c.Nodes {
		_, _ = b.c.Run(t.Context(), "scontrol", "update", "nodename="+node, "state=resume")
	}
	if err := b.c.WaitNodes(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if anew, err := b.s.Began(t.Context()); err != nil || anew <= began && began != 0 {
		t.Errorf("slurmctld was started at %d, and then at %d: %v", began, anew, err)
	}
	// It may give numbers out again that nodes have run something under, and they would
	// run nothing else.
	id := b.submit(t, b.job("true"))
	for ; id <= last; id = b.submit(t, b.job("true")) {
		if err := b.s.Cancel(t.Context(), id, false); err != nil {
			t.Fatal(err)
		}
	}
	b.release(t, id, b.c.Nodes[1])
	if j := b.when(t, id, "over", over); j.State != client.Completed {
		t.Errorf("after the restart it is %+v", j)
	}
}

// What concerns Slurm alone is Slurm's to do: mail, and a signal before the limit.
func (b *bench) passes(t *testing.T) {
	s := b.job("trap 'echo signalled; exit 0' USR1\ni=0\nwhile [ $i -lt 900 ]; do sleep 0.1; i=$((i + 1)); done\nexit 3")
	s.Output = filepath.Join(b.dir, "signalled")
	s.MailType, s.MailUser = "END,FAIL", fmt.Sprintf("to-%d@example.org", time.Now().UnixNano())
	s.Signal, s.Limit = "B:USR1@60", time.Minute
	id := b.submit(t, s)
	b.release(t, id, s.Nodes...)
	if j := b.when(t, id, "over", over); j.State != client.Completed {
		t.Errorf("without the signal it is %+v", j)
	}
	if said, err := os.ReadFile(s.Output); err != nil || !strings.Contains(string(said), "signalled") {
		t.Errorf("said %q, %v", said, err)
	}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		sent, err := os.ReadFile(b.c.Mail())
		if err == nil && strings.Contains(string(sent), s.MailUser) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no mail to %s: %q, %v", s.MailUser, sent, err)
		}
	}
}
