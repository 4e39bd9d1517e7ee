package trade

import (
	"math"

	"github.com/libra-market/libra/core/market"
)

// Rates are the base prices of every node that has none of its own. People name
// them by the hour, and those amounts are what is reckoned with; the same a second
// and a megabyte, rounded, are beside them for programs that know no others.
type Rates struct {
	Processor int64 `json:"processor_micros_per_s"`
	Memory    int64 `json:"memory_micros_per_mb"`
	Disk      int64 `json:"disk_micros_per_mb"`

	ProcessorHour int64 `json:"processor_micros_per_h,omitempty"`
	MemoryHour    int64 `json:"memory_micros_per_gb_h,omitempty"`
	DiskHour      int64 `json:"disk_micros_per_gb_h,omitempty"`
	GPUHour       int64 `json:"gpu_micros_per_h,omitempty"` // of one

	GPUKinds map[string]int64 `json:"gpu_kind_micros_per_h,omitempty"` // of one of a kind that has a price of its own

	Partitions map[string]int64 `json:"partition_factor_millionths,omitempty"` // what all prices are times for those of a partition; none: the market has no partitions
	Partition  string           `json:"default_partition,omitempty"`           // of jobs that name none
}

const (
	secondsInHour = 3600
	mbInGB        = 1024
)

// Complete has the rate of processors both ways. What is named by the hour counts;
// where nothing is, as in the logs of before, what is named by the second. Memory
// and disk were sold by the amount alone then, and that is no rate by the hour.
func (r Rates) Complete() Rates {
	switch {
	case r.ProcessorHour != 0:
		r.Processor = rounded(r.ProcessorHour, secondsInHour)
	case r.Processor <= math.MaxInt64/secondsInHour:
		r.ProcessorHour = r.Processor * secondsInHour
	}
	if r.MemoryHour != 0 {
		r.Memory = rounded(r.MemoryHour, mbInGB)
	}
	if r.DiskHour != 0 {
		r.Disk = rounded(r.DiskHour, mbInGB)
	}
	return r
}

func rounded(amount, n int64) int64 { return (amount + n/2) / n }

// Named is the rates as they are kept: both ways where one is named by the hour.
// Those of before stay as they were written.
func (r Rates) Named() Rates {
	if r.ProcessorHour == 0 && r.MemoryHour == 0 && r.DiskHour == 0 && r.GPUHour == 0 && len(r.GPUKinds) == 0 {
		return r
	}
	return r.Complete()
}

// Validate refuses what is less than nothing, and more than there is money.
func (r *Rates) Validate() error {
	for _, amount := range r.amounts() {
		if amount < 0 || amount > maxMicros {
			return market.Wrong("rates", "0 or more")
		}
	}
	if err := r.checkGPUs(); err != nil {
		return err
	}
	return r.checkPartitions()
}

// Base is the rates as the core reckons: a second of a processor, a megabyte.
func (r Rates) Base() market.Rates {
	return market.Rates{
		Processor: exact(r.Processor, r.ProcessorHour, secondsInHour),
		Memory:    exact(r.Memory, r.MemoryHour, mbInGB),
		Disk:      exact(r.Disk, r.DiskHour, mbInGB),
		GPU:       exact(0, r.GPUHour, secondsInHour),
	}
}

// exact is the price of one thing, of which so many cost an amount.
func exact(one, many, n int64) market.Price {
	if many == 0 || many == one*n {
		return market.Money(one).Price()
	}
	return market.Money(many).Price() / market.Price(n)
}
