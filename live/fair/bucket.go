package fair

import "time"

// bucket holds what may be taken: it fills at a rate, up to a burst, and may be
// overdrawn by what is known only afterwards.
type bucket struct {
	rate, burst float64
	level       float64
	at          time.Time
}

func newBucket(rate, burst float64, now time.Time) bucket {
	burst = max(burst, 1, rate/10)
	return bucket{rate: rate, burst: burst, level: burst, at: now}
}

// unlimited reports whether there is no limit.
func (b *bucket) unlimited() bool { return b.rate <= 0 }

func (b *bucket) fill(now time.Time) {
	if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b.level, b.at = min(b.burst, b.level+float64(passed*b.rate)), now
	}
}

// lacks is how long it takes until there is so much in it; 0: there is.
func (b *bucket) lacks(amount float64, now time.Time) time.Duration {
	if b.unlimited() {
		return 0
	}
	if b.fill(now); b.level >= amount {
		return 0
	}
	return time.Duration((amount - b.level) / b.rate * float64(time.Second))
}

// spend takes out, more than there is if need be.
func (b *bucket) spend(amount float64) { b.level -= amount }

// full reports whether nothing was taken out lately.
func (b *bucket) full(now time.Time) bool {
	b.fill(now)
	return b.unlimited() || b.level >= b.burst
}
