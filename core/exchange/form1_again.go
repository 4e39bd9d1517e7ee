package exchange

import (
	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// Again carries out a command of a log of form 1, which says what was asked and not
// what came of it. What that form's program took is taken, and a job has the number
// that the steps of the entry say: numbers that were used up by requests that failed
// are in no entry.
func (x *Exchange) Again(at int64, c trade.Command, steps []journal.Step) (trade.Outcome, error) {
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
func (x *door) validate(r *trade.Request) error {
	if x.again {
		return r.AsBefore().Validate()
	}
	return r.Validate()
}

// validateTerms is validate without the program.
func (x *door) validateTerms(r *trade.Request) error {
	if x.again {
		return r.AsBefore().ValidateTerms()
	}
	return r.ValidateTerms()
}

// noteWorking notes how the price of a job came about; of one of form 1 in its words,
// which are on quotes that people have.
func (x *pricer) noteWorking(j *underway.Job, asked *market.Job) {
	x.prepareWorking(j, asked)
	if !x.again {
		return
	}
	j.Working.Formula = epoch.FormulaOfBefore(x.epoch().Policy)
	if asked.Optional > 0 {
		j.Working.Formula += executedToo
	}
}
