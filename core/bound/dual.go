package bound

import (
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// request is an offer that could be met on an empty cluster.
type request struct {
	from, due float64
	gone      float64 // when nothing is left of its worth
	seconds   float64 // it takes, at full speed
	speed     float64 // work per second while it runs
	worth     float64
	fade      float64
	first     int // bucket in which it comes
	last      int // bucket in which it is due
	end       int // bucket in which nothing is left of its worth
}

// dual is the Lagrangian function of the prices of time.
type dual struct {
	requests []request
	starts   []float64 // of the buckets, and the end of the last; after that time is free
	room     []float64 // work that can be done in a bucket

	// Scratch.
	used  []float64 // work that the requests buy in each bucket: the caller's
	parts []part
	heap  []part
}

// part is some seconds of a bucket.
type part struct {
	price   float64
	seconds float64
	bucket  int
}

// newDual cuts time at what happens in it, into no more than so many buckets. free is the
// worth of what cannot be in anybody's way.
func newDual(offers []Offer, c Cluster, buckets int) (d *dual, free float64) {
	d = &dual{}
	var cuts []float64
	for i := range offers {
		r, possible := newRequest(&offers[i], c)
		switch {
		case !possible:
			continue
		case r.seconds == 0 || math.IsInf(r.gone, 1) && r.fade == 0:
			free += r.worth // it waits until there is room
			continue
		}
		d.requests = append(d.requests, r)
		cuts = append(cuts, r.from, r.due)
		if r.gone > r.due {
			cuts = append(cuts, r.gone)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	d.starts = thinned(cuts, buckets)
	for b := 1; b < len(d.starts); b++ {
		d.room = append(d.room, c.Speed()*(d.starts[b]-d.starts[b-1]))
	}
	for i := range d.requests {
		r := &d.requests[i]
		r.first, r.last, r.end = d.bucket(r.from), d.bucket(r.due), d.bucket(r.gone)
	}
	return d, free
}

// newRequest is an offer as the dual sees it. Whoever ends within rounding of his deadline is
// in time, and whoever has rounding left to do is done.
func newRequest(o *Offer, c Cluster) (r request, possible bool) {
	speed, possible := c.gang(o.Width)
	if !possible || !(o.Worth > 0) {
		return r, false
	}
	slack := 2*float64(market.TimeSlack) + 1e-12*math.Abs(float64(o.Until))
	work := math.Max(0, float64(o.Work)-float64(market.WorkSlack)) * float64(o.Width)
	r = request{
		from: float64(o.From), due: float64(o.Until) + slack, seconds: work / speed, speed: speed, worth: o.Worth, fade: o.Fade,
	}
	r.gone = r.due
	switch {
	case !o.Until.Finite() || o.Fade == 0:
		r.due, r.gone, r.fade = math.Inf(1), math.Inf(1), 0
	case !math.IsInf(o.Fade, 1):
		r.gone = r.due + o.Worth/o.Fade
	}
	return r, r.from+r.seconds <= r.gone
}

// thinned keeps the ends of a list and no more than n between them, evenly.
func thinned(cuts []float64, n int) []float64 {
	if len(cuts) <= n+1 {
		return cuts
	}
	kept := make([]float64, 0, n+1)
	for i := range n + 1 {
		kept = append(kept, cuts[i*(len(cuts)-1)/n])
	}
	return slices.Compact(kept)
}

// bucket is where a time is.
func (d *dual) bucket(at float64) int {
	b, found := slices.BinarySearch(d.starts, at)
	if !found {
		b--
	}
	return min(max(b, 0), len(d.room)-1)
}

// Room is the work that can be done in each bucket.
func (d *dual) Room() []float64 { return d.room }

// Value is the dual function at some prices, and leaves in used what they make the
// requests buy. Nobody has two good choices that differ much.
func (d *dual) Value(prices, used []float64, _ float64) float64 {
	d.used = used
	clear(d.used)
	total := 0.0
	for b, p := range prices {
		total += p * d.room[b]
	}
	for i := range d.requests {
		r := &d.requests[i]
		if r.gone > r.due {
			total += d.fading(r, prices)
		} else {
			total += d.lapsing(r, prices)
		}
	}
	return total
}

// lapsing is what a request brings that has to be done by its deadline: its worth less
// the cheapest seconds of its window, or nothing.
func (d *dual) lapsing(r *request, prices []float64) float64 {
	d.parts = d.parts[:0]
	for b := r.first; b <= r.last; b++ {
		if s := d.within(b, r.from, r.due); s > 0 {
			d.parts = append(d.parts, part{price: prices[b], seconds: s, bucket: b})
		}
	}
	cost := d.cheapest(d.parts, r.seconds) * r.speed
	if cost >= r.worth {
		return 0
	}
	d.buy(r, d.parts)
	return r.worth - cost
}

// within is how much of a bucket lies between two times.
func (d *dual) within(b int, from, until float64) float64 {
	return math.Min(d.starts[b+1], until) - math.Max(d.starts[b], from)
}

// buy takes the seconds that a request needs, the first of the parts first.
func (d *dual) buy(r *request, parts []part) {
	left := r.seconds
	for _, p := range parts {
		if left <= 0 {
			return
		}
		s := math.Min(left, p.seconds)
		d.used[p.bucket] += s * r.speed
		left -= s
	}
}

// cheapest is what so many of the seconds cost that are cheapest, and moves these to the
// front. Like a selection, it sorts no more than it must.
func (d *dual) cheapest(parts []part, seconds float64) float64 {
	cost := 0.0
	for len(parts) > 0 && seconds > 0 {
		pivot := parts[len(parts)/2].price
		low, equal, sum, same := 0, 0, 0.0, 0.0
		for i, p := range parts { // cheaper ones first, then equal ones
			switch {
			case p.price < pivot:
				parts[i] = parts[equal]
				parts[equal] = parts[low]
				parts[low] = p
				low++
				equal++
				sum += p.seconds
			case p.price == pivot:
				parts[i] = parts[equal]
				parts[equal] = p
				equal++
				same += p.seconds
			}
		}
		switch {
		case sum >= seconds:
			parts = parts[:low]
		case sum+same >= seconds:
			for _, p := range parts[:low] {
				cost += p.price * p.seconds
			}
			return cost + pivot*(seconds-sum)
		default:
			for _, p := range parts[:equal] {
				cost += p.price * p.seconds
			}
			seconds -= sum + same
			parts = parts[equal:]
		}
	}
	return cost
}

// fading is what a request brings that loses worth by and by. Of an end within a
// bucket it is said that its worth is that of the beginning and its window reaches to the
// end: a little more than there is.
func (d *dual) fading(r *request, prices []float64) float64 {
	best, until := 0.0, 0.0
	d.heap = d.heap[:0]
	have, cost := 0.0, 0.0
	for b := r.first; b <= r.end; b++ {
		from, to := math.Max(d.starts[b], r.from), math.Min(d.starts[b+1], r.gone)
		for from < to {
			end := to
			if from < r.due && r.due < to {
				end = r.due
			}
			have, cost = d.take(part{price: prices[b], seconds: end - from, bucket: b}, r.seconds, have, cost)
			worth := r.worth - r.fade*math.Max(0, from-r.due)
			if have >= r.seconds*(1-1e-12) && worth-cost*r.speed > best && end >= r.due {
				best, until = worth-cost*r.speed, end
			}
			from = end
		}
	}
	if best > 0 {
		d.buyUntil(r, prices, until)
	}
	return best
}

// take adds seconds to those chosen, a heap with the dearest on top, and gives back the
// dearest that are too many.
func (d *dual) take(p part, wanted, have, cost float64) (float64, float64) {
	if have >= wanted && (len(d.heap) == 0 || d.heap[0].price <= p.price) {
		return have, cost
	}
	d.heap = append(d.heap, p)
	up(d.heap)
	have, cost = have+p.seconds, cost+p.seconds*p.price
	for have > wanted {
		top := &d.heap[0]
		if over := have - wanted; over < top.seconds {
			top.seconds -= over
			return wanted, cost - over*top.price
		}
		have, cost = have-top.seconds, cost-top.seconds*top.price
		last := len(d.heap) - 1
		d.heap[0] = d.heap[last]
		d.heap = d.heap[:last]
		down(d.heap)
	}
	return have, cost
}

// buyUntil takes the cheapest seconds of a window that ends at a time.
func (d *dual) buyUntil(r *request, prices []float64, until float64) {
	d.parts = d.parts[:0]
	for b := r.first; b <= r.end; b++ {
		if s := d.within(b, r.from, until); s > 0 {
			d.parts = append(d.parts, part{price: prices[b], seconds: s, bucket: b})
		}
	}
	d.cheapest(d.parts, r.seconds)
	d.buy(r, d.parts)
}

func up(heap []part) {
	for i := len(heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if heap[parent].price >= heap[i].price {
			return
		}
		heap[parent], heap[i] = heap[i], heap[parent]
		i = parent
	}
}

func down(heap []part) {
	for i := 0; ; {
		most := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(heap) && heap[child].price > heap[most].price {
				most = child
			}
		}
		if most == i {
			return
		}
		heap[i], heap[most] = heap[most], heap[i]
		i = most
	}
}
