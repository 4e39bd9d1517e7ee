package trial

import (
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/workload"
)

// Estimates is whose estimates the policies see.
type Estimates string

// The kinds of estimates.
const (
	UsualEstimates Estimates = ""      // those of the model or the file; exact for a policy that takes them to be
	GivenEstimates Estimates = "given" // those of the file
	ExactEstimates Estimates = "exact" // real runtimes
)

// Valid reports whether there is such a kind.
func (e Estimates) Valid() bool {
	return e == UsualEstimates || e == GivenEstimates || e == ExactEstimates
}

// Exact reports whether a policy is shown real runtimes as estimates.
func (e Estimates) Exact(kind policy.Kind) bool {
	return e == ExactEstimates || e == UsualEstimates && kind.ExactEstimates
}

// Inaccuracy is the setting of the libra-plus model that changes estimates.
const Inaccuracy = "inaccuracy"

// Agree gives the jobs the agreements of a model. The model writes estimates too;
// who asks for the given ones gets those of the file back, unless he also says how
// inaccurate the model is to be.
func (e Estimates) Agree(model Model, settings []Setting, arrivals []workload.Arrival, seed uint64) error {
	var given []market.Work
	if e == GivenEstimates && !IsSet(settings, Inaccuracy) {
		given = make([]market.Work, len(arrivals))
		for i := range arrivals {
			given[i] = arrivals[i].Job.Estimate
		}
	}
	err := model.Apply(arrivals, seed)
	for i := range given {
		arrivals[i].Job.Estimate = given[i]
	}
	return err
}
