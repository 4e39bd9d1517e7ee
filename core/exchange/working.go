package exchange

import (
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// prepareWorking notes how the price of a job came about that was just quoted or
// taken in: the formula of the policy, with what went into it beside the
// settings.
func (x *pricer) prepareWorking(j *activeJob, asked *market.Job) {
	w := trade.Working{Inputs: []trade.Input{
		{Name: "E", Value: float64(asked.Estimate), Unit: "s"},
		{Name: "procs", Value: float64(asked.Width), Unit: ""},
	}}
	if asked.SLA.Deadline.Finite() {
		w.Inputs = append(w.Inputs, trade.Input{Name: "D", Value: float64(asked.SLA.Deadline), Unit: "s"})
	}
	if b := j.Request.Budget; b != nil {
		w.Inputs = append(w.Inputs, trade.Input{Name: "B", Value: float64(market.Money(*b).Price()), Unit: ""})
	}
	if asked.Optional > 0 {
		w.Inputs = append(w.Inputs,
			trade.Input{Name: "O", Value: float64(asked.Optional), Unit: "s"}, trade.Input{Name: "rate", Value: float64(asked.SLA.Bonus), Unit: "1/s"})
	}
	if x.epoch().PolicySettings()["scale"] == "rates" {
		w.Inputs = append(w.Inputs, trade.Input{Name: "rate", Value: float64(x.rates.Base().Processor), Unit: "1/s"})
	}
	if x.epoch().Policy == "libra-plus" {
		more := x.cluster.Working()
		for _, in := range more.Inputs[:more.N] {
			w.Inputs = append(w.Inputs, trade.Input{Name: in.Name, Value: in.Value, Unit: in.Unit})
		}
	}
	w.Formula = formulaIn(x.epoch())
	if r := &j.Request; x.pieces(r, int(asked.Width)) != 1 {
		n, lanes := r.Array.Len(), int(asked.Width)
		w.Inputs = append(w.Inputs,
			trade.Input{Name: "elements", Value: float64(n)}, trade.Input{Name: "room", Value: float64(lanes * ((n + lanes - 1) / lanes))})
		w.Formula = "elements / room * (" + w.Formula + ")"
	}
	if asked.Optional > 0 {
		w.Formula += ", and rate * seconds executed of O"
	}
	j.Working = w
}

// formulaIn is how prices come about in an epoch.
func formulaIn(e *trade.EpochView) string {
	set := e.PolicySettings()
	text := formula(e.Policy, set["per"] == "processor")
	if set["scale"] == "rates" && text != "B" {
		text = "rate * " + text
		if e.Policy == "libra" && set["per"] != "processor" {
			text = "rate * (gamma * E + delta * E / D)"
		}
	}
	return text
}

// formula is how a policy prices a job, in words that can be worked out by
// hand; each says that every processor is paid for.
func formula(policy string, each bool) string {
	switch policy {
	case "libra":
		if each {
			return "procs * (gamma * E + delta * E / D)"
		}
		return "gamma * E + delta * E / D"
	case "libra-plus":
		const one = "E/rating * (alpha * PBase + beta * PBase * RESMax / (RESMax - RESCommitted - E/rating)), and the same for memory and disk where they have a price; "
		if each {
			return one + "the sum over its processors, of which the dearest is shown"
		}
		return one + "on the dearest of its processors"
	case "libra-sla", "bid-share", "mf-edf", "mf-hbf":
		return "B"
	default:
		if each {
			return "procs * E * PBase"
		}
		return "E * PBase"
	}
}
