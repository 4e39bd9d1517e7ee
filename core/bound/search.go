package bound

import (
	"cmp"
	"math"
	"slices"
)

// Effort bounds what a search may cost.
type Effort struct {
	Buckets int // into which time is cut at most
	Looks   int // at a bucket for a job, in all rounds together: what time a search takes
}

// The efforts: with what a laboratory has, and with what a page has that somebody waits
// for. The second is a few parts in a thousand above the first.
var (
	Thorough = Effort{Buckets: 3000, Looks: 150_000_000}
	Quick    = Effort{Buckets: 400, Looks: 5_000_000}
)

// mostRounds ends a search on few jobs, for which looks are no limit.
const mostRounds = 4000

// rounding is what sums of many numbers may be wrong by, as a part of them.
const rounding = 1e-9

// Most is a worth that no choice of the offers exceeds that the cluster could meet. Of
// an endless worth it is endless.
func Most(offers []Offer, c Cluster, e Effort) float64 {
	d, free := newDual(offers, c, e.Buckets)
	if math.IsInf(free, 1) || slices.ContainsFunc(d.requests, func(r request) bool { return math.IsInf(r.worth, 1) }) {
		return math.Inf(1)
	}
	if len(d.requests) == 0 {
		return free
	}
	return free + d.least(e)
}

// least searches for the prices at which the dual is least: steps against its gradient,
// as long as Polyak would make them if the least were a little below the best so far. Where
// that little turns out to be too much it is halved, and the search goes on from the
// best. A stretch of time is weighed by the room in it.
func (d *dual) least(e Effort) float64 {
	prices := make([]float64, len(d.room))
	best := d.value(prices)
	if d.fits() {
		return best // all of it can be done
	}
	top := slices.Clone(prices)
	if flat := d.knapsack(); flat > 0 {
		for b := range prices {
			prices[b] = flat
		}
	}
	heading := make([]float64, len(prices))
	ahead, failed, looked := 0.1, 0, d.looks()
	for round, looks := 0, looked; round < mostRounds && looks < e.Looks && ahead > 1e-7; round, looks = round+1, looks+looked {
		value := d.value(prices)
		switch {
		case value < best*(1-ahead/4):
			best, failed = value, 0
			copy(top, prices)
		case value < best:
			best = value
			copy(top, prices)
			failed++
		default:
			failed++
		}
		if failed > 12 {
			failed, ahead = 0, ahead/2
			copy(prices, top)
			clear(heading)
			value = d.value(prices)
		}
		d.step(prices, heading, value-best*(1-ahead))
	}
	return best * (1 + rounding)
}

// step moves the prices against the gradient, bent by where they came from, by so much
// that a straight line would lose gap.
func (d *dual) step(prices, heading []float64, gap float64) {
	const memory = 0.5
	norm := 0.0
	for b, room := range d.room {
		slope := (room - d.used[b]) / room
		if slope > 0 && prices[b] == 0 {
			slope = 0 // it cannot fall
		}
		heading[b] = (1-memory)*slope + memory*heading[b]
		norm += heading[b] * heading[b] * room
	}
	if norm == 0 {
		return
	}
	for b := range prices {
		prices[b] = math.Max(0, prices[b]-gap/norm*heading[b])
	}
}

// fits reports whether what the requests buy can be had.
func (d *dual) fits() bool {
	for b, room := range d.room {
		if d.used[b] > room {
			return false
		}
	}
	return true
}

// knapsack is the price at which requests want as much as there is if all time is
// alike: that of the best-paying work first until there is no more room.
func (d *dual) knapsack() float64 {
	order := slices.Clone(d.requests)
	slices.SortFunc(order, func(a, b request) int { return cmp.Compare(b.rate(), a.rate()) })
	left := 0.0
	for _, room := range d.room {
		left += room
	}
	for i := range order {
		if left -= order[i].seconds * order[i].speed; left < 0 {
			return order[i].rate()
		}
	}
	return 0
}

// rate is what a request brings for each unit of work.
func (r *request) rate() float64 { return r.worth / (r.seconds * r.speed) }

// looks is how many buckets a round looks at.
func (d *dual) looks() int {
	n := len(d.room)
	for i := range d.requests {
		r := &d.requests[i]
		if r.gone > r.due {
			n += 5 * (r.end - r.first + 1) // it sorts
		} else {
			n += r.end - r.first + 1
		}
	}
	return n
}
