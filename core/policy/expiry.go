package policy

import "github.com/libra-market/libra/core/market"

// expiry says whose bounds are the next that are no longer true. It is a heap, the
// first at the top; who has got other bounds since is left in it, and not believed.
type expiry struct {
	heap  []expiring
	until []market.Time // by processor; Never: it has none, or they stay
	out   []int32       // scratch
}

type expiring struct {
	until market.Time
	proc  int32
}

// set notes until when the bounds of a processor are true.
func (e *expiry) set(proc int32, until market.Time) {
	for int(proc) >= len(e.until) {
		e.until = append(e.until, market.Never)
	}
	e.until[proc] = until
	if until == market.Never {
		return
	}
	if len(e.heap) > 2*len(e.until)+64 {
		e.clear()
	}
	e.heap = append(e.heap, expiring{until, proc})
	i := len(e.heap) - 1
	for x := e.heap[i]; i > 0; {
		above := (i - 1) / 2
		if e.heap[above].until <= x.until {
			break
		}
		e.heap[i], e.heap[above] = e.heap[above], x
		i = above
	}
}

// clear leaves out who has got other bounds.
func (e *expiry) clear() {
	all := e.heap
	e.heap = e.heap[:0]
	for _, x := range all {
		if e.until[x.proc] == x.until {
			e.heap = append(e.heap, x)
		}
	}
	for i := len(e.heap)/2 - 1; i >= 0; i-- {
		e.sink(i)
	}
}

// over takes the processors whose bounds are no longer true at a time.
func (e *expiry) over(now market.Time) []int32 {
	e.out = e.out[:0]
	for len(e.heap) > 0 && e.heap[0].until <= now {
		x, last := e.heap[0], len(e.heap)-1
		e.heap[0] = e.heap[last]
		if e.heap = e.heap[:last]; last > 0 {
			e.sink(0)
		}
		if e.until[x.proc] == x.until {
			e.until[x.proc] = market.Never
			e.out = append(e.out, x.proc)
		}
	}
	return e.out
}

// sink brings one to its place below others that are before it.
func (e *expiry) sink(i int) {
	x := e.heap[i]
	for below := 2*i + 1; below < len(e.heap); below = 2*i + 1 {
		if below+1 < len(e.heap) {
			below += one(e.heap[below+1].until < e.heap[below].until) // without a branch
		}
		if e.heap[below].until >= x.until {
			break
		}
		e.heap[i] = e.heap[below]
		i = below
	}
	e.heap[i] = x
}
