package exchange

import "github.com/libra-market/libra/core/market"

// clock is the time of the command under way. It has no hands of its own: the
// time comes in with each command.
type clock struct {
	origin int64 // unix microseconds of time 0
	now    int64 // unix microseconds of the command under way
}

// time is the instant of the command under way in the words of the core.
func (c *clock) time() market.Time { return c.timeOf(c.now) }

func (c *clock) timeOf(us int64) market.Time { return market.Time(float64(us-c.origin) / 1e6) }

// sometime is a time of which 0 means that there is none.
func (c *clock) sometime(us int64) market.Time {
	if us == 0 {
		return market.Never
	}
	return c.timeOf(us)
}

// unix is a time of the core as the world counts it; 0 for Never.
func (c *clock) unix(t market.Time) int64 {
	if !t.Finite() {
		return 0
	}
	return c.origin + int64(float64(t)*1e6+0.5)
}

// Now is the time of the last command.
func (c *clock) Now() int64 { return c.now }

// At lets time pass for those who only look: what they see is as of then.
func (c *clock) At(now int64) { c.now = max(c.now, now) }
