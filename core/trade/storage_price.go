package trade

import (
	"math"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
)

// hourly is what the memory and the disk of a job cost for an hour where the market
// stores them, and its GPUs, which it always sells: in micro-units, at the rate of its partition.
func (r *Rates) hourly(asked *market.Job, stores bool) (stored, lent float64) {
	base, factor := r.Base(), r.factorOf(asked)
	if stores {
		stored = (float64(base.Memory)*float64(asked.Memory) + float64(base.Disk)*float64(asked.Disk)) * float64(asked.Width) * float64(market.Unit)
	}
	lent = float64(r.GPUPrice(asked.GPUKind)) * float64(asked.AllGPUs())
	return float64(Times(market.Price(stored), factor)), float64(Times(market.Price(lent), factor))
}

// Sells reports whether anything of it has a price.
func (r *Rates) Sells(asked *market.Job, stores bool) bool {
	stored, lent := r.hourly(asked, stores)
	return stored > 0 || lent > 0
}

// Storage is what that costs for so many milliseconds. More time is reckoned from it.
func (r *Rates) Storage(asked *market.Job, stores bool, ms int64) *Storage {
	const hour = 3600_000
	stored, lent := r.hourly(asked, stores)
	amount := func(hourly float64) int64 {
		return int64(min(math.Ceil(hourly*float64(ms)/hour), float64(bill.MaxAmount)))
	}
	s := &Storage{Price: min(amount(stored)+amount(lent), int64(bill.MaxAmount)), TimeMS: ms}
	s.GPUs = min(amount(lent), s.Price)
	return s
}

// Inputs are what has to be known to work it out.
func (s *Storage) Inputs(r *Rates, asked *market.Job) (inputs []market.Input) {
	base, factor := r.Base(), r.factorOf(asked)
	if s.Stores() {
		inputs = append(inputs,
			market.Input{Name: "memory", Value: float64(asked.Memory), Unit: "MB"},
			market.Input{Name: "memory price", Value: float64(Times(base.Memory, factor)), Unit: "a MB, for an hour"},
			market.Input{Name: "disk", Value: float64(asked.Disk), Unit: "MB"},
			market.Input{Name: "disk price", Value: float64(Times(base.Disk, factor)), Unit: "a MB, for an hour"})
	}
	if s.GPUs > 0 {
		inputs = append(inputs,
			market.Input{Name: "gpus", Value: float64(asked.AllGPUs()), Unit: "of all programs"},
			market.Input{Name: "gpu price", Value: float64(Times(market.Money(r.GPUPrice(asked.GPUKind)).Price(), factor)), Unit: "each, for an hour"})
	}
	return append(inputs, market.Input{Name: "kept", Value: float64(s.TimeMS) / 1e3, Unit: "s, at most"})
}
