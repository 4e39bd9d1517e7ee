package world

import (
	"context"
	"time"

	"github.com/libra-market/libra/live/store"
)

// The lead in the world is a lease as it is on a real database (store/lead.go): whoever
// has it says every second that it is there, unless it stands still; who has not said so
// for long takes itself for deposed, and who waits then takes it.
const (
	renewEvery  = time.Second
	leadValid   = 5 * time.Second
	leadExpires = 7 * time.Second
)

// Lead waits until nobody else leads, or whoever does stands still.
func (d *drive) Lead(ctx context.Context) (<-chan struct{}, func(), error) {
	over := make(chan struct{})
	waits, beats := d.w.chance("lead "+d.name, 0), d.w.chance("lead "+d.name, 1)
	d.w.running.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(between(waits, 900*time.Millisecond, 1100*time.Millisecond)):
				if !d.on.stands() && d.w.leaderStandsStill() {
					d.w.note("%s takes the lead from who stands still", d.name)
					d.w.currentDisk().Depose()
				}
			}
		}
	})
	lost, release, err := d.Store.Lead(ctx)
	close(over)
	if err != nil {
		return nil, nil, err
	}
	// It goes on when all that happens at this instant has: whoever ends the other may end
	// this one too.
	if !sleep(ctx, between(beats, 10*time.Microsecond, time.Millisecond)) {
		release()
		return nil, nil, ctx.Err()
	}
	d.renew()
	d.w.mu.Lock()
	d.w.leading = d
	d.w.mu.Unlock()
	told := make(chan struct{})
	d.w.running.Go(func() {
		defer close(told)
		for {
			select {
			case <-lost: // it finds out when it goes on
				_ = d.on.awaken(context.Background(), beats) // nobody ends that
				time.Sleep(between(beats, 0, renewEvery))
				return
			case <-time.After(between(beats, 900*time.Millisecond, renewEvery)):
				if !d.on.stands() {
					d.renew()
				}
			}
		}
	})
	return told, release, nil
}

// renew says that the leader is there.
func (d *drive) renew() {
	if _, err := d.Store.Leads(); err != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.renewed = time.Now() //nolint:forbidigo // of the bubble
}

// silentFor is how long it has not said so.
func (d *drive) silentFor() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Since(d.renewed) //nolint:forbidigo // of the bubble
}

// Leads is the term of the lead, as long as nobody else can have it.
func (d *drive) Leads() (int64, error) {
	if d.silentFor() >= leadValid {
		return 0, store.ErrDeposed
	}
	return d.Store.Leads()
}

// leaderStandsStill reports whether the beat of who leads has not changed for too long.
func (w *World) leaderStandsStill() bool {
	w.mu.Lock()
	d := w.leading
	w.mu.Unlock()
	if d == nil {
		return false
	}
	_, err := d.Store.Leads()
	return err == nil && d.silentFor() > leadExpires
}

// currentDisk is what the controllers write to.
func (w *World) currentDisk() *store.Memory {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.disk
}
