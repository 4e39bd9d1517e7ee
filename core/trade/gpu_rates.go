package trade

import (
	"maps"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// maxGPUKinds is for how many kinds of GPUs there can be a price.
const maxGPUKinds = 64

// GPUPrice is what one GPU costs for an hour: that of the kind that a job names, or what one
// costs of a kind that has no price of its own. Who names none may be given any, and pays
// for the dearest.
func (r *Rates) GPUPrice(kind string) int64 {
	if hour, own := r.GPUKinds[kind]; own {
		return hour
	}
	most := r.GPUHour
	if kind == "" {
		for _, hour := range r.GPUKinds {
			most = max(most, hour)
		}
	}
	return most
}

// checkGPUs refuses prices of GPUs that make no sense.
func (r *Rates) checkGPUs() error {
	if len(r.GPUKinds) > maxGPUKinds {
		return market.Wrong("rates", "prices of at most 64 kinds of GPUs")
	}
	for _, kind := range slices.Sorted(maps.Keys(r.GPUKinds)) {
		if kind == "" || strings.ContainsAny(kind, ":,= ") || !Printable(kind, MaxName) {
			return market.Wrong("rates", "the names of kinds of GPUs, as nodes have them: a100")
		}
		if hour := r.GPUKinds[kind]; hour < 0 || hour > maxMicros {
			return market.Wrong("rates", "0 or more")
		}
	}
	return nil
}

// Equal reports whether two are the same prices.
func (r Rates) Equal(s Rates) bool {
	return r.amounts() == s.amounts() && maps.Equal(r.GPUKinds, s.GPUKinds) && maps.Equal(r.Partitions, s.Partitions) && r.Partition == s.Partition
}

// amounts are all prices but those of kinds.
func (r *Rates) amounts() [7]int64 {
	return [...]int64{r.Processor, r.Memory, r.Disk, r.ProcessorHour, r.MemoryHour, r.DiskHour, r.GPUHour}
}
