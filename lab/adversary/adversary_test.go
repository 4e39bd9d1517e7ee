package adversary

import "testing"

// No strategy pays, in the first worlds; make adversaries tries ten thousand.
func TestNoStrategyEarns(t *testing.T) {
	const worlds = 6
	strategies := Strategies()
	if len(strategies) < 12 {
		t.Fatalf("%d strategies", len(strategies))
	}
	for seed := range uint64(worlds) {
		w := NewWorld(seed)
		for i := range strategies {
			tried(t, w, &strategies[i])
		}
	}
}

// Worlds in which something was found once.
func TestWorldsOnceFound(t *testing.T) {
	for _, c := range []struct {
		seed     uint64
		strategy string
	}{
		{351, "tiny"},         // forty jobs past their deadlines, not measured yet, had all of the processors
		{2470, "open-end"},    // a quiet market, in which the last command was long ago
		{2617, "crumbs-over"}, // the same
	} {
		for _, s := range Strategies() {
			if s.Name == c.strategy {
				tried(t, NewWorld(c.seed), &s)
			}
		}
	}
}

func tried(t *testing.T, w *World, s *Strategy) {
	t.Helper()
	r := w.Try(s)
	if why := r.Failed(); why != "" {
		t.Errorf("seed %d, %s: %s", r.Seed, r.Strategy, why)
	}
}
