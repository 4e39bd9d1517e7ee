package underway

import (
	"iter"

	"github.com/libra-market/libra/core/market"
)

// Meet looks at the jobs that are given other shares, before anything is done about
// them: by event, nil for what gives none. Each lies elsewhere in memory, and met one after
// the other each is waited for; looked at together, all are waited for at once. It changes
// nothing. Who it found may be gone once a job has been removed; see Left.
func (b *Book) Meet(said []market.Event) []*Job {
	b.met = b.met[:0]
	for i := range said {
		var j *Job
		if said[i].Kind == market.Granted {
			j = b.on(said[i].Slot, int64(said[i].Job))
		}
		b.met = append(b.met, j)
	}
	b.look(b.met)
	return b.met
}

// on is the job that the core has on a slot: where it was met before it need not be looked
// up, which is to wait for memory once more. nil: it is not under way.
func (b *Book) on(slot int32, id int64) *Job {
	if slot < 0 {
		return b.byID[id]
	}
	for int(slot) >= len(b.seats) {
		b.seats = append(b.seats, seat{})
	}
	at := &b.seats[slot]
	if at.job != nil && at.id == id {
		return at.job
	}
	j := b.byID[id]
	if j != nil {
		b.stand(j)
		*at = seat{id, j}
		j.seat = slot + 1
	}
	return j
}

// stand takes a job from the slot on which it was met.
func (b *Book) stand(j *Job) {
	if i := int(j.seat) - 1; i >= 0 && i < len(b.seats) && b.seats[i].job == j {
		b.seats[i] = seat{}
	}
}

// look waits for all that a new share is written to, and for what says whether it is
// another one.
func (b *Book) look(at []*Job) {
	ranks, shares := 0, 0.0
	for _, j := range at {
		if j != nil {
			ranks += len(j.Ranks)
		}
	}
	for _, j := range at {
		if j != nil {
			shares += j.Share
		}
	}
	points := 0
	for _, j := range at {
		if j != nil {
			points += len(j.Timeline)
		}
	}
	speeds := 0.0
	for _, j := range at {
		if j != nil && len(j.Ranks) > 0 {
			speeds += j.Ranks[0].Speed
		}
	}
	b.seen = float64(ranks+points) + speeds + shares
}

// Left counts the jobs that were removed so far.
func (b *Book) Left() int { return b.left }

// Together goes through jobs by their numbers, and looks at some ahead at a time: see
// Meet. Whoever is not under way is left out.
func (b *Book) Together(ids []int64) iter.Seq[*Job] {
	const some = 32
	return func(yield func(*Job) bool) {
		var next [some]*Job
		for len(ids) > 0 {
			n := min(some, len(ids))
			seen := 0
			for i, id := range ids[:n] {
				next[i] = b.byID[id]
			}
			for _, j := range next[:n] {
				if j != nil && j.Leaving == nil {
					seen += len(j.Ranks) + j.Request.Threads
				}
			}
			for _, j := range next[:n] {
				if j != nil && len(j.Ranks) > 0 && len(j.Specs) > 0 {
					seen += j.Ranks[0].Node + j.Specs[0].Key.Rank
				}
			}
			b.ahead = seen
			for _, j := range next[:n] {
				if j != nil && !yield(j) {
					return
				}
			}
			ids = ids[n:]
		}
	}
}
