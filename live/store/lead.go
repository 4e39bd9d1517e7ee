package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// The lead is a lease. Whoever has it renews it; who cannot takes itself for
// deposed before anybody else may take it, and who stands still is found by a
// beat that does not change. All times are counted on each machine's own clock
// since its boot, so it does not matter what the clocks say.
const (
	// leadPause is how long a controller that waits for the lead waits before it
	// tries again.
	leadPause = 200 * time.Millisecond
	// renewEvery is how often the leader says that it is there, and renewWait how
	// long it waits until that is written.
	renewEvery = time.Second
	renewWait  = 3 * time.Second
	// leadValid is how long after a renewal the leader takes itself for one.
	leadValid = 5 * time.Second
	// leadExpires is how long a beat may stay the same before another controller
	// takes the lead. The difference is for reports that are on their way.
	leadExpires = 7 * time.Second
	// orphanPause and orphanLooks are how often one looks whether the lead of a process that is
	// gone is free: for a little longer than a lease, after which it is in any case.
	orphanPause = 50 * time.Millisecond
	orphanLooks = 160
)

// sinceBoot is a clock that nobody can set, and that goes on while the machine
// sleeps.
func sinceBoot() time.Duration {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) // it exists on every kernel we run on
	return time.Duration(now.Nano())
}

// claim is the attempt to lead.
type claim interface {
	// try takes the lead and returns its term, or says in a *Taken who has it.
	try(ctx context.Context) (int64, error)
	// rest waits between two renewals. It returns an error as soon as the lead
	// is known to be lost.
	rest(ctx context.Context, long time.Duration) error
	// renew says that the leader is there. An error that leaves hope is tried
	// again; gone and [ErrDeposed] leave none.
	renew(ctx context.Context) error
	gone() bool
	// release gives the lead up, or the attempt.
	release()
}

// observer watches a leader's beat.
type observer struct {
	term, beat int64
	since      time.Duration // by sinceBoot; 0: nothing was seen yet
}

// still reports whether the beat has stayed the same for as long as a lease.
func (o *observer) still(term, beat int64) bool {
	now := sinceBoot()
	if o.since == 0 || o.term != term || o.beat != beat {
		*o = observer{term, beat, now}
		return false
	}
	return now-o.since > leadExpires
}

// lease is the lead while it lasts.
type lease struct {
	claim   claim
	term    int64
	renewed atomic.Int64 // when the last renewal was sent, by sinceBoot
	lost    chan struct{}
	once    sync.Once
	stop    context.CancelFunc
	done    chan struct{} // the watch has ended
}

// end gives up the lead.
func (l *lease) end() {
	l.once.Do(func() {
		l.stop()
		<-l.done
		l.claim.release()
	})
}

// valid reports whether nobody else can lead yet.
func (l *lease) valid() bool {
	select {
	case <-l.lost:
		return false
	default:
		return sinceBoot()-time.Duration(l.renewed.Load()) < leadValid
	}
}

// keep renews the lease until it is lost.
func (l *lease) keep(ctx context.Context) {
	for l.claim.rest(ctx, renewEvery) == nil {
		sent := sinceBoot()
		// A question that is given up would cost the session, and then nobody
		// could say when its lock is gone: it is heard out.
		asking, stop := context.WithTimeout(context.WithoutCancel(ctx), renewWait)
		err := l.claim.renew(asking)
		stop()
		switch {
		case err == nil:
			l.renewed.Store(int64(sent))
		case errors.Is(err, ErrDeposed), l.claim.gone():
			return // else it is tried again: nobody can lead unless the term says so
		}
	}
}

// Lead waits until this process is the only one that leads.
func (d *database) Lead(ctx context.Context) (<-chan struct{}, func(), error) {
	return d.lead(ctx, true)
}

// TryLead is Lead that does not wait.
func (d *database) TryLead(ctx context.Context) (<-chan struct{}, func(), error) {
	return d.lead(ctx, false)
}

// Leads is the term of the lead, as long as nobody else can have it.
func (d *database) Leads() (int64, error) {
	d.mu.Lock()
	l := d.latest
	d.mu.Unlock()
	if l == nil || !l.valid() {
		return 0, ErrDeposed
	}
	return l.term, nil
}

func (d *database) lead(ctx context.Context, wait bool) (<-chan struct{}, func(), error) {
	c, err := d.engine.claim(ctx, d)
	if err != nil {
		return nil, nil, fmt.Errorf("lead: %w", d.explain(err))
	}
	l := &lease{claim: c, lost: make(chan struct{}), done: make(chan struct{})}
	for {
		err = patiently(ctx, func() (bad error) {
			l.renewed.Store(int64(sinceBoot()))
			l.term, bad = c.try(ctx)
			return bad
		})
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
	var watching context.Context
	watching, l.stop = context.WithCancel(context.Background())
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		l.stop()
		c.release()
		return nil, nil, fmt.Errorf("lead: %w", ErrClosed)
	}
	d.leases[l], d.latest = true, l
	d.mu.Unlock()
	d.term.Store(l.term)
	go func() {
		defer close(l.done)
		defer close(l.lost)
		l.keep(watching)
	}()
	return l.lost, func() { d.endLease(l) }, nil
}

func (d *database) endLease(l *lease) {
	d.mu.Lock()
	delete(d.leases, l)
	d.mu.Unlock()
	l.end()
}

// deposed is what it means that nothing of a term is there any more.
func deposed(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrDeposed
	}
	return err
}

// patiently looks again while the lead is that of a process that is gone. Of a leader that was
// killed while it started a program, the child has the locks until it is that program: a moment,
// on a busy machine a second.
func patiently(ctx context.Context, look func() error) error {
	for range orphanLooks {
		var taken *Taken
		if err := look(); !errors.As(err, &taken) || !taken.orphan {
			return err
		}
		if err := pause(ctx, orphanPause); err != nil {
			return err
		}
	}
	return look()
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
