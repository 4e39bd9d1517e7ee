package web

import "github.com/libra-market/libra/core/trade"

// partitionChoice is a partition that a job can be in, as the form offers it.
type partitionChoice struct {
	Name   string
	Factor string // what all prices are times there
}

// partitions are those to choose from, the usual one first; none where there is no choice, or
// none of its own: before a broker each cluster has others.
func (c *call) partitions() (list []partitionChoice) {
	epochs, err := c.h.market.Epochs(c.r.Context())
	if err != nil || len(epochs) == 0 {
		return nil
	}
	rates := trade.Rates(epochs[len(epochs)-1].Rates)
	if len(rates.Partitions) < 2 {
		return nil
	}
	for _, name := range rates.Names() {
		list = append(list, partitionChoice{name, trade.FactorText(rates.Partitions[name])})
	}
	return list
}
