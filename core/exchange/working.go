package exchange

import (
	"strings"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// prepareWorking notes how the price of a job came about that was just quoted or
// taken in: the formula of the policy, with what went into it beside the
// settings.
func (x *pricer) prepareWorking(j *underway.Job, asked *market.Job) {
	w := trade.Working{Inputs: []market.Input{
		{Name: "E", Value: float64(asked.Estimate), Unit: "s"},
		{Name: "procs", Value: float64(asked.Width), Unit: ""},
	}}
	if asked.SLA.Deadline.Finite() {
		w.Inputs = append(w.Inputs, market.Input{Name: "D", Value: float64(asked.SLA.Deadline), Unit: "s"})
	}
	if b := j.Request.Budget; b != nil {
		w.Inputs = append(w.Inputs, market.Input{Name: "B", Value: float64(market.Money(*b).Price()), Unit: ""})
	}
	if asked.Optional > 0 {
		w.Inputs = append(w.Inputs, market.Input{Name: "O", Value: float64(asked.Optional), Unit: "s"}, market.Input{Name: "rate", Value: float64(market.Money(j.Request.Optional.RateMicros).Price()), Unit: "1/s"})
	}
	if x.epoch().Setting("scale") == "rates" {
		w.Inputs = append(w.Inputs, market.Input{Name: "rate", Value: float64(x.rates.Base().Processor), Unit: "1/s"})
	}
	if p := x.epoch().Policy; p == "libra-plus" || p == "make-way" || p == "going-rate" {
		more := x.cluster.Working()
		w.Inputs = append(append(w.Inputs, more.Inputs[:more.N]...), more.More...)
	}
	w.Formula = epoch.Formula(x.epoch(), w.Inputs)
	if r := &j.Request; x.pieces(r, int(asked.Width)) != 1 {
		n, lanes := r.Array.Len(), int(asked.Width)
		w.Inputs = append(w.Inputs, market.Input{Name: "elements", Value: float64(n)}, market.Input{Name: "room", Value: float64(lanes * ((n + lanes - 1) / lanes))})
		w.Formula = "elements / room * (" + w.Formula + ")"
	}
	if f := x.rates.Factor(j.Request.Partition); f != 0 && !trade.Bids(w.Formula) {
		w.Inputs = append(w.Inputs, market.Input{Name: bill.PartitionRate, Value: float64(trade.Times(1, f))})
		arithmetic, words, _ := strings.Cut(w.Formula, ", ")
		w.Formula = strings.TrimSuffix(bill.PartitionRate+" * ("+arithmetic+"), "+words, ", ")
	}
	if s := j.Storage; s != nil {
		w.Inputs = append(w.Inputs, s.Inputs(&x.rates, asked)...)
		w.Formula = s.With(w.Formula)
	}
	if asked.Optional > 0 {
		w.Formula += executedToo
	}
	j.Working = w
}

// executedToo is what the optional part adds to a formula.
const executedToo = ", and rate * seconds executed of O"
