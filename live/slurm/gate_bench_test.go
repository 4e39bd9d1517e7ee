package slurm

import (
	"fmt"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/limit"
)

// crowd is a backend before a Slurm that enforces limits, with so many jobs of eight users that
// it has, and that Slurm counted when it was asked.
func crowd(tb testing.TB, jobs int) *Backend {
	tb.Helper()
	b, n := idle(tb, Agents)
	d := task.Desired{Version: 2, LeaseMS: 60_000}
	for id := range jobs {
		d.Orders = append(d.Orders, task.Order{Spec: task.Spec{
			Key: task.Key{Job: int64(id) + 10}, Size: 1, Nodes: []string{"n1"}, User: fmt.Sprintf("u%d", id%8), Argv: []string{"true"}, Memory: 1 << 30,
		}, CPU: 0.5})
	}
	b.applyOrders(n, &d)
	for _, r := range b.runs {
		r.state = held
	}
	w := b.gate.wicket("libra")
	w.site, w.asked = limit.Read(limit.Said{
		Config:    "AccountingStorageEnforce = limits\n",
		Partition: "PartitionName=libra\n",
		Manager:   "ClusterName=c Account=physics UserName=u1(7) Partition= ID=3\n    DefAssoc=Yes\n    MaxJobs=1000000(0)\n",
	}), noon
	w.took(w.site, b.had(had{}))
	return b
}

// once lets one job of a user in, and out again.
func once(tb testing.TB, b *Backend) {
	tb.Helper()
	ticket, over := b.Admit(tb.Context(), "u1", &trade.Request{EstimateMS: 1000}, false)
	if over != nil || ticket == nil {
		tb.Fatal(over)
	}
	b.Settle(ticket, 0)
}

// BenchmarkAdmit is what a job costs that is held against Slurm's limits, with all that the
// market has there.
func BenchmarkAdmit(b *testing.B) {
	for _, jobs := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("jobs-%d", jobs), func(b *testing.B) {
			crowded := crowd(b, jobs)
			b.ReportAllocs()
			for b.Loop() {
				once(b, crowded)
			}
		})
	}
}

// Who hands a job in waits for all that are there to be added up, and everybody else for the lock:
// that is done in passing, without a list of them.
func TestToAddUpManyJobsMakesNoList(t *testing.T) {
	made := func(jobs int) float64 {
		b := crowd(t, jobs)
		return testing.AllocsPerRun(10, func() { once(t, b) })
	}
	if few, many := made(50), made(2000); many > 2*few+100 { // others may be at work beside it
		t.Errorf("with 50 jobs %v things are made, with 2000 %v", few, many)
	}
}

// BenchmarkAdmitAmong is what it costs where many wait in Slurm, and where many users have jobs and QOS count.
func BenchmarkAdmitAmong(b *testing.B) {
	b.Run("waiting", func(b *testing.B) {
		crowded := crowd(b, 10)
		for job := range int64(10_000) {
			crowded.standIns.of[job+100_000] = &standIn{User: "u1", Partition: "libra"}
		}
		w := crowded.gate.wicket("libra")
		w.took(w.site, crowded.had(had{}))
		for b.Loop() {
			once(b, crowded)
		}
	})
	b.Run("users", func(b *testing.B) {
		crowded := crowd(b, 10)
		manager, choices := "", ""
		for i := range 1000 {
			r := crowded.newRun(runKey{int64(i) + 1000, 0}, 0)
			r.setOrder(&task.Order{Spec: task.Spec{Key: task.Key{Job: int64(i) + 1000}, Size: 1, Nodes: []string{"n1"}, User: fmt.Sprintf("u%d", i), Argv: []string{"true"}}})
			manager += fmt.Sprintf("ClusterName=c Account=physics UserName=u%d(%d) Partition= ID=%d\n    DefAssoc=Yes\n    MaxJobs=1000000(0)\n", i, i+7, i+10)
			choices += fmt.Sprintf("physics|u%d|||high,normal\n", i)
		}
		w := crowded.gate.wicket("libra")
		w.site = limit.Read(limit.Said{
			Config:    "AccountingStorageEnforce = limits,qos\n",
			Partition: "PartitionName=libra\n",
			Manager:   "ClusterName=c Account=root UserName= Partition= ID=1\n    GrpJobs=100000(0)\nClusterName=c Account=physics UserName= Partition= ID=2\n    ParentAccount=root(1)\n    GrpJobs=100000(0)\n" + manager + "\nQOS=normal(1)\n    GrpJobs=100000(0)\n",
			Granted:   limit.Granted{Choices: choices, Qualities: "normal|100|||||||||\n"},
		})
		w.took(w.site, crowded.had(had{}))
		for b.Loop() {
			once(b, crowded)
		}
	})
}
