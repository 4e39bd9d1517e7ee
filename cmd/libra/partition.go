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

// simulatedPartitionFlag is that for the partitions of a simulated cluster.
func simulatedPartitionFlag(f *pflag.FlagSet, given *[]string) {
	f.StringSliceVar(given, "partition", nil, "what prices are times in `partitions` of the --cluster: batch=1,fast=2.5; the first is that of jobs that name none (default: 1, and the first of the file)")
}

// partitionsGiven takes over what was given, if anything was.
func partitionsGiven(given []string, c *config.Config) error {
	if len(given) == 0 {
		return nil
	}
	rates, err := parsePartitions(given)
	if err != nil {
		return err
	}
	c.Rates.Partitions, c.Rates.Partition, c.Given.Partitions = map[string]config.Amount{}, rates.Partition, true
	for name, factor := range rates.Partitions {
		c.Rates.Partitions[name] = config.Amount(factor)
	}
	return nil
}

// parsePartitions reads names with factors, of which the first is the usual one.
func parsePartitions(given []string) (trade.Rates, error) {
	rates := trade.Rates{Partitions: map[string]int64{}}
	for _, text := range given {
		name, rate, said := strings.Cut(text, "=")
		if !said {
			rate = "1"
		}
		factor, err := market.ParseMoney(rate)
		if err != nil || factor <= 0 || name == "" {
			return rates, usagef("--partition: %q is no name of a partition and a factor of more than 0: fast=2.5", text)
		}
		rates.Partitions[name] = int64(factor)
		if rates.Partition == "" {
			rates.Partition = name
		}
	}
	return rates, nil
}

// simulatedPartitions are those that the nodes of a simulated cluster are in, at the factors
// that are given, else at the cluster's own prices; nil: there are none.
func simulatedPartitions(given []string, nodes market.Nodes) (*trade.Rates, error) {
	rates, err := parsePartitions(given)
	if err != nil {
		return nil, err
	}
	in := map[string]bool{}
	kinds := nodes.Kinds()
	for i := range kinds {
		name := kinds[i].Partition
		if name == "" {
			continue
		}
		in[name] = true
		if _, said := rates.Partitions[name]; !said {
			rates.Partitions[name] = trade.WholeFactor
		}
		if rates.Partition == "" {
			rates.Partition = name
		}
	}
	for _, name := range rates.Names() {
		if !in[name] {
			return nil, usagef("--partition: no node is in partition %s (a group of --cluster says partition: %[1]s)", name)
		}
	}
	if len(in) == 0 {
		return nil, nil //nolint:nilnil // that is what there is
	}
	if err = rates.Validate(); err != nil {
		return nil, usagef("--partition: %w", err)
	}
	return &rates, nil
}

// partitionRate is what a partition costs, in words.
type partitionRate struct{ name, rate string }

// partitionRates are those of a market, the usual one first.
func partitionRates(r *v1.Rates) (list []partitionRate) {
	rates := trade.Rates(*r)
	for i, name := range rates.Names() {
		text := fmt.Sprintf("these prices x %s", trade.FactorText(rates.Partitions[name]))
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
	return fmt.Sprintf("partition %s at x %s", n.Partition, trade.FactorText(factor))
}

// passedOver says that a market has no partitions or QOS, to who has named one, and that limits of Slurm's,
// or licences, have fewer elements of an array run at a time.
func (con *console) passedOver(asked, got *v1.Request) {
	if asked.Array != nil && got.Array != nil && asked.Array.Limit != got.Array.Limit {
		con.warn("%s of the array at a time: Slurm's limits or licences let no more run", number(int64(got.Array.Limit), "element"))
	}
	if asked.Array != nil && got.Array != nil && asked.Array.Nodes != got.Array.Nodes {
		con.warn("the elements of the array that run at a time are on %s: Slurm gives a job no more", number(int64(got.Array.Nodes), "node"))
	}
	if asked.Partition != "" && got.Partition == "" {
		con.warn("partition %s: this market has no partitions, and the name is passed over", asked.Partition)
	}
	if asked.QOS != "" && got.QOS == "" {
		con.warn("QOS %s: this market runs its jobs itself and has none, and the name is passed over", asked.QOS)
	}
}
