package exchange

import (
	"fmt"
	"slices"
	"strings"

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
		w.Inputs = append(w.Inputs, market.Input{Name: "O", Value: float64(asked.Optional), Unit: "s"}, market.Input{Name: "rate", Value: float64(asked.SLA.Bonus), Unit: "1/s"})
	}
	if x.epoch().Setting("scale") == "rates" {
		w.Inputs = append(w.Inputs, market.Input{Name: "rate", Value: float64(x.rates.Base().Processor), Unit: "1/s"})
	}
	if p := x.epoch().Policy; p == "libra-plus" || p == "make-way" {
		more := x.cluster.Working()
		w.Inputs = append(append(w.Inputs, more.Inputs[:more.N]...), more.More...)
	}
	w.Formula = formulaIn(x.epoch(), w.Inputs)
	if r := &j.Request; x.pieces(r, int(asked.Width)) != 1 {
		n, lanes := r.Array.Len(), int(asked.Width)
		w.Inputs = append(w.Inputs, market.Input{Name: "elements", Value: float64(n)}, market.Input{Name: "room", Value: float64(lanes * ((n + lanes - 1) / lanes))})
		w.Formula = "elements / room * (" + w.Formula + ")"
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

// formulaIn is how the price of a job came about in an epoch, of which so much is
// known: it names nothing else, but for the settings of the policy.
func formulaIn(e *trade.EpochView, known []market.Input) string {
	knows := func(name string) bool {
		return slices.ContainsFunc(known, func(in market.Input) bool { return in.Name == name })
	}
	each := e.Setting("per") == "processor"
	switch e.Policy {
	case "libra":
		one := "gamma * E"
		if knows("D") {
			one = "(gamma * E + delta * E / D)"
		}
		return counted(e, each, one)
	case "libra-plus":
		return plusFormula(e.Setting("resources") == "time", each, knows)
	case "bid-share", "make-way":
		if knows("asked") {
			return "asked"
		} else if !knows("B") {
			return counted(e, each, "bid * E")
		}
		return "B"
	case "libra-sla", "mf-edf", "mf-hbf", "hol", "hol-optimal", "first-price", "first-reward", "best-offer":
		return "B"
	default:
		return counted(e, each, "E * pbase")
	}
}

// counted is the price of one processor, times what it is counted in and for how
// many it is.
func counted(e *trade.EpochView, each bool, one string) string {
	if each {
		one = "procs * " + one
	}
	if e.Setting("scale") == "rates" {
		one = "rate * " + one
	}
	if bare, whole := strings.CutPrefix(one, "("); whole {
		return strings.TrimSuffix(bare, ")")
	}
	return one
}

// plusFormula is the price of libra-plus (000, equations 3 to 6).
func plusFormula(byTime, each bool, knows func(string) bool) string {
	text := "E/rating * (alpha + beta) * PBase"
	if knows("RESMax") {
		text = "E/rating * (alpha * PBase + beta * PBase * RESMax / (RESMax - RESCommitted - E/rating))"
	}
	for _, s := range []string{"memory", "disk"} {
		if !knows(s + " price") {
			continue
		}
		if knows(s + " max") {
			text += fmt.Sprintf(" + %[1]s * (alpha * %[1]s price + beta * %[1]s price * %[1]s max / (%[1]s free - %[1]s))", s)
		} else {
			text += fmt.Sprintf(" + %[1]s * (alpha + beta) * %[1]s price", s)
		}
		if byTime {
			text += " * E/rating / 3600"
		}
	}
	switch {
	case !knows("of this kind"):
		return text
	case each:
		return text + ", summed over its processors, of each kind with what is known of it, and the others"
	}
	return text + ", on the dearest of its processors"
}
