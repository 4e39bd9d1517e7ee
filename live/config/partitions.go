package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/trade"
)

// MarketRates is the rates as the market of a configuration takes them. Where several
// partitions of Slurm are the market's, those that have no rate of their own cost what the
// market asks.
func (c *Config) MarketRates() trade.Rates {
	rates := c.Rates.Market()
	for name, factor := range c.Rates.Partitions {
		if rates.Partitions == nil {
			rates.Partitions = map[string]int64{}
		}
		rates.Partitions[name] = int64(factor)
	}
	rates.Partition = c.Rates.Partition
	c.Divide(&rates)
	return rates
}

// Divide gives rates the partitions of Slurm, where the market runs its jobs on several, and
// leaves what is named of them as it is. A market of one partition has none.
func (c *Config) Divide(rates *trade.Rates) {
	if c.Backend != BackendSlurm {
		return
	}
	named, factors := c.Slurm.Partitions(), map[string]int64{}
	for _, name := range named {
		if factors[name] = rates.Partitions[name]; factors[name] == 0 {
			factors[name] = trade.WholeFactor
		}
	}
	if len(named) == 1 {
		rates.Partitions, rates.Partition = nil, ""
		return
	}
	if rates.Partitions = factors; factors[rates.Partition] == 0 {
		rates.Partition = named[0]
	}
}

// wrongPartitions finds partitions that make no sense.
func (c *Config) wrongPartitions(m *mistakes) {
	r := &c.Rates
	if c.Backend == BackendSlurm {
		named := c.Slurm.Partitions()
		for _, name := range slices.Sorted(maps.Keys(r.Partitions)) {
			m.When(len(named) == 1, "want several partitions in slurm.partition: what a market of one asks is said by the rates", "rates.partitions."+name)
			m.When(len(named) > 1 && !slices.Contains(named, name), fmt.Sprintf("want one of those in slurm.partition: %s", strings.Join(named, ", ")), "rates.partitions."+name)
		}
		m.When(r.Partition != "" && !slices.Contains(named, r.Partition), fmt.Sprintf("want one of those in slurm.partition: %s", strings.Join(named, ", ")), "rates.default_partition")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(r.Partitions)) {
		one := trade.Rates{Partitions: map[string]int64{name: int64(r.Partitions[name])}}
		if wrong, is := errors.AsType[*trade.FieldError](one.Validate()); is {
			m.Add("want "+wrong.Want, "rates.partitions."+name)
		}
	}
	_, known := r.Partitions[r.Partition]
	m.When(r.Partition != "" && !known, "want one of the partitions", "rates.default_partition")
	m.When(r.Partition == "" && len(r.Partitions) > 1, "want default_partition: the one of jobs that name none", "rates.partitions")
}
