package bill

import "github.com/libra-market/libra/core/market"

// Most is the most that a job can cost, which is held for it: its budget, or
// where it names none (nil) its price; and all of its optional part.
func Most(price market.Money, budget *int64, o *Optional) market.Money {
	if budget != nil {
		price = max(price, market.Money(*budget))
	}
	return price + o.Most()
}

// Most is what the optional part costs if all of it is executed.
func (o *Optional) Most() market.Money {
	if o == nil {
		return 0
	}
	amount, _ := Pay(o.Rate, o.WorkMS, o.Processors) // checked when it was asked for
	return amount
}

// Sold is what a job is charged at most as things stand, its optional part
// aside: its price and all that was sold beyond it.
func (j *Job) Sold() market.Money {
	sum := j.Price
	for _, e := range j.Extensions {
		sum += e.Price
	}
	return sum
}

// Extend is an extension of so much work at the price of a part of it: what the
// job has had beyond its estimate by now (overMS) is to be paid for at the price
// at which the rest is sold.
func Extend(price market.Money, workMS, overMS int64) Extension {
	return Extension{WorkMS: workMS, Price: max(0, price+Proportion(price, overMS, workMS-overMS))}
}
