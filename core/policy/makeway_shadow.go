package policy

import (
	"cmp"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// shadow is when so many processors will be idle if nobody else comes, and how many more
// will be.
func (p *makeWay) shadow(v book.View, width int) (at market.Time, extra int) {
	p.line.survey(v, p.everybody)
	return p.line.reach(v.Idle(), width)
}

// reach is when so many processors are idle of which some are now, and how many more are: those leave them who end
// first, and of those who end together the lowest number.
func (q *lineup) reach(idle, width int) (at market.Time, extra int) {
	rate, some := q.ends.marginal(float64(width - idle - 1))
	if !some {
		return market.Never, 0
	}
	idle += int(q.ends.needAbove(rate))
	q.line = q.line[:0]
	q.ends.at(rate, func(b *bid) { q.line = append(q.line, b.slot) })
	slices.SortFunc(q.line, func(s, other book.Slot) int {
		return cmp.Compare(q.up[q.at[s]-1].job, q.up[q.at[other]-1].job)
	})
	for _, s := range q.line {
		if idle += q.up[q.at[s]-1].alone; idle >= width {
			break
		}
	}
	return market.Time(-rate), idle - width
}
