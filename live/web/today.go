package web

import (
	"context"
	"sync"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// tallies remembers the business of the day: it is added up from all its jobs, which
// in a large market takes longer than anybody should wait for a page. Pages say as of
// when their numbers are.
type tallies struct {
	adding sync.Mutex // one at a time
	mu     sync.Mutex
	at     time.Time
	took   time.Duration
	t      v1.Tally
}

const (
	tallyPause = time.Second            // between two, however little they take
	tallyPart  = 20                     // and so many times what one takes: the market has other things to do
	tallyWait  = 250 * time.Millisecond // what takes no longer is waited for
	tallyStale = 10 * time.Minute       // what is older is not shown
)

// fresh reports whether what was added up can be shown as it is.
func (d *tallies) fresh(now time.Time) bool {
	age := now.Sub(d.at)
	return age >= 0 && age < max(tallyPause, tallyPart*d.took) && d.t.FromUS == startOfDay(now)
}

// patient reports whether what was added up can be shown while it is done again.
func (d *tallies) patient(now time.Time) bool {
	age := now.Sub(d.at)
	return age >= 0 && age < tallyStale && d.took > tallyWait && d.t.FromUS == startOfDay(now)
}

func startOfDay(now time.Time) int64 { return now.UTC().Truncate(24 * time.Hour).UnixMicro() }

// tally is the business of the day, as of when it says it ends.
func (h *Handler) tally(ctx context.Context) (v1.Tally, error) {
	now := h.now()
	h.today.mu.Lock()
	t, fresh, patient := h.today.t, h.today.fresh(now), h.today.patient(now)
	h.today.mu.Unlock()
	switch {
	case fresh:
		return t, nil
	case patient:
		go func() { _, _ = h.addUp(h.ctx) }() // the next page shows it, or says why not
		return t, nil
	}
	return h.addUp(ctx)
}

func (h *Handler) addUp(ctx context.Context) (v1.Tally, error) {
	h.today.adding.Lock()
	defer h.today.adding.Unlock()
	now := h.now()
	h.today.mu.Lock()
	t, fresh := h.today.t, h.today.fresh(now)
	h.today.mu.Unlock()
	if fresh { // somebody else has just done it
		return t, nil
	}
	t, err := h.market.Tally(ctx, startOfDay(now), now.UnixMicro()+1)
	if err != nil {
		return t, err
	}
	h.today.mu.Lock()
	h.today.at, h.today.t, h.today.took = now, t, h.now().Sub(now)
	h.today.mu.Unlock()
	return t, nil
}
