package webtest

import (
	"sync"
	"time"
)

// Clock is the clock of a market: the real one, or one that a test sets to play
// the past.
type Clock struct {
	mu  sync.Mutex
	set time.Time
}

// Now is the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.set.IsZero() {
		return time.Now() //nolint:forbidigo // the one place where these tests read the clock
	}
	return c.set
}

// Set stops the clock at a time; the zero time lets it go on as the real one.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set = t
}
