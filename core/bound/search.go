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
	least, _ := Least(d, e)
	return free + least
}

// Dual is a function of prices for room: whatever they are, its value is a bound.
type Dual interface {
	// Room is how much there is at each price.
	Room() []float64
	// Value is the bound at some prices. It leaves in used how much they make people buy.
	// Whose next best choice brings less than the best by no more than near, as a
	// part of it, may be said to buy some of either: then few prices do not make all
	// change their minds at once.
	Value(prices, used []float64, near float64) float64
	// Guess changes prices of nothing into those that a search starts from.
	Guess(prices []float64)
	// Looks is what a value costs.
	Looks() int
}

// Least searches for the prices at which a dual is least: steps against its gradient,
// as long as Polyak would make them if the least were a little below the best so far. Where
// that little turns out to be too much it is halved, and the search goes on from the
// best. A stretch of time is weighed by the room in it. It returns the prices that it
// found too.
func Least(d Dual, e Effort) (best float64, top []float64) {
	room := d.Room()
	prices, used := make([]float64, len(room)), make([]float64, len(room))
	best = d.Value(prices, used, 0)
	top = slices.Clone(prices)
	if fits(room, used) {
		return best, top // all of it can be done
	}
	d.Guess(prices)
	heading := make([]float64, len(prices))
	ahead, failed, looked := 0.1, 0, d.Looks()
	for round, looks := 0, looked; round < mostRounds && looks < e.Looks && ahead > 1e-7; round, looks = round+1, looks+looked {
		value := d.Value(prices, used, ahead)
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
			value = d.Value(prices, used, ahead)
		}
		step(room, used, prices, heading, value-best*(1-ahead))
	}
	return best * (1 + rounding), top
}

// step moves the prices against the gradient, bent by where they came from, by so much
// that a straight line would lose gap.
func step(rooms, used, prices, heading []float64, gap float64) {
	const memory = 0.5
	norm := 0.0
	for b, room := range rooms {
		slope := (room - used[b]) / room
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

// fits reports whether what is bought can be had.
func fits(rooms, used []float64) bool {
	for b, room := range rooms {
		if used[b] > room {
			return false
		}
	}
	return true
}

// Guess begins with the knapsack.
func (d *dual) Guess(prices []float64) {
	if flat := d.knapsack(); flat > 0 {
		for b := range prices {
			prices[b] = flat
		}
	}
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

// Looks is how many buckets a round looks at.
func (d *dual) Looks() int {
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
