package web

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/wire"
)

// sample is the market at an instant. A price below zero: the market says no.
type sample struct {
	at      int64
	urgent  int64 // price of a standard job with hardly any time to spare
	usual   int64
	patient int64
	used    float64 // of the processors that are up
	kept    float64 // promised
}

// The deadlines, in estimates, whose prices are remembered.
const (
	urgentFactor  = 1.5
	usualFactor   = 3
	patientFactor = 12
)

// history is what the market was like lately: finely for an hour, coarsely for a
// day. A [Memory] keeps it over a restart.
type history struct {
	mu     sync.Mutex
	fine   ring
	coarse ring
}

// ring keeps the latest samples, at most one in so long.
type ring struct {
	list []sample
}

const (
	fineKept    = 720
	fineEvery   = int64(5 * time.Second / time.Microsecond)
	coarseKept  = 1440
	coarseEvery = int64(time.Minute / time.Microsecond)
)

func (r *ring) add(s sample, every int64, most int) {
	if n := len(r.list); n > 0 && s.at-r.list[n-1].at < every*9/10 {
		return
	}
	if r.list = append(r.list, s); len(r.list) >= 2*most {
		r.list = append(r.list[:0], r.list[len(r.list)-most:]...)
	}
}

func (r *ring) since(at int64) []sample {
	i := len(r.list)
	for i > 0 && r.list[i-1].at >= at {
		i--
	}
	return append([]sample(nil), r.list[i:]...)
}

// standardMS is the work of a standard job: an hour of one processor.
const standardMS = int64(time.Hour / time.Millisecond)

// standardJob is that job as somebody asks for it who looks for the best price.
// Without that wish a market that fills one processor after the other names the
// price of the fullest, which says little about the market.
func standardJob() v1.Request {
	return v1.Request{EstimateMS: standardMS, Wish: market.Cheapest.String()}
}

// priced asks what the standard job costs with a deadline of so many estimates;
// below zero: it is not to be had. The house pays: what anybody has free does not
// matter.
func (h *Handler) priced(ctx context.Context, factor float64) int64 {
	r := standardJob()
	r.DeadlineMS, r.Account = int64(factor*float64(standardMS)), string(ledger.Owner)
	o, err := h.market.Preview(ctx, trade.Identity{User: "libra", Role: trade.RoleOwner}, wire.ToRequest(&r))
	if err != nil || o.Quote == nil {
		return -1
	}
	return o.Quote.Price
}

func (h *history) add(s sample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fine.add(s, fineEvery, fineKept)
	h.coarse.add(s, coarseEvery, coarseKept)
}

// last is what is remembered of the last so long.
func (h *history) last(now int64, span time.Duration) []sample {
	h.mu.Lock()
	defer h.mu.Unlock()
	from := now - span.Microseconds()
	if span <= time.Hour {
		return h.fine.since(from)
	}
	return h.coarse.since(from)
}

// medians takes the middle of what was seen in each of so many stretches: prices
// jump with every job, and a line of all of them would show only that.
func medians(list []sample, from, to int64, stretches int) []sample {
	if len(list) <= stretches || to <= from {
		return list
	}
	var out []sample
	width := (to - from) / int64(stretches)
	for i := 0; i < len(list); {
		at := (list[i].at - from) / width
		j := i
		for j < len(list) && (list[j].at-from)/width == at {
			j++
		}
		out = append(out, middle(list[i:j]))
		i = j
	}
	return out
}

func middle(list []sample) sample {
	s := list[len(list)/2]
	pick := func(of func(*sample) int64) int64 {
		all := make([]int64, len(list))
		for i := range list {
			all[i] = of(&list[i])
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	s.urgent = pick(func(s *sample) int64 { return s.urgent })
	s.usual = pick(func(s *sample) int64 { return s.usual })
	s.patient = pick(func(s *sample) int64 { return s.patient })
	s.used, s.kept = 0, 0
	for i := range list {
		s.used += list[i].used / float64(len(list))
		s.kept += list[i].kept / float64(len(list))
	}
	return s
}

// Sample looks at the market and remembers what it saw. The handler does this by
// itself; who wants a history at once can do it too.
func (h *Handler) Sample(ctx context.Context) error {
	_, err := h.observe(ctx)
	return err
}

// observe looks at the market and remembers what it saw.
func (h *Handler) observe(ctx context.Context) (v1.Prices, error) {
	p, err := h.market.Prices(ctx)
	if err != nil {
		return p, err
	}
	h.past.add(sample{
		at: p.AtUS, urgent: h.priced(ctx, urgentFactor), usual: h.priced(ctx, usualFactor), patient: h.priced(ctx, patientFactor),
		used: p.Utilization, kept: p.Kept,
	})
	return p, nil
}

// latest is the newest of what is remembered.
func (h *history) latest() (s sample, some bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.fine.list); n > 0 {
		return h.fine.list[n-1], true
	}
	return sample{usual: -1}, false
}

// watch looks at the market until the handler is closed.
func (h *Handler) watch() {
	every := time.NewTicker(h.options.Sample)
	defer every.Stop()
	h.recall(h.ctx)
	for wrote := h.now(); ; {
		// A market that is closed for a moment leaves a gap; it has its own log.
		if h.Sample(h.ctx) == nil {
			h.hub.sampled()
		}
		if now := h.now(); now.Sub(wrote) >= rememberGap {
			h.remember(h.ctx)
			h.keepSessions(h.ctx) // or one that is used all day would look unused after a crash
			wrote = now
		}
		select {
		case <-every.C:
		case <-h.ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(h.ctx), lastWord)
			defer cancel()
			h.remember(last)
			h.keepSessions(last) // with when each was used last
			return
		}
	}
}
