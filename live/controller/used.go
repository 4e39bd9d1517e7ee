package controller

import (
	"context"
	"hash/maphash"
	"sync"
	"time"

	"github.com/libra-market/libra/live/store"
)

// usedKeys knows which idempotency keys may have an answer in the store, so that
// a new one, as almost all are, need not be looked up there. It may take a key
// for used that is not, but never the other way round.
type usedKeys struct {
	seed   maphash.Seed
	mu     sync.RWMutex
	now    map[uint64]struct{}
	before map[uint64]struct{} // what was now's until the last turn
	whole  bool                // what was in the store at the start is here too
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

// turnEvery is how long a key is remembered at least: longer than its answer, which
// is dropped within the hour.
const turnEvery = store.RepliesKept + 24*time.Hour

// turn forgets what was used before the last turn.
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
	forget, turn := time.NewTicker(time.Hour), time.NewTicker(turnEvery)
	defer forget.Stop()
	defer turn.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-turn.C:
			c.used.turn()
		case <-forget.C:
			if err := c.log.ForgetReplies(ctx, c.now()-store.RepliesKept.Microseconds()); err != nil && ctx.Err() == nil {
				c.cfg.Logger.Warn("old answers stay", "error", err)
			}
		}
	}
}
