package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/trade"
)

// A quote that binds keeps room from others, so it is paid for: it holds its price,
// which nothing else can then be bought for; what all of one user keep is a part of
// the cluster at most; and if it is not taken, the time for which it kept room costs
// a part of its price.

// mostQuotes is how many quotes one user may have open.
func (x *state) mostQuotes() int {
	if n, bounded := x.rules().QuoteLimit.Count(); bounded {
		return int(n)
	}
	return trade.MaxQuotes
}

// agree says whether a quote binds, and if so what it keeps.
func (x *state) agree(q *heldQuote, asked *market.Job, firm bool) {
	if !firm {
		q.NotBinding = "nothing is promised under " + q.Policy + ": it is priced when the job is submitted"
		return
	}
	keeps := x.keeps(q, asked)
	if why := x.tooMuch(q.Owner, keeps); why != "" {
		q.NotBinding = why
		return
	}
	q.Binding, q.Keeps = true, keeps
}

// keeps is how many processors' worth of the cluster a quote keeps from others.
// Where processors are shared by time it is the part of each that the job needs to
// be in time, and otherwise all of each; memory and disk that nobody else can have
// count as the part of the cluster's that they are.
func (x *state) keeps(q *heldQuote, asked *market.Job) float64 {
	share := 1.0
	if x.kind.TimeShared && q.Share > 0 {
		share = q.Share
	}
	keeps := share * float64(q.Width)
	up, memory, disk := 0, int64(0), int64(0)
	for _, n := range x.nodes {
		if n.Up {
			up, memory, disk = up+n.Processors, memory+n.MemoryMB, disk+n.DiskMB
		}
	}
	for _, r := range [...]struct{ asked, all int64 }{{asked.Memory, memory}, {asked.Disk, disk}} {
		if r.all > 0 {
			keeps = max(keeps, float64(r.asked)*float64(q.Width)/float64(r.all)*float64(up))
		}
	}
	return keeps
}

// tooMuch says why a user may not keep so much more by quotes. One quote that keeps
// no more than one processor may always be had: on a cluster of a few processors
// the part that the rules name is less than any job.
func (x *state) tooMuch(user string, keeps float64) string {
	const little = 1e-9
	up := x.nodes.processorsUp()
	most, bounded := x.rules().QuoteShare.Of(float64(up))
	_, have := x.quotes.of(user)
	if !bounded || have+keeps <= most+little || have == 0 && keeps <= 1+little {
		return ""
	}
	return fmt.Sprintf("it would keep %.2f processors, and open quotes of one user may keep %.2f of %d at most (and one of one processor); yours keep %.2f",
		keeps, most, up, have)
}

// holdForQuote sets the most that the job can cost aside, under the number that the
// job will have.
func (x *Exchange) holdForQuote(q *heldQuote, most market.Money) {
	ruled := x.rules()
	if !ruled.QuoteHold {
		return
	}
	tx, err := x.ledger.Hold(x.now, q.Job, market.Account(q.Account), most)
	if err != nil {
		broken(15, fmt.Sprintf("quote %s: %v", q.ID, err)) // it was asked before
	}
	x.fx.tx(tx)
	q.Held = int64(most)
	q.Rent = int64(bill.Proportion(market.Money(q.Price), int64(ruled.QuoteRent), int64(rules.Whole)))
}

// holds reports whether something is held for a quote, be it nothing.
func (x *state) holds(q *heldQuote) bool {
	_, held := x.ledger.HoldOf(q.Job)
	return held
}

// rent is what a quote costs that was not taken, for the time until now: by the
// rules under which it was made, and never more than it holds.
func (x *state) rent(q *heldQuote) market.Money {
	const minute = 60 * int64(1_000_000)
	kept := min(x.now, q.ExpiresUS) - q.MadeUS
	part := int64(x.ruled[x.eraOf(q)].QuoteRent)
	return min(market.Money(q.Held), bill.Proportion(market.Money(q.Price), part*kept, int64(rules.Whole)*minute))
}

// eraOf is the epoch under whose rules a quote was made.
func (x *state) eraOf(q *heldQuote) int {
	if q.Era > 0 {
		return min(q.Era, len(x.epochs)) - 1
	}
	return x.eraAt(q.MadeUS) // of before it was noted
}

// endHold gives what a quote holds back, less its rent.
func (x *Exchange) endHold(q *heldQuote, rent market.Money) {
	var tx ledger.Tx
	var err error
	if rent > 0 {
		memo := fmt.Sprintf("quote %s was not taken: rent for %d s", q.ID, (min(x.now, q.ExpiresUS)-q.MadeUS)/1_000_000)
		tx, err = x.ledger.Rent(x.now, q.Job, rent, memo)
	} else {
		tx, err = x.ledger.Release(x.now, q.Job)
	}
	if err != nil {
		broken(15, fmt.Sprintf("quote %s: %v", q.ID, err))
	}
	x.fx.tx(tx)
	q.Held, q.Rent, q.Keeps = 0, 0, 0
}
