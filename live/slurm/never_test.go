package slurm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// A program that cannot begin is told from one that ended like a shell that did not
// find one.
func TestAProgramThatCannotBegin(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, s *task.Spec)
		want   int
		why    string
	}{
		"a script without its interpreter": {
			func(_ *testing.T, s *task.Spec) { s.Script, s.Argv = []byte("#!/no/such/sh -x\n"), nil }, -int(noProgram), "no such program: /no/such/sh",
		},
		"a program without its interpreter": {func(t *testing.T, s *task.Spec) {
			write(t, s, "tool", "#! \t/no/such/sh -x\n")
			s.Argv = []string{"./tool"}
		}, -int(noProgram), "no such program: ./tool"},
		"a program with one": {func(t *testing.T, s *task.Spec) {
			write(t, s, "tool", "#! /bin/sh -e\nexit 3\n")
			s.Argv = []string{"./tool"}
		}, 3, ""},
		"a program without a first line": {func(t *testing.T, s *task.Spec) {
			write(t, s, "tool", "exit 4\n")
			s.Argv = []string{"./tool"}
		}, 4, ""},
		"a program on its own path": {func(t *testing.T, s *task.Spec) {
			write(t, s, "the tool", "#!/bin/sh\nexit 5\n")
			s.Argv, s.Env = []string{"the tool"}, []string{"PATH=/no/such:" + s.Dir}
		}, 5, ""},
		"a program that is not on its path": {func(_ *testing.T, s *task.Spec) {
			s.Argv, s.Env = []string{"ls"}, []string{"PATH=/no/such"}
		}, -int(noProgram), "no such program: ls"},
		"output in no directory": {func(_ *testing.T, s *task.Spec) { s.Output = "/no/such/file" }, -int(noOutput), "output cannot be opened: /no/such/file or out"},
		"an array": {func(_ *testing.T, s *task.Spec) {
			s.Elements, s.Output, s.Error = []int{1, 2}, "no/%a", "no/%a"
		}, -int(noOutput), "output cannot be opened: no/%a"},
		"half an array": {func(t *testing.T, s *task.Spec) {
			if err := os.Mkdir(filepath.Join(s.Dir, "2"), 0o755); err != nil {
				t.Fatal(err)
			}
			s.Elements, s.Output, s.Error = []int{1, 2}, "%a/out", "%a/out"
		}, noOutput.code(), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := aTask(t)
			s.Argv = []string{"true"}
			c.change(t, &s)
			got := inShell(t, []task.Spec{s})
			if got != c.want {
				t.Errorf("ended with %d, want %d", got, c.want)
			}
			if got < 0 && !strings.HasPrefix(cause(-got).of(&s), c.why) {
				t.Errorf("it says %q, want %q", cause(-got).of(&s), c.why)
			}
		})
	}
	ranks := aTask(t)
	ranks.Size, ranks.Nodes, ranks.Argv = 2, []string{"n1", "n2"}, []string{"there-is-none"}
	specs := []task.Spec{ranks, ranks}
	specs[1].Rank = 1
	if got := inShell(t, specs); got != -int(noProgram) {
		t.Errorf("ranks: ended with %d", got)
	}
}

