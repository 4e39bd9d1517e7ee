package sim

import (
	"slices"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/wish"
)

// Choice is how the door chooses among sites.
type Choice struct {
	Wish wish.Wish
	// Ask is how many sites are asked about a job, a different few each time; 0 is
	// all of them.
	Ask int
}

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
		if s.Choice.Wish == wish.First {
			break
		}
	}
	if len(s.bids) == 0 {
		return market.Int32(first)
	}
	if refused {
		s.forward++
	}
	return slices.MinFunc(s.bids, func(a, b bid) int {
		return s.Choice.Wish.Compare(a.weighed(s.charge), b.weighed(s.charge))
	}).site
}

// weighed is a bid as the live broker weighs it. Where nobody foresees an end, as in
// a queue, the last tie is broken by who has least to do, else by the order of the
// sites.
func (b *bid) weighed(charge []float64) *wish.Bid {
	done, turn := foreseen(&b.quote), 0.0
	if done == market.Never {
		turn = charge[b.site]
	}
	return &wish.Bid{Price: int64(b.quote.Price), Gain: int64(b.quote.Gain), Done: float64(done), Firm: b.quote.Firm, Turn: turn}
}

// foreseen is when a job would be done.
func foreseen(q *market.Quote) market.Time {
	if q.Expected > 0 {
		return q.Expected
	}
	return q.Finish
}
