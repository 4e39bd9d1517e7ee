package web

import "github.com/libra-market/libra/core/market"

// cents is an amount as it is shown, to the hundredth.
func cents(micros int64) int64 {
	const cent = int64(market.Unit) / 100
	half := cent / 2
	if micros < 0 {
		half = -half
	}
	return (micros + half) / cent * cent
}

// rest is what is left of a sum beside a part of it, such that all three add up as they
// are shown: each is rounded, and their sum may miss a cent.
func rest(sum, part, left int64) int64 {
	if cents(part)+cents(left) == cents(sum) {
		return left
	}
	return cents(sum) - cents(part)
}

// OfJobs is what jobs have brought, beside the rent of quotes, of today's income.
func (v *ownerView) OfJobs() int64 { return rest(v.Today.Income, v.Today.Rent, v.Today.Net) }

// Charged is what they were charged for that, before penalties.
func (v *ownerView) Charged() int64 {
	return rest(v.OfJobs(), -v.Today.Penalties, v.Today.Revenue)
}
