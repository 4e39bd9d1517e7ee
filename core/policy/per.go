package policy

import "github.com/libra-market/libra/core/market"

// tariff is for what a price is asked. The papers price a job, whatever its width:
// their formulas give the price of one processor, and the dearest one counts. A
// market that sells processors asks for each of them, so that work of the same
// size costs the same however it is cut.
type tariff struct{ per string }

const (
	perJob       = "job"
	perProcessor = "processor"
)

func newTariff() tariff { return tariff{per: perJob} }

func (t *tariff) setting() Setting {
	return later(choice("per", &t.per, "for what the price is: a job, whatever its width, or each of its processors", perJob, perProcessor))
}

// each reports whether every processor is paid for.
func (t *tariff) each() bool { return t.per == perProcessor }

// of is the price of a job of which one processor costs so much.
func (t *tariff) of(one market.Price, j *market.Job) market.Price {
	if t.each() {
		return one * market.Price(j.Width)
	}
	return one
}
