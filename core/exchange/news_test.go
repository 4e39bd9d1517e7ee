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
