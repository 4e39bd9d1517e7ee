package wish

import (
	"cmp"
	"slices"
)

// Wish is what matters when several clusters would take a job.
type Wish string

// The wishes.
const (
	Cheapest Wish = "cheapest" // the lowest price
	Fastest  Wish = "fastest"  // done soonest, as the clusters foresee it
	Gain     Wish = "gain"     // the cluster that gains most by it (003)
	First    Wish = "first"    // the first in the order of the clusters that takes it (004, figure 1)
)

// All are all of them, the usual one first.
func All() []Wish { return []Wish{Cheapest, Fastest, Gain, First} }

// Known reports whether there is such a wish.
func (w Wish) Known() bool { return slices.Contains(All(), w) }

// Bid is what a cluster would do for a job, in units that are the same for all who
// bid. Done is math.Inf(1), or as late as can be, where nobody foresees an end. Turn
// breaks the last tie: the order of the clusters, or who has least to do.
type Bid struct {
	Price, Gain int64
	Done        float64
	Firm        bool
	Turn        float64
}

// Compare puts the better bid first. Whatever the wish, a tie is broken by the other
// things that people care for.
func (w Wish) Compare(a, b *Bid) int {
	price, done, turn := cmp.Compare(a.Price, b.Price), cmp.Compare(a.Done, b.Done), cmp.Compare(a.Turn, b.Turn)
	firm := 0
	if a.Firm != b.Firm {
		firm = 1
		if a.Firm {
			firm = -1
		}
	}
	switch w {
	case Fastest:
		return cmp.Or(done, firm, price, turn)
	case Gain:
		return cmp.Or(cmp.Compare(b.Gain, a.Gain), price, firm, done, turn)
	case First:
		return turn
	default:
		return cmp.Or(price, firm, done, turn)
	}
}
