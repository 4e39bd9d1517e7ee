package policy

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// passage is what those pay for the time who would make way for a job, and how many times that it
// has to pay.
type passage struct {
	cost  float64
	times float64
}

// paidBy reports whether a job pays that which is sold for so much.
func (w passage) paidBy(price market.Price) bool { return market.Price(w.cost * w.times).Within(price) }

// show says it beside the price, so that who waits knows what would have done.
func (w passage) show(a *Answer) {
	if w.cost > 0 {
		a.Working.add("others pay", "", w.cost)
		a.Working.add("times", "", w.times)
	}
}

// crowded is how many processors there are to each job that waits where the press is at its height.
const crowded = 5

// times is how many times what those pay who make way a job has to pay: the more who wait, the more.
// What is given to it is not given to one of them, and of many there is one who pays well.
func (p *makeWay) times(v book.View) float64 {
	full := crowded * float64(v.Waiting()) / float64(v.Processors())
	return p.margin + float64(p.press*min(1, full))
}
