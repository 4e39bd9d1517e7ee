package main

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/libra-market/libra/live/fair"
)

// On a real market users who send what they like are held to their rate, and nobody
// else is refused anything.
func TestOnlyFloodersAreRefused(t *testing.T) {
	users := []string{"ann", "bob", "eve", "flood", "flood2"}
	limits := fair.Default()
	limits.Commands, limits.CommandsBurst = 5, 50
	w := newCrowd(t, limits, users...)
	ctx, stop := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer stop()
	var all sync.WaitGroup
	var honest, flooders []*caller
	began := time.Now()
	for _, user := range users[:3] {
		c := w.caller(user)
		honest = append(honest, c)
		all.Go(func() { c.honest(ctx, 10) }) // fewer than they may at once: however slow the machine, none is too many
	}
	for _, user := range users[3:] {
		c := w.caller(user)
		flooders = append(flooders, c)
		for range 16 {
			all.Go(func() {
				for ctx.Err() == nil || c.refused.Load() == 0 && c.failed.Load() == 0 { // more than five a second, on any machine
					c.ask(context.WithoutCancel(ctx), http.MethodPost, "/v1/jobs", submission)
				}
			})
		}
	}
	all.Wait()
	for i, c := range honest {
		if c.refused.Load() > 0 || c.failed.Load() > 0 || len(c.took) == 0 {
			t.Errorf("%s: %d answered, %d refused, %d failed", users[i], len(c.took), c.refused.Load(), c.failed.Load())
		}
	}
	for i, c := range flooders {
		most := int(w.limits.CommandsBurst + w.limits.Commands*time.Since(began).Seconds() + 1)
		if n := len(c.took); n > most || n < int(w.limits.CommandsBurst) || c.refused.Load() == 0 || c.failed.Load() > 0 {
			t.Errorf("%s: %d answered, at most %d may be, %d refused, %d failed", users[3+i], n, most, c.refused.Load(), c.failed.Load())
		}
	}
}
