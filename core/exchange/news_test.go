package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Asking what is news changes nothing; what is only observed is shown, and is in
// no snapshot.
func TestAskingChangesNothing(t *testing.T) {
	f := open(t, "libra", 1)
	id := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 40_000}).Job.ID
	f.wait(4)
	before := encode(t, f.x)
	said := []task.Status{{Key: task.Key{Job: id}, State: task.Running, CPUUS: 1_000_000}}
	if fresh := f.x.News("", said); len(fresh) != 1 {
		t.Fatalf("%d news", len(fresh))
	}
	if shown := f.job(id).Tasks[0].CPUUS; shown != 0 || string(before) != string(encode(t, f.x)) {
		t.Errorf("asking changed something: %d", shown)
	}
	f.x.Observe("n1", f.now, said)
	if shown := f.job(id).Tasks[0].CPUUS; shown != 1_000_000 || string(before) != string(encode(t, f.x)) {
		t.Errorf("observed: %d", shown)
	}
}

// A job that was told to end, cannot pay for more and does not end is killed at the
// next look, whatever its grace: of what nodes say, that it still takes time is
// news, however well it was reckoned.
func TestWhoTakesTimeAfterItsEndIsNews(t *testing.T) {
	for _, name := range []string{"libra", "libra-plus", "fcfs-bf", "fifo", "edf-bf"} {
		for _, deadline := range []int64{0, 30_000} {
			f := openLive(t, name, 1, nil)
			b := int64(1_200_000)
			o := f.submit(alice, trade.Request{Argv: []string{"deaf"}, EstimateMS: 1_000, DeadlineMS: deadline, GraceMS: 600_000, Budget: &b})
			if o.Refusal != nil {
				t.Fatalf("%s: %+v", name, o.Refusal)
			}
			took, killed := 0.0, 0
			for second := 1; second <= 30 && killed == 0; second++ {
				orders := f.x.Orders("n1")
				f.wait(0.9)
				f.do(trade.Command{Tick: &trade.Tick{}})
				f.wait(0.1)
				took += orders[0].CPU
				said := []task.Status{{Key: task.Key{Job: o.Job.ID}, State: task.Running, CPUUS: int64(took * 1e6)}}
				if fresh := f.x.News("n1", said); len(fresh) > 0 {
					f.do(trade.Command{Report: &trade.Measured{Tasks: fresh}})
				}
				if orders = f.x.Orders("n1"); orders[0].Stop == task.Kill {
					killed = second
				}
			}
			if killed == 0 || took > 5 {
				t.Errorf("%s, deadline %d: killed after %d s, with %.2f s of work for 1 s of money", name, deadline, killed, took)
			}
		}
	}
}
