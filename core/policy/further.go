package policy

import "github.com/libra-market/libra/core/market"

// further is how much work beyond its estimate the budget of a job is to pay for, as a part of the estimate, where
// its budget is what it offers. So much less is charged for the estimate: whoever pays all that they have for
// that has nothing left for a moment more, and is stopped with the work nearly done. More work costs as much for a
// second as the estimate did, so that nothing is gained by saying less than is needed: who says so much less offers
// the same for a second as one who says what they need and pays all of the budget for it.
type further float64

func (f *further) setting() Setting {
	return later(number("further", (*float64)(f), "how much work beyond its estimate the budget of a job is to pay for, as a part of the estimate, where the price is what is bid: so much less is charged for the estimate"))
}

// charge is [charge], of an offer of which something is kept. Nobody who offers what is asked is refused for that:
// then less is kept.
func (f further) charge(j *market.Job, offer, asked market.Price, posted bool, a *Answer) market.Price {
	if f == 0 || posted || !j.SLA.Budget.Limited() {
		return charge(offer, asked, posted, a)
	}
	price := max(asked, offer/market.Price(1+f))
	a.Working = Working{}
	a.Working.add("offered", "", float64(price))
	return price
}

// Bidding is the budget with which a job offers so much for its estimate.
func Bidding(p Policy, offer market.Price) market.Price {
	if k, does := p.(interface{ keeps() further }); does {
		return offer * market.Price(1+k.keeps())
	}
	return offer
}

func (p *goingRate) keeps() further { return p.keep.under(p.price) }
func (p *makeWay) keeps() further   { return p.keep.under(p.price) }

// under is what is kept at a price: nothing where it is not what is bid.
func (f further) under(price string) further {
	if price == pricePosted {
		return 0
	}
	return f
}
