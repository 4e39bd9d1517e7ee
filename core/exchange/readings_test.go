package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// What nodes measure of jobs that go on is said of each all the time: it is written in
// a few bytes, and jobs of which more is new are written whole.
func TestWhatIsMeasuredIsWrittenShort(t *testing.T) {
	f := openLive(t, "libra", 4, nil)
	var keys []task.Key
	for range 8 {
		keys = append(keys, task.Key{Job: f.submit(alice, trade.Request{EstimateMS: 20_000, DeadlineMS: 90_000}).Job.ID})
	}
	measure := func(seconds float64) (whole, bytes int) {
		t.Helper()
		var said []task.Status
		for _, k := range keys {
			said = append(said, task.Status{Key: k, State: task.Running, CPUUS: int64(seconds * 1e6)})
		}
		if _, err := f.x.Do(f.now, trade.Command{Report: &trade.Measured{Tasks: said}}); err != nil {
			t.Fatal(err)
		}
		facts := f.x.Effects().Facts
		f.follow(&facts)
		return len(facts.Jobs), len(asJSON(f.TB, &facts))
	}
	f.wait(2)
	if whole, _ := measure(0.1); whole != len(keys) {
		t.Errorf("%d of %d that begin are written whole", whole, len(keys))
	}
	f.wait(2)
	whole, bytes := measure(0.3)
	if whole != 0 || bytes > 300+100*len(keys) {
		t.Errorf("%d jobs are written whole, %d bytes for %d", whole, bytes, len(keys))
	}
	f.recover()
	f.wait(2)
	measure(0.5)
	f.compare()
}

// A job that was presumed to be behind, because nobody had said how far it is, no longer
// is when somebody has. The log knows.
func TestWhoIsMeasuredIsPresumedNoLonger(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	id := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000}).Job.ID
	f.used(task.Key{Job: id}, 0.1)
	presumed := func() bool {
		t.Helper()
		s := f.x.Snapshot()
		return s.Cluster.Book.Running[0].Presumed
	}
	f.wait(15)
	if !presumed() {
		t.Fatal("nobody has said how far it is, and it is not presumed to be behind")
	}
	f.used(task.Key{Job: id}, 5)
	if presumed() {
		t.Fatal("it was measured")
	}
	f.compare()
}
