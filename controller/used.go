package controller

import (
	"context"
	"hash/maphash"
	"sync"
	"time"
)

// answersKept is how long the answer to an idempotency key is remembered.
const answersKept = 30 * 24 * time.Hour

// usedKeys knows which idempotency keys may have an answer in the store, so that
// a new one, as almost all are, need not be looked up there. It may take a key
// for used that is not, but never the other way round.
type usedKeys struct {
	seed maphash.Seed
	mu   sync.RWMutex
	now  map[uint64]struct{}
	// before are those of the last answersKept but for now's. They change
	// places, so that a key is forgotten later than its answer.
	before map[uint64]struct{}
	whole  bool // what was in the store at the start is here too
}

func newUsedKeys() *usedKeys {
	return &usedKeys{seed: maphash.MakeSeed(), now: map[uint64]struct{}{}}
}

func (u *usedKeys) sum(owner, key string) uint64 {
	var h maphash.Hash
	h.SetSeed(u.seed)
	h.WriteString(owner)
	h.WriteByte(0)
	h.WriteString(key)
	return h.Sum64()
}

func (u *usedKeys) add(owner, key string) {
	sum := u.sum(owner, key)
	u.mu.Lock()
	u.now[sum] = struct{}{}
	u.mu.Unlock()
}

// maybe is whether there may be an answer to a key.
func (u *usedKeys) maybe(owner, key string) bool {
	sum := u.sum(owner, key)
	u.mu.RLock()
	defer u.mu.RUnlock()
	if !u.whole {
		return true
	}
	_, now := u.now[sum]
	_, before := u.before[sum]
	return now || before
}

func (u *usedKeys) turn() {
	u.mu.Lock()
	u.now, u.before = map[uint64]struct{}{}, u.now
	u.mu.Unlock()
}

// keepKeys reads the keys that were used before the start, and from then on
// drops now and then what is old. Until it has read them all, every key is looked
// up in the store.
func (c *Controller) keepKeys(ctx context.Context) {
	for k, err := range c.log.ReplyKeys(ctx) {
		if err != nil {
			if ctx.Err() == nil {
				c.cfg.Logger.Warn("every idempotency key is looked up from now on", "because", err)
			}
			return
		}
		c.used.add(k.Owner, k.Key)
	}
	c.used.mu.Lock()
	c.used.whole = true
	c.used.mu.Unlock()
	forget, turn := time.NewTicker(time.Hour), time.NewTicker(answersKept)
	defer forget.Stop()
	defer turn.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-turn.C:
			c.used.turn()
		case <-forget.C:
			if err := c.log.ForgetReplies(ctx, c.now()-answersKept.Microseconds()); err != nil && ctx.Err() == nil {
				c.cfg.Logger.Warn("old answers stay", "error", err)
			}
		}
	}
}