func write(t *testing.T, s *task.Spec, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// What never began owes nothing, so a program that says so of itself is measured.
func TestNobodyClaimsThatItNeverBegan(t *testing.T) {
	spec := task.Spec{Dir: "/x", Argv: []string{"foo"}, Size: 1}
	for name, c := range map[string]struct {
		job     client.Job
		control Control
		used    time.Duration
		want    task.State
		why     string
	}{
		"Slurm could not open it":     {client.Job{State: client.Failed, Signal: 53}, Agents, 20 * time.Millisecond, task.Refused, "directory /x, or output in it, cannot be opened: "},
		"it never did":                {client.Job{State: client.Failed, Signal: int(noDirectory)}, Agents, 20 * time.Millisecond, task.Refused, "no such directory: /x"},
		"it worked":                   {client.Job{State: client.Failed, Signal: int(noDirectory)}, Agents, time.Second, task.Ended, "it ran, and ended as if it never had"},
		"it never did, by a watch":    {client.Job{State: client.Failed, Signal: int(noProgram), Started: 10, Ended: 10}, None, 0, task.Refused, "no such program: foo"},
		"it worked, by a watch":       {client.Job{State: client.Failed, Signal: int(noProgram), Started: 10, Ended: 12}, None, 0, task.Ended, "it ran"},
		"cancelled before it began":   {client.Job{State: client.Cancelled}, Agents, 0, task.Refused, "cancelled in Slurm before it began"},
		"Slurm forgot that it ran":    {client.Job{State: client.Cancelled}, Agents, time.Minute, task.Ended, "it ran"},
		"cancelled while it ran":      {client.Job{State: client.Cancelled, Nodes: []string{"n1"}}, Agents, 0, task.Ended, "cancelled in Slurm"},
		"Slurm could not start it":    {client.Job{State: client.Failed}, Agents, 0, task.Refused, "Slurm could not start it"},
		"a signal of somebody else's": {client.Job{State: client.Failed, Signal: 50}, Agents, 0, task.Ended, ""},
	} {
		r := &run{size: 1, orders: map[int]task.Order{0: {Spec: spec}}, statuses: map[int]task.Status{0: {CPUUS: c.used.Microseconds()}}}
		r.end = &ending{verdict: verdictOf(&c.job)}
		s := r.status(0, c.control)
		if s.State != c.want || !strings.HasPrefix(s.Error, c.why) || s.Good() {
			t.Errorf("%s: %+v", name, s)
		}
		if s.Cancelled != (c.job.State == client.Cancelled) {
			t.Errorf("%s: cancelled is %v", name, s.Cancelled)
		}
		if r.stop = terminated; r.status(0, c.control).Cancelled {
			t.Errorf("%s: cancelled by the market, and said to be by its user", name)
		}
	}
}

// Who sleeps on a whole node, and then says that it never began, has had it: of what it declined
// no more is forgiven than a slow disk takes.
func TestNobodySleepsForNothing(t *testing.T) {
	for declined, want := range map[time.Duration]task.State{40 * time.Second: task.Refused, time.Hour: task.Ended} {
		for _, processors := range []int{1, 8} {
			spec := task.Spec{Dir: "/x", Argv: []string{"foo"}, Size: 1, Threads: processors}
			r := &run{size: 1, orders: map[int]task.Order{0: {Spec: spec}}, statuses: map[int]task.Status{0: {CPUUS: 20_000, DeclinedUS: declined.Microseconds() * int64(processors)}}}
			r.end = &ending{verdict: verdictOf(&client.Job{State: client.Failed, Signal: int(noDirectory)})}
			if s := r.status(0, Agents); s.State != want {
				t.Errorf("after %s of %d processors: %+v", declined, processors, s)
			}
			r.end = &ending{verdict: verdictOf(&client.Job{State: client.Failed})}
			if s := r.status(0, Agents); s.State != task.Refused {
				t.Errorf("Slurm could not start it: %+v", s)
			}
		}
	}
}

// Where only Slurm measures, a busy machine may take seconds to find that there is no
// program: nobody is charged for that, and nobody lives on claiming it.
func TestABusyMachineChargesNobody(t *testing.T) {
	now := time.Unix(1000, 0)
	b := &Backend{cfg: Config{Control: None, Now: func() time.Time { return now }}, claims: claims{}}
	claims := func(user string, threads int, seconds int64) task.State {
		r := &run{size: 2, orders: map[int]task.Order{}, statuses: map[int]task.Status{}}
		for rank := range 2 {
			r.orders[rank] = task.Order{Spec: task.Spec{Dir: "/x", Argv: []string{"foo"}, Size: 2, Threads: threads, User: user}}
		}
		r.end = &ending{verdict: verdictOf(&client.Job{State: client.Failed, Signal: int(noProgram), Started: 10, Ended: 10 + seconds})}
		for range 3 { // a report may have to be sent again
			b.weigh(r)
		}
		if a, b := r.status(0, None).State, r.status(1, None).State; a != b {
			t.Errorf("one rank %s, the other %s", a, b)
		}
		return r.status(0, None).State
	}
	for i, c := range []struct {
		user    string
		threads int
		seconds int64
		want    task.State
	}{
		{"ann", 1, 9, task.Refused},
		{"ann", 1, 0, task.Refused},
		{"eve", 1, 31, task.Ended},
		{"eve", 1, 30, task.Refused},
		{"eve", 1, 2, task.Ended}, // on two processors for 30 s, that was all
		{"eve", 1, 1, task.Refused},
		{"eve", 99, 1, task.Refused},
		{"eve", 1, 1, task.Ended}, // and that all of a second
		{"eve", 64, 0, task.Refused},
		{"ann", 1, 21, task.Refused},
		{"ann", 1, 2, task.Ended},
		{"bob", 64, 6, task.Ended},
		{"bob", 64, 5, task.Refused}, // the first of the hour
		{"bob", 1, 2, task.Ended},
		{"kim", 1, 1, task.Refused},
		{"kim", 128, 1, task.Ended},
		{"kim", 8, 3, task.Refused},
	} {
		if got := claims(c.user, c.threads, c.seconds); got != c.want {
			t.Errorf("%d: %s after %d s on %d processors: %s, want %s", i, c.user, c.seconds, 2*c.threads, got, c.want)
		}
	}
	for range 100 { // of two processors, a whole hour's
		if claims("sue", 1, 1) != task.Refused {
			t.Fatal("an honest mistake in an array is charged")
		}
	}
	if now = now.Add(time.Hour); claims("eve", 1, 2) != task.Refused {
		t.Error("an hour later it is not believed again")
	}
}
