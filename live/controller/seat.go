package controller

import (
	"fmt"
	"time"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/trade"
)

// A node has one agent. Two that speak in its name, from two state directories or
// two machines, would both do what it is told, and every job would run twice. So the
// one that was there first keeps the seat until it has been silent for longer than
// its lease.

// silence is how long a seat is kept where there is no lease.
const silence = 30 * time.Second

// take lets an agent speak for a node, and notes that it did. Agents of the first
// version do not say where they sit.
func (f *fleet) take(node, seat string) error {
	if len(seat) > roster.MostSaid { // it would be kept, and told to the other
		return market.Wrong("seat", fmt.Sprintf("nothing longer than %d bytes", roster.MostSaid))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	m, now := f.member(node), f.c.now()
	kept := f.patience()
	if f.c.cfg.Lease == 0 {
		kept = silence
	}
	if seat != "" && m.seat != "" && seat != m.seat && now-m.heard < kept.Microseconds() {
		return fmt.Errorf("node %s: %w: another agent speaks for it, from state directory %s and not %s; stop one of them, or wait until the other has been silent for %s",
			node, trade.ErrConflict, m.seat, seat, kept)
	}
	if seat != "" {
		m.seat, m.heard = seat, now
	}
	m.seen = now
	return nil
}
