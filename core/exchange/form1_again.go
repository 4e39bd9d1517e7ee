package exchange

import (
	"math"

	"github.com/libra-market/libra/core/market"
)

// Again carries out a command of a log of form 1, which says what was asked and not
// what came of it. What that form's program took is taken, and a job has the number
// that the steps of the entry say: numbers that were used up by requests that failed
// are in no entry.
func (x *Exchange) Again(at int64, c Command, steps []Step) (Outcome, error) {
	for i := range steps {
		for k := range steps[i].In {
			if e := &steps[i].In[k]; e.Spec != nil {
				x.next = max(x.next, e.Job)
			}
		}
	}
	x.again = true
	defer func() { x.again = false }()
	return x.Do(at, c)
}

// validate says what is wrong with a request.
func (x *Exchange) validate(r *Request) error {
	if x.again {
		return r.asBefore().Validate()
	}
	return r.Validate()
}

// validateTerms is validate without the program.
func (x *Exchange) validateTerms(r *Request) error {
	if x.again {
		return r.asBefore().ValidateTerms()
	}
	return r.ValidateTerms()
}

// asBefore is a request as the first version saw it: it looked at 32 bits of the
// threads.
func (r *Request) asBefore() *Request {
	was := *r
	was.Threads = int(low32(r.Threads))
	return &was
}

// low32 is what the core saw of a number in the first version: 32 of its bits.
// Today's were checked and lose none; a job of an old store keeps what it was taken
// for.
func low32(n int) int32 {
	n &= math.MaxUint32
	if n > math.MaxInt32 {
		n -= 1 << 32
	}
	return market.Int32(n)
}
