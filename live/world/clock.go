package world

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// host is a machine of the world, as far as it has a clock and can stand still.
type host struct {
	name  string
	phase time.Duration // of what it begins, in nanoseconds below a microsecond: no two have the same

	mu     sync.Mutex
	offset time.Duration // of its time of day from the world's
	paused chan struct{} // nil: it goes; else closed when it goes on
}

// now is the time of day that it shows.
func (h *host) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Now().Add(h.offset) //nolint:forbidigo // of the bubble
}

// step sets its clock.
func (h *host) step(by time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.offset += by
}

// pause stops it, and resume lets it go on.
func (h *host) pause() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.paused == nil {
		h.paused = make(chan struct{})
	}
}

func (h *host) resume() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.paused != nil {
		close(h.paused)
		h.paused = nil
	}
}

// stands reports whether it stands still.
func (h *host) stands() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.paused != nil
}

// awaken waits while the host stands still, and a while that is drawn when it goes on:
// many may have waited, and each goes on at an instant of its own.
func (h *host) awaken(ctx context.Context, r *rand.Rand) error {
	for {
		h.mu.Lock()
		paused := h.paused
		h.mu.Unlock()
		if paused == nil {
			return ctx.Err()
		}
		select {
		case <-paused:
			sleep(ctx, between(r, time.Microsecond, time.Millisecond))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// sleep waits, and reports false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
