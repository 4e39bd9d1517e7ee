package sim

import (
	"fmt"
	"iter"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
)

// Step is all that happened at one instant of a log.
type Step struct {
	At       market.Time
	Happened []market.Event
}

// Replay drives a cluster through what was recorded of another, live or
// simulated: the same steps in the same order, whatever the cluster asks for.
// The same cluster says the same again; one with another policy, or in another
// state, may come to a step that makes no sense to it, and that is an error.
//
// See is shown what is said at every step. It holds only during the call.
func Replay(c *cluster.Cluster, log iter.Seq2[Step, error], see func(at market.Time, said []market.Event)) error {
	steps := 0
	for step, err := range log {
		if err != nil {
			return fmt.Errorf("step %d: %w", steps, err)
		}
		said, err := c.Step(step.At, step.Happened)
		if err != nil {
			return fmt.Errorf("step %d, at %v: %w", steps, step.At, err)
		}
		if see != nil {
			see(step.At, said)
		}
		steps++
	}
	return nil
}
