package policy

import (
	"slices"
	"sort"

	"github.com/libra-market/libra/core/book"
)

// bids are the offers of all who are here, the best rate first, with what those need who make them: what is
// needed above a rate, and whose offer is the last of so much, is found without a look at everybody. They lie in
// short rows, and what the rows before one need is kept.
//
// It is a cache: made anew from the book it is the same.
type bids struct {
	of   book.View
	turn int // of the last change of the book that it knows of

	rows  []row
	above []int64 // by row: what all before it need
	right int     // so many of those are right
	by    []bid   // by slot: as it stands in a row
	is    []bool  // by slot: whether it does
}

type bid struct {
	rate float64
	need int64
	slot book.Slot
}

type row struct {
	bids []bid // never none
	need int64 // of all of them
}

// mostBids is how many there are in a row before it is cut into two.
const mostBids = 256

// before says which of two is the better one.
func (b *bid) before(c *bid) bool {
	return b.rate > c.rate || b.rate == c.rate && b.slot < c.slot
}

// put takes down what somebody offers, in place of what was there of them before.
func (l *bids) put(b bid) {
	for int(b.slot) >= len(l.by) {
		l.by, l.is = append(l.by, bid{}), append(l.is, false)
	}
	if l.is[b.slot] {
		if l.by[b.slot] == b {
			return
		}
		l.remove(b.slot)
	}
	l.by[b.slot], l.is[b.slot] = b, true
	at := l.row(&b)
	if at == len(l.rows) {
		if at--; at < 0 {
			l.rows, l.above, l.right = append(l.rows, row{bids: []bid{b}, need: b.need}), append(l.above, 0), 1
			return
		}
	}
	r := &l.rows[at]
	r.bids = slices.Insert(r.bids, r.place(&b), b)
	r.need += b.need
	l.right = min(l.right, at+1)
	if len(r.bids) < mostBids {
		return
	}
	second := row{bids: slices.Clone(r.bids[mostBids/2:])}
	for i := range second.bids {
		second.need += second.bids[i].need
	}
	r.bids, r.need = r.bids[:mostBids/2], r.need-second.need
	l.rows, l.above = slices.Insert(l.rows, at+1, second), append(l.above, 0)
}

// clear strikes out all of them.
func (l *bids) clear() {
	clear(l.is)
	l.rows, l.above, l.right = l.rows[:0], l.above[:0], 0
}

// remove strikes out what somebody offered, if there was anything.
func (l *bids) remove(s book.Slot) {
	if int(s) >= len(l.is) || !l.is[s] {
		return
	}
	b := l.by[s]
	l.is[s] = false
	at := l.row(&b)
	r := &l.rows[at]
	in := r.place(&b)
	r.bids, r.need = slices.Delete(r.bids, in, in+1), r.need-b.need
	l.right = min(l.right, at+1)
	if len(r.bids) == 0 {
		l.rows, l.above = slices.Delete(l.rows, at, at+1), l.above[:len(l.above)-1]
	}
}

// row is the first whose last is not before a bid.
func (l *bids) row(b *bid) int {
	return sort.Search(len(l.rows), func(i int) bool {
		r := l.rows[i].bids
		return !r[len(r)-1].before(b)
	})
}

// place is the first in a row that is not before a bid.
func (r *row) place(b *bid) int {
	return sort.Search(len(r.bids), func(i int) bool { return !r.bids[i].before(b) })
}

// sum makes what is kept of the rows before each right, as far as a row.
func (l *bids) sum(to int) {
	for ; l.right <= to; l.right++ {
		l.above[l.right] = 0
		if last := l.right - 1; last >= 0 {
			l.above[l.right] = l.above[last] + l.rows[last].need
		}
	}
}

// marginal is the rate of the first bid that together with all better ones needs more than so much; 0, where all need no more.
func (l *bids) marginal(most float64) (rate float64, some bool) {
	l.sum(len(l.rows) - 1)
	at := sort.Search(len(l.rows), func(i int) bool { return float64(l.above[i]+l.rows[i].need) > most })
	if at == len(l.rows) {
		return 0, false
	}
	need, there := l.above[at], l.rows[at].bids
	in := 0
	for need += there[in].need; float64(need) <= most; need += there[in].need {
		in++
	}
	return there[in].rate, true
}

// at visits the bids at a rate.
func (l *bids) at(rate float64, visit func(b *bid)) {
	first := bid{rate: rate, slot: -1}
	for at := l.row(&first); at < len(l.rows); at++ {
		for i := range l.rows[at].bids {
			b := &l.rows[at].bids[i]
			if b.rate < rate {
				return
			}
			if b.rate == rate {
				visit(b)
			}
		}
	}
}

// needAbove is what those need together who offer more than a rate.
func (l *bids) needAbove(rate float64) int64 {
	least := bid{rate: rate, slot: -1}
	at := l.row(&least)
	if at == len(l.rows) {
		if at == 0 {
			return 0
		}
		l.sum(at - 1)
		return l.above[at-1] + l.rows[at-1].need
	}
	l.sum(at)
	need := l.above[at]
	for _, b := range l.rows[at].bids[:l.rows[at].place(&least)] {
		need += b.need
	}
	return need
}
