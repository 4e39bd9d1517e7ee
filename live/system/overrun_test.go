package system_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// A job that keeps to its estimate has all it asked for, even if it has no money
// for more: what starting and measuring take is not held against it. The program
// counts its own start (getrusage), and works all the time: what it was measured to
// have declined is the fault of whoever measures, and is said.
func TestAnHonestEstimateIsEnough(t *testing.T) {
	requireCgroup(t)
	t.Parallel()
	for _, spare := range []string{"none", "proportional"} {
		t.Run("spare="+spare, func(t *testing.T) {
			b := newBazaar(t, terms{set: []string{"spare=" + spare}})
			b.hire("n1", "--cpus", "0", "--weight", "250")
			c := b.user("root", 1000)
			var ids []int64
			for _, cpu := range []time.Duration{time.Second, 1500 * time.Millisecond, 2 * time.Second} {
				r := v1.Request{
					Argv: busyProgram(cpu * 9 / 10), Dir: b.dir, Env: []string{"GOMAXPROCS=1"},
					EstimateMS: cpu.Milliseconds(), DeadlineMS: 4 * cpu.Milliseconds(),
				}
				q, err := c.Preview(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				r.Budget = &q.Price
				ids = append(ids, submit(t, c, r).ID)
			}
			for _, id := range ids {
				j := b.completed(id)
				if j.Charged != j.Price || len(j.Extensions) != 0 {
					t.Errorf("job %d: price %d, charged %d; extensions %+v", id, j.Price, j.Charged, j.Extensions)
				}
				t.Logf("job %d: used %d us, declined %d us", id, j.Tasks[0].CPUUS, j.Tasks[0].DeclinedUS)
			}
		})
	}
}

// A job that needs more than it said, and has no money for more, ends as its user
// chose.
func TestOverruns(t *testing.T) {
	requireCgroup(t)
	t.Parallel()
	b := newBazaar(t, terms{set: []string{"endings=papers"}}) // else who cannot pay is stopped, whatever was chosen
	b.hire("n1", "--cpus", "0,1")
	c := b.user("root", 1000)
	// It notes that it was asked to end, and takes its time; left alone it ends
	// after eight seconds.
	program := `trap 'echo asked >> %[1]s; sleep 0.3; echo gave up >> %[1]s; exit 9' TERM
echo began >> %[1]s; for i in $(seq 80); do sleep 0.1; done; echo ended >> %[1]s`
	for _, o := range []struct {
		choice v1.Overrun
		state  v1.State
		said   string
	}{
		{v1.OverrunStop, v1.Stopped, "began\nasked\ngave up\n"},
		{v1.OverrunKill, v1.Stopped, "began\n"},
		{v1.OverrunLate, v1.Completed, "began\nended\n"},
	} {
		t.Run(string(o.choice), func(t *testing.T) { // one after the other: alone, a job has a processor to itself
			file := b.at("said-" + string(o.choice))
			r := b.shell(fmt.Sprintf(program, file), 2*time.Second)
			r.DeadlineMS, r.GraceMS, r.Overrun = 60_000, 20_000, o.choice
			q, err := c.Preview(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			r.Budget = &q.Price
			j := b.ended(submit(t, c, r).ID)
			if j.State != o.state || text(t, file) != o.said || j.Charged != q.Price || j.Firm {
				t.Errorf("%s (%s), said %q, charged %d of %d, promised %t", j.State, j.Detail, text(t, file), j.Charged, q.Price, j.Firm)
			}
			if j.State == v1.Stopped && j.Reason != v1.ReasonOverrun {
				t.Errorf("because %s", j.Reason)
			}
		})
	}
	t.Run("with money", func(t *testing.T) { // it is given more, and pays for what it uses
		file := b.at("said-money")
		r := b.shell(fmt.Sprintf(program, file), 2*time.Second)
		r.DeadlineMS = 60_000
		j := b.completed(submit(t, c, r).ID)
		used := int64(0)
		for _, e := range j.Extensions {
			used += e.UsedMS
		}
		if len(j.Extensions) == 0 || used < 1000 || j.Charged <= j.Price || !j.Firm {
			t.Errorf("extensions %+v, charged %d, price %d, promised %t", j.Extensions, j.Charged, j.Price, j.Firm)
		}
	})
}

// A job that takes more than was sold to it, and has no money for more, is stopped by
// its node at that very moment: it gets no more than it paid for, and its budget is
// never exceeded. One that can pay goes on without standing still for long.
func TestABudgetIsNeverExceeded(t *testing.T) {
	requireCgroup(t)
	t.Parallel()
	b := newBazaar(t, terms{})
	b.hire("n1", "--cpus", "0", "--weight", "250")
	c := b.user("root", 1000)
	ask := func(budget bool) (v1.Quote, v1.Job) {
		r := v1.Request{
			Argv: busyProgram(3 * time.Second), Dir: b.dir, Env: []string{"GOMAXPROCS=1"}, EstimateMS: 1000, DeadlineMS: 60_000,
		}
		q, err := c.Preview(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if budget {
			r.Budget = &q.Price
		}
		return q, b.ended(submit(t, c, r).ID)
	}
	// An agent that waits for a processor for longer than it reckons with may be late; it is
	// not always.
	exact := false
	for tries := 0; tries < 6 && !exact; tries++ {
		q, j := ask(true)
		took := j.Tasks[0].CPUUS
		t.Logf("%s (%s), took %d us of 1 s, declined %d us, charged %d of %d, %d ms after it began", j.State, j.Detail, took,
			j.Tasks[0].DeclinedUS, j.Charged, q.Price, (j.EndedUS-j.StartedUS)/1000)
		if j.State != v1.Stopped || j.Reason != v1.ReasonOverrun {
			t.Errorf("ended %s, because %s", j.State, j.Reason)
		}
		if j.Charged > q.Price || len(j.Extensions) != 0 {
			t.Errorf("charged %d, its budget was %d; extensions %+v", j.Charged, q.Price, j.Extensions)
		}
		exact = took >= 900_000 && took <= 1_250_000
	}
	if !exact {
		t.Error("it never took just the second that was sold")
	}
	_, j := ask(false)
	t.Logf("%s, took %d us, %d ms after it began, extensions %+v", j.State, j.Tasks[0].CPUUS, (j.EndedUS-j.StartedUS)/1000, j.Extensions)
	if j.State != v1.Completed || j.Charged <= j.Price || len(j.Extensions) == 0 {
		t.Errorf("%s (%s), charged %d, price %d, extensions %+v", j.State, j.Detail, j.Charged, j.Price, j.Extensions)
	}
	b.verify()
}
