package trade

import (
	"strings"

	"github.com/libra-market/libra/core/market"
)

// Storage is what is agreed on the memory and the disk of a job: a part of its price.
type Storage struct {
	Price  int64 `json:"price_micros"`      // for all of that time
	TimeMS int64 `json:"time_ms"`           // the longest for which it may hold them
	MoreMS int64 `json:"more_ms,omitempty"` // sold beyond it, at the same price
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
	if r := e.Rules(); r.Stores() {
		base.Memory, base.Disk = 0, 0
	}
	return base
}

// What memory and disk add to the formula of a price.
const (
	StoredToo = ", and " + stored
	stored    = "procs * (memory * memory price + disk * disk price) * kept / 3600"
)

// Bids reports whether a formula is what was bid, of which memory and disk are a part.
func Bids(formula string) bool { return formula == "B" }

// OfWork is the formula of what is for work alone.
func OfWork(formula string) string {
	if Bids(formula) {
		return formula + " - " + stored
	}
	return strings.TrimSuffix(formula, StoredToo)
}
