package pricing

import "github.com/libra-market/libra/core/market"

// Libra is the price of 002: for the time used, and for the urgency. A user
// who can wait longer pays less, whatever the load of the cluster.
type Libra struct {
	Gamma float64 // per second of estimated runtime
	Delta float64 // per unit of estimate over deadline
}

// Cost is gamma*E + delta*E/D.
func (l Libra) Cost(estimate market.Work, deadline market.Time) market.Price {
	// Without a product by zero an infinite deadline, or delta 0 with a
	// deadline of zero, would make the second term NaN.
	cost := float64(l.Gamma * float64(estimate))
	if l.Delta != 0 && estimate != 0 {
		cost += float64(l.Delta * (float64(estimate) / float64(deadline)))
	}
	return market.Price(cost)
}
