package journal

import (
	"testing"

	"github.com/libra-market/libra/core/market"
)

// There is a step of every command: what it said is written down in one piece.
func TestAStepIsWrittenInOnePiece(t *testing.T) {
	of := func(n int) float64 {
		out := make([]market.Event, n)
		for i := range out {
			out[i] = market.Event{Kind: market.Accepted, Job: market.JobID(i)}
		}
		return testing.AllocsPerRun(100, func() { NewStep(1, nil, out) })
	}
	one, eight := of(1), of(8)
	if each := one - 1; eight > 1+8*each { // a list, and what each has of its own
		t.Errorf("a step with one event makes %v things, with eight %v", one, eight)
	}
}
