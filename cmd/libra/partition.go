package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/config"
)

// partitionFlag is the flag for the partitions of a market.
func partitionFlag(f *pflag.FlagSet, given *[]string) {
	f.StringSliceVar(given, "partition", nil, "`partitions` of the market, and what its prices are times in each: batch=1,fast=2.5; the first is that of jobs that name none (default: as the market has them)")
}

// partitionsGiven takes over what was given, if anything was.
func partitionsGiven(given []string, c *config.Config) error {
	if len(given) == 0 {
		return nil
	}
	c.Rates.Partitions, c.Rates.Partition, c.Given.Partitions = map[string]config.Amount{}, "", true
	for _, text := range given {
		name, rate, said := strings.Cut(text, "=")
		if !said {
			rate = "1"
		}
		factor, err := market.ParseMoney(rate)
		if err != nil || factor <= 0 || name == "" {
			return usagef("--partition: %q is no name of a partition and a factor of more than 0: fast=2.5", text)
		}
		c.Rates.Partitions[name] = config.Amount(factor)
		if c.Rates.Partition == "" {
			c.Rates.Partition = name
		}
	}
	return nil
}

// factorText is what the prices of a partition are times.
func factorText(millionths int64) string {
	return strings.TrimSuffix(strings.TrimRight(market.Money(millionths).Exact(), "0"), ".")
}

// partitionRate is what a partition costs, in words.
type partitionRate struct{ name, rate string }

// partitionRates are those of a market, the usual one first.
func partitionRates(r *v1.Rates) (list []partitionRate) {
	rates := trade.Rates(*r)
	for i, name := range rates.Names() {
		text := fmt.Sprintf("these prices x %s", factorText(rates.Partitions[name]))
		if i == 0 {
			text += ", for jobs that name none"
		}
		list = append(list, partitionRate{name, text})
	}
	return list
}

// partitionWords say in which partition a node is.
func partitionWords(n *v1.NodeView) string {
	factor, sold := n.Rates.Partitions[n.Partition]
	switch {
	case len(n.Rates.Partitions) == 0 && n.Partition == "":
		return ""
	case len(n.Rates.Partitions) == 0:
		return "partition " + n.Partition
	case n.Partition == "":
		return "of no partition, and so not sold"
	case !sold:
		return "partition " + n.Partition + ", which is not sold"
	}
	return fmt.Sprintf("partition %s at x %s", n.Partition, factorText(factor))
}

// passedOver says that a market has no partitions, to who has named one.
func (con *console) passedOver(asked, got *v1.Request) {
	if asked.Partition != "" && got.Partition == "" {
		con.warn("partition %s: this market has no partitions, and the name is passed over", asked.Partition)
	}
}
