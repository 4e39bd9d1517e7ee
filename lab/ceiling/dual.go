package ceiling

import (
	"math"
	"slices"

	"github.com/libra-market/libra/core/bound"
	"github.com/libra-market/libra/lab/grid"
)

// dual is the Lagrangian function of the prices of processor-seconds, by site and bucket of
// time (package bound says what that is).
type dual struct {
	sites  []grid.Resource
	asks   []ask
	starts []float64 // of the buckets, and the end of the last
	room   []float64 // processor-seconds, by site and bucket
	looks  int
}

// ask is an application as the dual sees it.
type ask struct {
	jobs      float64
	worth     float64 // of a job whose mandatory part is done
	mandatory []float64
	pieces    []piece   // of a job
	windows   []window  // by site, where it can be in time
	brings    []float64 // by site: scratch
}

// window is the time in which an application may run at a site, in the order in which it was
// cheapest when last asked.
type window struct {
	parts []part
	spent float64 // seconds that a job buys there: scratch
}

// part is some seconds of a bucket.
type part struct {
	price   float64
	seconds float64
	bucket  int
}

// newDual cuts time into no more than so many buckets.
func newDual(sites []grid.Resource, apps []grid.Application, buckets int) *dual {
	d := &dual{sites: sites}
	for i := range apps {
		d.starts = append(d.starts, float64(apps[i].Arrival), due(&apps[i]))
	}
	slices.Sort(d.starts)
	d.starts = thinned(slices.Compact(d.starts), buckets)
	for _, r := range sites {
		for b := range d.buckets() {
			d.room = append(d.room, float64(r.Processors)*(d.starts[b+1]-d.starts[b]))
		}
	}
	for i := range apps {
		d.ask(&apps[i])
	}
	return d
}

func (d *dual) buckets() int { return len(d.starts) - 1 }

// thinned keeps the ends of a list and no more than n between them, evenly.
func thinned(cuts []float64, n int) []float64 {
	if len(cuts) <= n+1 {
		return cuts
	}
	var kept []float64
	for i := range n + 1 {
		kept = append(kept, cuts[i*(len(cuts)-1)/n])
	}
	return slices.Compact(kept)
}

// ask takes an application on, if there is a site where it could be in time alone.
func (d *dual) ask(a *grid.Application) {
	q := ask{
		jobs: float64(a.Jobs), worth: float64(a.Worth + a.Budget.At(0)), pieces: pieces(0, a, 1),
		windows: make([]window, len(d.sites)), brings: make([]float64, len(d.sites)), mandatory: make([]float64, len(d.sites)),
	}
	possible := false
	for s, r := range d.sites {
		if q.mandatory[s] = seconds(a, r.MIPS); q.mandatory[s] > due(a)-float64(a.Arrival) {
			continue
		}
		possible = true
		for b := range d.buckets() {
			length := math.Min(d.starts[b+1], due(a)) - math.Max(d.starts[b], float64(a.Arrival))
			if length > 0 {
				q.windows[s].parts = append(q.windows[s].parts, part{seconds: length, bucket: s*d.buckets() + b})
			}
		}
		d.looks += len(q.windows[s].parts)
	}
	if possible {
		d.asks = append(d.asks, q)
	}
}

// Room is processor-seconds.
func (d *dual) Room() []float64 { return d.room }

// Looks is how many parts of windows there are.
func (d *dual) Looks() int { return max(1, d.looks) }

// Guess leaves prices as they are: whoever searches has better ones.
func (d *dual) Guess([]float64) {}

// Value is the dual function at some prices.
func (d *dual) Value(prices, used []float64, near float64) float64 {
	clear(used)
	total := 0.0
	for b, p := range prices {
		total += p * d.room[b]
	}
	for i := range d.asks {
		q := &d.asks[i]
		best := 0.0
		for s := range q.windows {
			q.brings[s] = q.at(s, d.sites[s].MIPS, prices)
			best = math.Max(best, q.brings[s])
		}
		if best > 0 {
			total += best * q.jobs
			q.buy(used, best, math.Max(near, 1e-6))
		}
	}
	return total
}

// at is what a job brings at a site: its worth less what the cheapest seconds cost that its
// mandatory part takes, and what its optional part pays above what the next ones do.
func (q *ask) at(site int, mips float64, prices []float64) float64 {
	w := &q.windows[site]
	if w.parts == nil {
		return 0
	}
	w.cheapest(prices)
	v := purse{parts: w.parts}
	v.take(q.mandatory[site], math.Inf(1))
	value := q.worth
	for _, p := range q.pieces {
		value += p.rate * mips * v.take(p.work/mips, p.rate*mips)
	}
	w.spent = v.spent
	return value - v.cost
}

// cheapest sorts the parts of a window by price. They mostly are, from the last time.
func (w *window) cheapest(prices []float64) {
	for i := range w.parts {
		p := w.parts[i]
		p.price = prices[p.bucket]
		k := i
		for ; k > 0 && w.parts[k-1].price > p.price; k-- {
			w.parts[k] = w.parts[k-1]
		}
		w.parts[k] = p
	}
}

// purse buys seconds in the order in which they stand.
type purse struct {
	parts []part
	used  float64 // seconds of the first of them
	spent float64 // seconds
	cost  float64
}

// take buys so many seconds, or those that cost less than most each, and returns how many.
func (v *purse) take(seconds, most float64) (got float64) {
	for len(v.parts) > 0 && got < seconds && v.parts[0].price < most {
		p := &v.parts[0]
		some := math.Min(seconds-got, p.seconds-v.used)
		got, v.spent, v.used, v.cost = got+some, v.spent+some, v.used+some, v.cost+some*p.price
		if v.used >= p.seconds {
			v.parts, v.used = v.parts[1:], 0
		}
	}
	return got
}

// buy says how much of what an application buys. Where several sites are about as good it is
// said to buy some of each.
func (q *ask) buy(used []float64, best, near float64) {
	all := math.Exp(-1 / near) // not at all
	for _, v := range q.brings {
		if v > 0 {
			all += math.Exp((v/best - 1) / near)
		}
	}
	for s, v := range q.brings {
		share := q.jobs * math.Exp((v/best-1)/near) / all
		if v <= 0 || share < 1e-6 {
			continue
		}
		left := q.windows[s].spent
		for _, p := range q.windows[s].parts {
			if left <= 0 {
				break
			}
			used[p.bucket] += share * math.Min(left, p.seconds)
			left -= p.seconds
		}
	}
}

var _ bound.Dual = (*dual)(nil)
