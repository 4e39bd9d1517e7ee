package fair

import (
	"sync"
	"time"
)

// mostThrottled is how many keys a Throttle tells apart. Beyond it new ones share
// one bucket: whoever comes from everywhere is held as one.
const mostThrottled = 10_000

// Throttle counts something for each key apart, such as attempts for each address.
type Throttle struct {
	limit       string
	rate, burst float64
	now         func() time.Time

	mu     sync.Mutex
	of     map[string]*bucket
	rest   bucket
	looked time.Time // when buckets were last let go
}

// NewThrottle lets each key have so many a second, and so many at once. The name is
// that of the limit in a refusal.
func NewThrottle(limit string, rate, burst float64, now func() time.Time) *Throttle {
	return &Throttle{limit: limit, rate: rate, burst: burst, now: now, of: map[string]*bucket{}, rest: newBucket(rate, burst, now())}
}

// Check is nil if a key may have another one, and an [Over] if not. It takes nothing.
func (t *Throttle) Check(key, detail string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	b, ok := t.of[key]
	if !ok {
		if len(t.of) < mostThrottled {
			return nil
		}
		b = &t.rest
	}
	return t.refusal(b, detail)
}

// Take takes one for a key; an [Over] if it may not have one.
func (t *Throttle) Take(key, detail string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.bucket(key)
	if err := t.refusal(b, detail); err != nil {
		return err
	}
	b.spend(1)
	return nil
}

func (t *Throttle) refusal(b *bucket, detail string) error {
	if wait := b.lacks(1, t.now()); wait > 0 {
		return over(t.limit, wait, "%s", detail)
	}
	return nil
}

// bucket finds the bucket of a key. Those that are full again are as good as none.
func (t *Throttle) bucket(key string) *bucket {
	if b, ok := t.of[key]; ok {
		return b
	}
	now := t.now()
	if len(t.of) >= mostThrottled && now.Sub(t.looked) >= time.Second {
		t.looked = now
		for k, b := range t.of {
			if b.full(now) {
				delete(t.of, k)
			}
		}
	}
	if len(t.of) >= mostThrottled {
		return &t.rest
	}
	b := newBucket(t.rate, t.burst, now)
	t.of[key] = &b
	return &b
}
