package sim

import (
	"cmp"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// Choice is how the door chooses among sites.
type Choice struct {
	Wish Wish
	// Ask is how many sites are asked about a job, a different few each time; 0 is
	// all of them.
	Ask int
}

// Wish is what the jobs of a run want of the clusters, in the words of the live
// broker.
type Wish string

// The wishes.
const (
	Cheapest Wish = "cheapest" // the lowest price
	Fastest  Wish = "fastest"  // done soonest, as the clusters foresee it
	Gain     Wish = "gain"     // the cluster that gains most by it (003)
	First    Wish = "first"    // the first that takes it (004, figure 1)
)

// Wishes are all of them, the usual one first.
func Wishes() []Wish { return []Wish{Cheapest, Fastest, Gain, First} }

// bid is what a site would do for a job.
type bid struct {
	site  int32
	quote market.Quote
}

// choose asks the sites about a job, and says to which it goes: the best that
// would take it, or the first that was asked, to be refused by it.
func (s *Sites) choose(at market.Time, j *market.Job) int32 {
	s.bids = s.bids[:0]
	n := len(s.clusters)
	ask, first := n, 0
	if s.Choice.Ask > 0 && s.Choice.Ask < n {
		ask = s.Choice.Ask
		first = int(int64(j.ID) * int64(ask) % int64(n))
	}
	refused, idle := false, false
	for i := range ask {
		site := market.Int32((first + i) % n)
		if s.living[site] == 0 && !s.marred[site] {
			if idle { // it would answer like the idle one before it, which stands first
				continue
			}
			idle = true
		}
		s.asked++
		quote, err := s.clusters[site].Quote(at, *j)
		if err != nil { // a refusal: what makes no sense was found when the job was read
			refused = true
			continue
		}
		s.bids = append(s.bids, bid{site, quote})
		if s.Choice.Wish == First {
			break
		}
	}
	if len(s.bids) == 0 {
		return market.Int32(first)
	}
	if refused {
		s.forward++
	}
	return slices.MinFunc(s.bids, s.Choice.Wish.compare(s.charge)).site
}

// compare ranks bids as the live broker does: whatever the wish, a tie is broken by
// the other things that people care for. Where nobody foresees an end, as in a
// queue, it is broken by who has least to do, and last by the order of the sites.
func (w Wish) compare(charge []float64) func(a, b bid) int {
	return func(a, b bid) int {
		price := cmp.Compare(a.quote.Price, b.quote.Price)
		soon := cmp.Compare(foreseen(&a.quote), foreseen(&b.quote))
		firm := 0
		if a.quote.Firm != b.quote.Firm {
			firm = 1
			if a.quote.Firm {
				firm = -1
			}
		}
		idler := 0
		if foreseen(&a.quote) == market.Never {
			idler = cmp.Compare(charge[a.site], charge[b.site])
		}
		switch w {
		case Fastest:
			return cmp.Or(soon, firm, price, idler)
		case Gain:
			return cmp.Or(cmp.Compare(b.quote.Gain, a.quote.Gain), price, firm, soon, idler)
		default:
			return cmp.Or(price, firm, soon, idler)
		}
	}
}

// foreseen is when a job would be done.
func foreseen(q *market.Quote) market.Time {
	if q.Expected > 0 {
		return q.Expected
	}
	return q.Finish
}
