package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// leadPause is how long a controller that waits for the lead waits before it
// tries again.
const leadPause = 200 * time.Millisecond

// claim is the attempt to lead.
type claim interface {
	// try takes the lead, or says in a *Taken who has it.
	try(ctx context.Context) error
	// watch returns when the lead is lost or the context is done.
	watch(ctx context.Context)
	// release gives the lead up, or the attempt.
	release()
}

// lease is the lead while it lasts.
type lease struct {
	claim claim
	lost  chan struct{}
	once  sync.Once
	stop  context.CancelFunc
	done  chan struct{} // the watch has ended
}

// end gives up the lead.
func (l *lease) end() {
	l.once.Do(func() {
		l.stop()
		<-l.done
		l.claim.release()
	})
}

// Lead waits until this process is the only one that leads.
func (d *database) Lead(ctx context.Context) (<-chan struct{}, func(), error) {
	return d.lead(ctx, true)
}

// TryLead is Lead that does not wait.
func (d *database) TryLead(ctx context.Context) (<-chan struct{}, func(), error) {
	return d.lead(ctx, false)
}

func (d *database) lead(ctx context.Context, wait bool) (<-chan struct{}, func(), error) {
	c, err := d.engine.claim(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("lead: %w", d.explain(err))
	}
	for {
		err := c.try(ctx)
		if err == nil {
			break
		}
		if wait && errors.Is(err, ErrTaken) && !d.isClosed() {
			if err = pause(ctx, leadPause); err == nil {
				continue
			}
		}
		c.release()
		return nil, nil, fmt.Errorf("lead: %w", d.explain(err))
	}
	watching, stop := context.WithCancel(context.Background())
	l := &lease{claim: c, lost: make(chan struct{}), stop: stop, done: make(chan struct{})}
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		stop()
		c.release()
		return nil, nil, fmt.Errorf("lead: %w", ErrClosed)
	}
	d.leases[l] = true
	d.mu.Unlock()
	go func() {
		defer close(l.done)
		defer close(l.lost)
		c.watch(watching)
	}()
	return l.lost, func() { d.endLease(l) }, nil
}

func (d *database) endLease(l *lease) {
	d.mu.Lock()
	delete(d.leases, l)
	d.mu.Unlock()
	l.end()
}

func pause(ctx context.Context, long time.Duration) error {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
