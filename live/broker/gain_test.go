package broker_test

import (
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/web/webtest"
)

// An imprecise job goes to the cluster that gains most by it (003): the one whose
// processors have time for its optional part.
func TestTheLargestGainWins(t *testing.T) {
	busy := opened(t, "busy", func(o *trade.Open) { o.Policy, o.Settings = "mf-edf", nil })
	idle := opened(t, "idle", func(o *trade.Open) { o.Policy, o.Settings = "mf-edf", nil })
	busy.node(1, 1)
	idle.node(1, 1)
	w := behind(t, busy, idle).start()
	imprecise := func(name string) v1.Request {
		return job(name, wish("gain"), func(r *v1.Request) {
			r.EstimateMS, r.DeadlineMS = 10_000, 60_000
			r.Optional = &v1.Optional{WorkMS: 50_000, RateMicros: 1_000_000}
		})
	}
	// With nothing to choose between them it is the first of the file.
	if j := w.submit("alice", imprecise("a")); where(&j) != "busy" {
		t.Errorf("went to %s", where(&j))
	}
	if j := w.submit("alice", imprecise("b")); where(&j) != "idle" {
		t.Errorf("then to %s", where(&j))
	}
	q, err := w.as("alice").Preview(t.Context(), imprecise("c"))
	if err != nil || q.OptionalMost != 50e6 {
		t.Errorf("got %+v, %v", q, err)
	}
}

// opened is a market that is set as a test wants it.
func opened(t *testing.T, name string, change func(*trade.Open)) *cluster {
	t.Helper()
	return serve(t, name, webtest.Open(t, change))
}
