package policy

import "github.com/libra-market/libra/core/market"

// Working is what a price was worked out from, beyond the job itself and the
// settings of the policy: enough to do it again by hand.
type Working struct {
	Inputs [12]market.Input
	N      int
	// More is of a job whose price is a sum over its processors: those on which it
	// costs something else than on the one above.
	More []market.Input
}

func (w *Working) add(name, unit string, value float64) {
	w.Inputs[w.N] = market.Input{Name: name, Unit: unit, Value: value}
	w.N++
}
