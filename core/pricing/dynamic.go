package pricing

import "github.com/libra-market/libra/core/market"

// Dynamic is the price of Libra+$ (000, section V): a static part, and a part
// that rises as the resource becomes scarce.
type Dynamic struct {
	Alpha float64 // weight of the base price
	Beta  float64 // weight of the utilisation price
}

// Supply is one resource of a node over the window of a job, from its arrival
// to its deadline, in whatever unit the resource is counted: processor
// seconds, MB, MB-hours.
type Supply struct {
	Max       float64 // RESMax: all there is
	Committed float64 // to the jobs accepted before
}

// Free is what would be left with the job on the node: equations (5) and (6).
func (s Supply) Free(wanted float64) float64 { return s.Max - s.Committed - wanted }

// Utilisation is PUtil, equation (4): the base price times RESMax/RESFree.
func (s Supply) Utilisation(base market.Price, wanted float64) market.Price {
	return market.Price(float64(base) * s.Max / s.Free(wanted))
}

// Rate is the price of one unit of a resource, equation (3).
func (d Dynamic) Rate(base market.Price, s Supply, wanted float64) market.Price {
	return market.Price(float64(d.Alpha*float64(base)) + float64(d.Beta*float64(s.Utilisation(base, wanted))))
}

// Demand is what a job wants of one resource, and what that resource costs.
type Demand struct {
	Base   market.Price
	Supply Supply
	Wanted float64
}

// Cost sums the price of every resource the job wants: what it wants, times
// the rate at which it is sold (000, section V.B: fine-grain pricing).
func (d Dynamic) Cost(demands ...Demand) market.Price {
	var cost market.Price
	for _, m := range demands {
		cost += market.Price(m.Wanted * float64(d.Rate(m.Base, m.Supply, m.Wanted)))
	}
	return cost
}
