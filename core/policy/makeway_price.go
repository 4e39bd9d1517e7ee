package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// What a job costs: what it offers or, so that nobody gains by offering less, what is asked for
// as much work from anybody. Then an offer says yes or no and nothing else: whoever pays
// the price is treated by the price, whatever more they would have paid.
const (
	priceBid    = "bid"
	pricePosted = "posted"
)

// size is what a price is divided by for a job's place in the order.
func (p *makeWay) size(j *market.Job) float64 {
	return math.Pow(lengthOf(j), 1+p.lean) * float64(j.Width)
}

// charge is what a job costs that offers so much and is asked for so much: the offer, or where it
// is a posted price, or nobody named another, what is asked, of which the receipt then speaks.
func charge(offer, asked market.Price, posted bool, a *Answer) market.Price {
	a.Working = Working{}
	if !posted {
		return offer
	}
	a.Working.add("asked", "", float64(asked))
	return asked
}

// offered is what a job that is here offers, whatever it pays.
func offered(e *book.Entry) market.Price {
	if e.Job.SLA.Budget.Limited() {
		return e.Job.SLA.Budget
	}
	return e.Terms.Price
}
