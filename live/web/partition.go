package web

import "github.com/libra-market/libra/core/trade"

// partitionChoice is a partition that a job can be in, as the form offers it.
type partitionChoice struct {
	Name   string
	Factor string // what all prices are times there
}

// partitions are those to choose from, the usual one first; none where there is no choice.
func (c *call) partitions() ([]partitionChoice, error) {
	p, err := c.h.market.Prices(c.r.Context())
	if err != nil || len(p.Rates.Partitions) < 2 {
		return nil, err
	}
	rates := trade.Rates(p.Rates)
	var list []partitionChoice
	for _, name := range rates.Names() {
		list = append(list, partitionChoice{name, trade.FactorText(rates.Partitions[name])})
	}
	return list, nil
}
