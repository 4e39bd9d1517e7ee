package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/libra-market/libra/core/trade"
)

// Rates are the base prices, in units of currency.
type Rates struct {
	Processor Amount `yaml:"processor_hour"` // a processor for an hour
	Memory    Amount `yaml:"memory_gb_hour"` // a GB for an hour
	Disk      Amount `yaml:"disk_gb_hour"`   // a GB for an hour
	GPU       Amount `yaml:"gpu_hour"`       // one for an hour

	GPUs map[string]Amount `yaml:"gpu_hours,omitempty"` // one of a kind, for an hour

	Partitions map[string]Amount `yaml:"partitions,omitempty"`        // what all of these are times for the jobs of a partition
	Partition  string            `yaml:"default_partition,omitempty"` // of jobs that name none

	Old OldRates `yaml:",inline"`
}

// OldRates are the rates as files of the first version name them: a processor for
// a second, a MB whatever the time.
type OldRates struct {
	Processor *Amount `yaml:"processor,omitempty"`
	Memory    *Amount `yaml:"memory,omitempty"`
	Disk      *Amount `yaml:"disk,omitempty"`
}

// wrong finds rates that make no sense, and those of before whose meaning is gone.
func (r *Rates) wrong(m *mistakes, settings map[string]string) {
	for _, rate := range []struct {
		name   string
		amount *Amount
		gone   bool // it was the price of a MB whatever the time
	}{
		{"processor_hour", &r.Processor, false},
		{"memory_gb_hour", &r.Memory, false},
		{"disk_gb_hour", &r.Disk, false},
		{"gpu_hour", &r.GPU, false},
		{"processor", r.Old.Processor, false},
		{"memory", r.Old.Memory, true},
		{"disk", r.Old.Disk, true},
	} {
		at := "rates." + rate.name
		switch {
		case rate.amount == nil:
		case *rate.amount < 0:
			m.Add("want 0 or more", at)
		case rate.gone && *rate.amount > 0 && settings["resources"] != "amount":
			m.Add(fmt.Sprintf("that was the price of a MB whatever the time, and is not sold like that any more: say %s_gb_hour, the price of a GB for an hour "+
				"(or resources: amount among the settings, to go on as before)", rate.name), at)
		case rate.name == "processor" && int64(*rate.amount) > math.MaxInt64/3600:
			m.Add("want an amount that there can be", at)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(r.GPUs)) {
		one := trade.Rates{GPUKinds: map[string]int64{kind: int64(r.GPUs[kind])}}
		if wrong, is := errors.AsType[*trade.FieldError](one.Validate()); is {
			m.Add("want "+wrong.Want, "rates.gpu_hours."+kind)
		}
	}
}

// Market is the rates as a market takes them.
func (r *Rates) Market() trade.Rates {
	m := trade.Rates{ProcessorHour: int64(r.Processor), MemoryHour: int64(r.Memory), DiskHour: int64(r.Disk), GPUHour: int64(r.GPU)}
	for kind, amount := range r.GPUs {
		if m.GPUKinds == nil {
			m.GPUKinds = map[string]int64{}
		}
		m.GPUKinds[kind] = int64(amount)
	}
	if p := r.Old.Processor; p != nil {
		m.ProcessorHour = int64(*p) * 3600
	}
	if p := r.Old.Memory; p != nil && m.MemoryHour == 0 {
		m.Memory = int64(*p)
	}
	if p := r.Old.Disk; p != nil && m.DiskHour == 0 {
		m.Disk = int64(*p)
	}
	return m.Complete()
}

// Warnings are what a file says that is better said otherwise by now.
func (c *Config) Warnings() []string {
	if p := c.Rates.Old.Processor; p != nil {
		return []string{fmt.Sprintf("rates: processor is the price of a second and is still read as that; say processor_hour: %s, the price of an hour, instead",
			Amount(int64(*p)*3600))}
	}
	return nil
}
