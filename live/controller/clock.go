package controller

import (
	"log/slog"
	"sync"
	"time"

	"github.com/libra-market/libra/core/task"
)

// clock is the market's time. It goes on like a clock that nobody can set, and never
// back; towards the time of day it goes at most a hundredth faster or slower. So a
// time of day that is set back, or forward, by somebody or by a server of time, makes
// no job late or early, no node silent and no answer old: what was promised was a
// length of time. It is the time of day as long as nobody sets that.
type clock struct {
	wall    func() time.Time
	elapsed func() time.Duration
	log     *slog.Logger

	mu    sync.Mutex
	now   int64         // nanoseconds, unix
	at    time.Duration // elapsed, when that was
	apart time.Duration // the time of day less what has elapsed, as last read
	ahead time.Duration // of the time of day
	steps int64         // how often it was set
}

const (
	// slewing is by which part of it time goes faster or slower while it is not that
	// of the day: little enough that what nodes measure meanwhile is still possible.
	slewing = 100
	// noticed is by how much the time of day must have been set to be mentioned.
	noticed = time.Second
	// together is how long it may take to read two clocks.
	together = 20 * time.Millisecond
)

func newClock(cfg *Config) *clock {
	k := &clock{wall: cfg.Now, elapsed: cfg.Elapsed, log: cfg.Logger}
	if k.elapsed == nil {
		k.elapsed = forward(cfg.Now)
	}
	at, wall := k.look()
	k.now, k.at, k.apart = wall, at, time.Duration(wall)-at
	return k
}

// forward counts how far a clock goes forward.
func forward(now func() time.Time) func() time.Duration {
	last, sum := now(), time.Duration(0)
	return func() time.Duration { // the caller has the lock
		t := now()
		sum, last = sum+max(0, t.Sub(last)), t
		return sum
	}
}

// look reads both clocks, at one time: whoever is stopped between them would take
// that for a step.
func (k *clock) look() (elapsed time.Duration, wall int64) {
	for range 3 {
		before := k.elapsed()
		wall = k.wall().UnixNano()
		if elapsed = k.elapsed(); elapsed-before < together {
			break
		}
	}
	return elapsed, wall
}

// startAfter lets time go on after what has happened, whatever the time of day says.
func (k *clock) startAfter(us int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	past := us*1000 - k.now
	if past <= 0 {
		return
	}
	k.now += past
	k.ahead += time.Duration(past)
	if k.ahead > noticed {
		k.log.Warn("the clock is behind what was last written down: it was set back; the market goes on from there and runs a hundredth slower until the time of day has caught up", "ahead", k.ahead.Round(time.Millisecond))
	}
}

// micros is the market's time, in microseconds.
func (k *clock) micros() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	at, wall := k.look()
	passed := max(0, at-k.at)
	most := passed / slewing
	k.now += int64(passed) - int64(min(max(k.ahead, -most), most))
	k.at, k.ahead = max(k.at, at), time.Duration(k.now-wall)
	apart := time.Duration(wall) - at
	step := apart - k.apart
	k.apart = apart
	switch {
	case step < -noticed:
		k.steps++
		k.log.Warn("the clock was set back: the market goes on without a break and runs a hundredth slower until the time of day has caught up", "by", (-step).Round(time.Millisecond), "ahead", k.ahead.Round(time.Millisecond))
	case step > noticed:
		k.steps++
		k.log.Warn("the clock was set forward: the market goes on without a break and runs a hundredth faster until it has caught up", "by", step.Round(time.Millisecond), "behind", (-k.ahead).Round(time.Millisecond))
	}
	return k.now / 1000
}

// sinceBegun is a clock that nobody can set.
func (k *clock) sinceBegun() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.elapsed()
}

// away is how far the market's time is ahead of the time of day, and how often that
// was set.
func (k *clock) away() (ahead time.Duration, steps int64) {
	k.micros()
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ahead, k.steps
}

// place says in the market's time when a task began, was done with its mandatory part and
// ended, of which its node spoke at a time. A node that says how long ago that was has no
// need of a clock that is right; else it is taken for the time of day.
func (k *clock) place(s *task.Status, at int64) {
	k.mu.Lock()
	shift := k.ahead.Microseconds()
	k.mu.Unlock()
	for _, us := range []*int64{&s.StartedUS, &s.EndedUS} {
		if *us > 0 && *us < farUS {
			*us += shift
		}
	}
	if s.AgoUS > 0 && s.EndedUS != 0 {
		s.EndedUS = max(1, at-s.AgoUS)
	}
	if s.RanUS > 0 && s.EndedUS != 0 && s.StartedUS != 0 {
		s.StartedUS = max(1, s.EndedUS-s.RanUS)
	}
	s.MandatoryUS = 0
	if s.MandatoryAgoUS > 0 && s.Part == task.OptionalPart {
		s.MandatoryUS = max(1, at-s.MandatoryAgoUS)
	}
	s.RanUS, s.AgoUS, s.MandatoryAgoUS = 0, 0, 0
}

// farUS is after all times that are possible: what is added to less does not overflow.
const farUS = 1 << 60

// now is the market's time, in microseconds.
func (c *Controller) now() int64 { return c.clock.micros() }

// Time is the market's time: the time of day, unless that was set.
func (c *Controller) Time() time.Time { return time.UnixMicro(c.now()) }

// Ahead is how far the market's time is ahead of the time of day: it was set back.
// Negative: it was set forward.
func (c *Controller) Ahead() time.Duration {
	ahead, _ := c.clock.away()
	return ahead
}
