package policy

import (
	"cmp"
	"slices"
	"sort"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// lenders says of those who could make way at once what none of them exceeds, the longer they could the
// sooner: whether they are enough for a job, and what they cost at least, is known of most without
// asking each. Where many wait each of those asks at every event.
type lenders struct {
	drawn bool
	list  []lent
}

// lent is what somebody could lend, and all who could lend for as long or longer.
type lent struct {
	most  market.Time // for how long a job that makes it wait may be
	procs int         // of all of them
	rate  float64     // what the cheapest of them pays for a second of a processor
	later market.Time // by how much the delay of any of them is less than that
}

// That is worked out from so many waiting jobs on, and where one waits for every so many who could make way: else it costs
// more than asking them.
const (
	manyAsk = 4
	fewLend = 8
)

// draw works it out anew.
func (q *lenders) draw(from []lender, spares []market.Time, now market.Time) {
	q.drawn, q.list = true, q.list[:0]
	for i := range from {
		l := &from[i]
		most := spares[i]
		if !l.last {
			most = min(most, market.Time(l.leftAt(now)-market.WorkSlack))
		}
		q.list = append(q.list, lent{most: most, procs: l.procs, rate: l.each, later: max(0, l.begins-now)})
	}
	slices.SortFunc(q.list, func(a, b lent) int { return cmp.Compare(b.most, a.most) })
	for i := 1; i < len(q.list); i++ {
		l, before := &q.list[i], &q.list[i-1]
		l.procs, l.rate, l.later = l.procs+before.procs, min(l.rate, before.rate), max(l.later, before.later)
	}
}

// of is what those have together who could make way for a job that takes so long, where all processors are alike.
func (q *lenders) of(long market.Time) lent {
	n := sort.Search(len(q.list), func(i int) bool { return q.list[i].most < long })
	if n == 0 {
		return lent{}
	}
	return q.list[n-1]
}

// hopeless reports that a job which needs so many processors more than are idle, and takes so long, finds nobody to make
// way for it: there are too few, or even the cheapest would cost more than it pays.
func (p *makeWay) hopeless(v book.View, missing int, price market.Price, long market.Time) bool {
	if waiting := v.Waiting(); waiting < manyAsk || fewLend*waiting < len(p.line.lenders) || missing <= 0 || p.everybody {
		return false
	}
	q := &p.line.together
	if !q.drawn {
		q.draw(p.line.lenders, p.line.spares, v.Now())
	}
	all := q.of(long)
	if all.procs < missing {
		return true
	}
	delay := long - all.later
	if delay <= 0 {
		return false // somebody may lend for nothing
	}
	least := all.rate * float64(delay) * float64(missing)
	return !(passage{cost: least * (1 - 1e-9), times: p.times(v)}).paidBy(price)
}
