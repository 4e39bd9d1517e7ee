package exchange

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// CheckBooks says what is wrong between the books and the market as it is: whatever is
// held is held for a job under way or for an open quote, as much as they say, and no
// account is below its floor.
func (x *bank) CheckBooks() error {
	held := map[int64]int64{} // by number: what jobs under way and open quotes say
	for j := range x.jobs.All() {
		held[j.ID] = j.Held
	}
	for _, q := range x.quotes.All() {
		if q.Job != 0 {
			held[q.Job] = q.Held
		}
	}
	for _, h := range x.ledger.Holds("") {
		want, known := held[h.Job]
		switch amount := h.Amount(); {
		case !known:
			return fmt.Errorf("%s of %s is held for number %d, which is neither a job under way nor an open quote", amount, h.Account, h.Job)
		case amount != market.Money(want):
			return fmt.Errorf("%s of %s is held for number %d, which says %s", amount, h.Account, h.Job, market.Money(want))
		}
		delete(held, h.Job)
	}
	for _, id := range slices.Sorted(maps.Keys(held)) {
		amount := held[id]
		if amount == 0 {
			continue
		}
		return fmt.Errorf("nothing is held for number %d, which says %s", id, market.Money(amount))
	}
	for _, a := range x.ledger.Accounts("") {
		if !strings.HasPrefix(string(a.Path), "@") && a.Free < -a.Credit {
			return fmt.Errorf("%s has %s and a credit of %s", a.Path, a.Free, a.Credit)
		}
	}
	return nil
}
