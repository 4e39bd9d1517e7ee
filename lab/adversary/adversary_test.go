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
			r := w.Try(&strategies[i])
			if why := r.Failed(); why != "" {
				t.Errorf("seed %d, %s: %s", seed, r.Strategy, why)
			}
		}
	}
}
