package trade

import (
	"slices"
	"strings"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
)

// Storage is what is agreed on the memory, the disk and the GPUs of a job: a part of its
// price.
type Storage struct {
	Price  int64 `json:"price_micros"`               // for all of that time
	GPUs   int64 `json:"gpu_price_micros,omitempty"` // of that, what is for GPUs
	TimeMS int64 `json:"time_ms"`                    // the longest for which it may hold them
	MoreMS int64 `json:"more_ms,omitempty"`          // sold beyond it, at the same price
}

// Bill is what was agreed as bills are reckoned from it.
func (s *Storage) Bill() *bill.Storage {
	return &bill.Storage{Price: s.Amount(), GPUs: market.Money(s.GPUs), MS: s.TimeMS, More: s.MoreMS}
}

// ForGPUs is what of it is for GPUs; nothing where there is none.
func (s *Storage) ForGPUs() market.Money {
	if s == nil {
		return 0
	}
	return market.Money(s.GPUs)
}

// Amount is what it costs; nothing where there is none.
func (s *Storage) Amount() market.Money {
	if s == nil {
		return 0
	}
	return market.Money(s.Price)
}

// Over reports whether a price with storage is more than a request allows: the cluster
// knows the rest of the budget alone.
func (s *Storage) Over(r *Request, price market.Money) bool {
	return s != nil && r.Budget != nil && price > market.Money(*r.Budget)
}

// WorkPrice is what of the price of a job is for its work.
func (j *Job) WorkPrice() market.Money { return market.Money(j.Price) - j.Storage.Amount() }

// Base is the rates as the policy of an epoch knows them: without what the market sells
// itself.
func (e *EpochView) Base() market.Rates {
	base := e.Rates.Base()
	base.GPU = 0 // under every rule
	if r := e.Rules(); r.Stores() {
		base.Memory, base.Disk = 0, 0
	}
	return base
}

// What memory and disk, and GPUs, add to the formula of a price.
const (
	also   = ", and "
	stored = "procs * (memory * memory price + disk * disk price) * kept / 3600"
	lent   = "gpus * gpu price * kept / 3600"
)

// With is the formula of a price with what the market sells beside it.
func (s *Storage) With(formula string) string {
	if Bids(formula) { // of which it is a part
		return formula
	}
	for _, part := range s.parts() {
		formula += also + part
	}
	return formula
}

// Stores reports whether memory or disk are a part of it: of those of before nothing else is.
func (s *Storage) Stores() bool { return s.Price > s.GPUs || s.GPUs == 0 }

// What names what it is for.
func (s *Storage) What() string {
	switch s.GPUs {
	case 0:
		return "memory and disk"
	case s.Price:
		return "GPUs"
	}
	return "memory, disk and GPUs"
}

// parts are the formulas of what it is for.
func (s *Storage) parts() (parts []string) {
	if s.Stores() {
		parts = append(parts, stored)
	}
	if s.GPUs > 0 {
		parts = append(parts, lent)
	}
	return parts
}

// Bids reports whether a formula is what was bid, of which all else is a part.
func Bids(formula string) bool { return formula == "B" }

// OfWork is the formula of what is for work alone.
func (s *Storage) OfWork(formula string) string {
	if Bids(formula) {
		return formula + " - " + strings.Join(s.parts(), " - ")
	}
	parts := s.parts()
	for _, part := range slices.Backward(parts) {
		formula = strings.TrimSuffix(formula, also+part)
	}
	return formula
}
