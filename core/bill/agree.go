package bill

import (
	"math"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
)

// Most is the most that a job can cost, which is held for it: its budget, or
// where it names none (nil) its price; and all of its optional part. Where there
// is a margin, its price and that are held at least.
func Most(r *rules.Rules, price, margin market.Money, budget *int64, o *Optional) market.Money {
	price += margin
	if budget != nil {
		price = max(price, market.Money(*budget))
	}
	return price + o.Most(r)
}

// Affords is for how many milliseconds of work beyond its estimate, and beyond what it took meanwhile, a job can
// pay that has so much left, at its own price for so much work; or else, where that is next to nothing.
func Affords(left market.Price, price market.Money, workMS, over, or int64) int64 {
	const least = 100 // what is less is not worth a command
	if price <= 0 || !left.Limited() {
		return or
	}
	const rounding = 1e-6
	if ms := int64(min(math.MaxInt32, float64(left/price.Price())*float64(workMS)+rounding)) - over; ms >= least {
		return ms
	}
	return or
}

// Beats is how many reports of a node it takes, at most, until a job that takes
// more than it has paid for is gone: one to know, one in which it may end by
// itself, one until it is killed.
const Beats = 3

// Margin is what is held beside the price of so much work where jobs pay for what
// they use: what the job takes beyond it until somebody knows and stops it. An
// honest job never owes it; without it, work in small pieces would be free.
func Margin(r *rules.Rules, price market.Money, workMS int64) market.Money {
	if !r.Paid() {
		return 0
	}
	return AtRateOf(r, price, Beats*int64(r.Reporting)/1000, workMS)
}

// Most is what the optional part costs if all of it is executed.
func (o *Optional) Most(r *rules.Rules) market.Money {
	if o == nil {
		return 0
	}
	return payFor(r, o.Rate, o.WorkMS, o.Processors) // checked when it was asked for
}

// Sold is what a job is charged at most as things stand, its optional part
// aside: what was agreed and all that was sold beyond it.
func (j *Job) Sold(r *rules.Rules) market.Money {
	sum := j.Agreed() + j.Storage.more(r)
	for _, e := range j.Extensions {
		sum += e.Price
	}
	return sum
}

// Agreed is what was agreed with a job: for its work, and for memory and disk.
func (j *Job) Agreed() market.Money { return j.Price + j.Storage.price() }

// Extend is an extension of so much work at the price of a part of it: what the
// job has had beyond its estimate by now (overMS) is to be paid for at the price
// at which the rest is sold.
func Extend(r *rules.Rules, price market.Money, workMS, overMS int64) Extension {
	return Extension{WorkMS: workMS, Price: max(0, price+PartOf(r, price, overMS, workMS-overMS))}
}
