package policy

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/pricing"
)

// tariff is for what a price is asked. The papers price a job, whatever its width:
// their formulas give the price of one processor, and the dearest one counts. A
// market that sells processors asks for each of them, so that work of the same
// size costs the same however it is cut.
//
// It is also what the price is counted in. The weights of the papers' formulas are
// amounts of money a second; a market that has a rate for its processors counts in
// that, and the weights are multiples of it.
type tariff struct{ per, scale string }

const (
	perJob       = "job"
	perProcessor = "processor"
	inUnits      = "units"
	inRates      = "rates"
)

func newTariff() tariff { return tariff{per: perJob, scale: inUnits} }

func (t *tariff) setting() Setting {
	return later(choice("per", &t.per, "for what the price is: a job, whatever its width, or each of its processors", perJob, perProcessor))
}

// counted is the setting of what prices are counted in, of policies that do not
// reckon with the rates of nodes anyway.
func (t *tariff) counted() Setting {
	return later(choice("scale", &t.scale, "what the weights of the price are: units of the currency, or multiples of what a second of a processor costs", inUnits, inRates))
}

// each reports whether every processor is paid for.
func (t *tariff) each() bool { return t.per == perProcessor }

// of is the price of a job of which one processor costs so much. The rate is that
// of the first node: where prices are counted in rates, the nodes have one.
func (t *tariff) of(v book.View, one market.Price, j *market.Job) market.Price {
	if t.scale == inRates {
		one *= v.Node(0).Base.Processor
	}
	if t.each() {
		return one * market.Price(j.Width)
	}
	return one
}

// offer is what a job offers: its budget or, if it names none, so much for a second of its estimate.
func (t *tariff) offer(v book.View, bid float64, j *market.Job) market.Price {
	if j.SLA.Budget.Limited() {
		return j.SLA.Budget
	}
	return t.of(v, pricing.Static(market.Price(bid), j.Estimate), j)
}
