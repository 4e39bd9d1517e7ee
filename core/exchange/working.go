package exchange

import (
	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// prepareWorking notes how the price of a job came about that was just quoted or
// taken in: the formula of the policy, with what went into it beside the
// settings.
func (x *pricer) prepareWorking(j *underway.Job, asked *market.Job) {
	w := trade.Working{Inputs: j.Request.Inputs(asked)}
	if x.epoch().Setting("scale") == "rates" {
		w.Inputs = append(w.Inputs, market.Input{Name: "rate", Value: float64(x.rates.Base().Processor), Unit: "1/s"})
	}
	if p := x.epoch().Policy; p == "libra-plus" || p == "make-way" || p == "going-rate" {
		more := x.cluster.Working()
		w.Inputs = append(append(w.Inputs, more.Inputs[:more.N]...), more.More...)
	}
	w.Formula = epoch.Formula(x.epoch(), w.Inputs)
	if r := &j.Request; x.pieces(r, int(asked.Width)) != 1 && !trade.Bids(w.Formula) { // what is bid is bid
		w.InRoom(r.Array.Len(), int(asked.Width)/r.PerProgram())
	}
	w.InPartition(x.rates.Factor(j.Request.Partition))
	if s := j.Storage; s != nil {
		w.Inputs = append(w.Inputs, s.Inputs(&x.rates, asked)...)
		w.Formula = s.With(w.Formula)
	}
	if asked.Optional > 0 {
		w.Formula += executedToo
	}
	j.Working, j.Repriced = w, true
}

// executedToo is what the optional part adds to a formula.
const executedToo = ", and rate * seconds executed of O"
