package main

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/model"
)

// onlyOne is a Slurm in which each user may run one job at a time.
func onlyOne(f *model.Slurm) {
	f.Config = "AccountingStorageEnforce = associations,limits\n"
	f.Manager = "ClusterName=c Account=physics UserName=eve(7) Partition= ID=3\n    DefAssoc=Yes\n    MaxJobs=1(0)\n" +
		"ClusterName=c Account=physics UserName=bob(8) Partition= ID=4\n    DefAssoc=Yes\n    MaxJobs=1(0)\n"
}

// A job whose time comes while a limit of Slurm's is full waits until there is room, and is sold then; meanwhile it
// costs nothing, and its user is told what it waits for. One whose deadline has passed by then is refused with that.
func TestWhoseTimeComesWhileALimitIsFull(t *testing.T) {
	m := openBench(t, "libra", onlyOne, "eve", "bob")
	hand := func(user string, takes string, change func(*trade.Request)) int64 {
		t.Helper()
		r := trade.Request{Argv: []string{"takes " + takes + " exit 0"}, EstimateMS: 1000, DeadlineMS: 600_000}
		change(&r)
		o := m.do(user, trade.Command{Submit: &trade.Submit{Request: r}})
		if o.Refusal != nil {
			t.Fatalf("%s is refused: %+v", user, o.Refusal)
		}
		return o.Job.ID
	}
	is := func(id int64, want trade.State) func() bool {
		return func() bool {
			j, err := m.Controller.Job(t.Context(), id)
			if err == nil && j.State == trade.Rejected && want != trade.Rejected {
				t.Fatalf("job %d is refused: %s", id, j.Detail)
			}
			return err == nil && j.State == want
		}
	}
	waitsFor := func(id int64, what string) func() bool {
		return func() bool {
			e, err := m.Explain(t.Context(), id)
			return err == nil && string(e.State) == string(trade.Held) && e.Summary == "waits for "+what
		}
	}
	gone := hand("eve", "1s", func(*trade.Request) {})
	m.await("the first has ended", is(gone, trade.Completed))
	long := hand("eve", "300s", func(r *trade.Request) { r.EstimateMS = 300_000 })
	const full = "room within MaxJobs=1 of user eve in account physics"
	var waits []int64
	for _, change := range []func(*trade.Request){
		func(r *trade.Request) { r.BeginMS = 100 },
		func(r *trade.Request) { r.AfterBegun = []trade.Begun{{Job: long}} },
		func(r *trade.Request) { r.AfterAny = []int64{gone} }, // which has ended long ago
	} {
		waits = append(waits, hand("eve", "1s", change))
	}
	short := hand("eve", "1s", func(r *trade.Request) { r.BeginMS, r.EstimateMS, r.DeadlineMS = 100, 5000, 8000 })
	other := hand("bob", "1s", func(r *trade.Request) { r.BeginMS = 100 })
	for _, id := range waits {
		m.await("it waits for a limit", waitsFor(id, full))
		if j, err := m.Controller.Job(t.Context(), id); err != nil || j.Price != 0 || j.Held != 0 {
			t.Errorf("it costs something: %+v, %v", j, err)
		}
	}
	m.await("another's is none of its business", is(other, trade.Completed))
	m.await("its deadline", is(short, trade.Rejected))
	if j, err := m.Controller.Job(t.Context(), short); err != nil || !strings.HasSuffix(j.Detail, "it waited for "+full) || j.Charged != 0 {
		t.Errorf("it is told %q and pays %d, %v", j.Detail, j.Charged, err)
	}
	m.do("eve", trade.Command{Cancel: &trade.Cancel{Job: long}})
	for _, id := range waits {
		m.await("there is room", is(id, trade.Completed))
	}
	m.slurm.Mu.Lock()
	defer m.slurm.Mu.Unlock()
	for comment, n := range m.slurm.Starts {
		if n > 1 {
			t.Errorf("%s began %d times", comment, n)
		}
	}
}
