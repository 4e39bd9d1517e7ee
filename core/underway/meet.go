package underway

import "github.com/libra-market/libra/core/market"

// Meet looks at the jobs that are given other shares, before anything is done about
// them. Each lies elsewhere in memory, and met one after the other each is waited for;
// looked at together, all are waited for at once. It changes nothing.
func (b *Book) Meet(said []market.Event) {
	b.met = b.met[:0]
	for i := range said {
		if said[i].Kind != market.Granted {
			continue
		}
		if j := b.byID[int64(said[i].Job)]; j != nil {
			b.met = append(b.met, j)
		}
	}
	ranks := 0
	for _, j := range b.met {
		ranks += len(j.Ranks)
	}
	points := 0
	for _, j := range b.met {
		points += len(j.Timeline)
	}
	speeds := 0.0
	for _, j := range b.met {
		if len(j.Ranks) > 0 {
			speeds += j.Ranks[0].Speed
		}
	}
	b.seen = float64(ranks+points) + speeds
}
