package slurm

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/model"
	"github.com/libra-market/libra/live/store"
)

// fakeNotes are durable notes; a write may be lost when its writer is killed.
type fakeNotes struct {
	mu    sync.Mutex
	luck  *rand.Rand
	notes map[string]store.Note
}

var errDisk = errors.New("the disk is slow today")

func (n *fakeNotes) Note(_ context.Context, kind, key string) (store.Note, bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	one, found := n.notes[kind+" "+key]
	return one, found, nil
}

func (n *fakeNotes) Notes(_ context.Context, kind string) ([]store.Note, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var all []store.Note
	for _, key := range slices.Sorted(maps.Keys(n.notes)) {
		if n.notes[key].Kind == kind {
			all = append(all, n.notes[key])
		}
	}
	return all, nil
}

func (n *fakeNotes) PutNotes(ctx context.Context, notes []store.Note) error {
	pause(ctx, time.Millisecond)
	n.mu.Lock()
	defer n.mu.Unlock()
	if ctx.Err() != nil && n.luck.IntN(2) == 0 {
		return ctx.Err()
	}
	for _, one := range notes {
		n.notes[one.Kind+" "+one.Key] = one
	}
	if n.luck.IntN(50) == 0 {
		return errDisk
	}
	return ctx.Err()
}

func (n *fakeNotes) DropNotes(ctx context.Context, kind string, keys []string) error {
	pause(ctx, time.Millisecond)
	n.mu.Lock()
	defer n.mu.Unlock()
	if ctx.Err() != nil && n.luck.IntN(2) == 0 {
		return ctx.Err()
	}
	for _, key := range keys {
		delete(n.notes, kind+" "+key)
	}
	return ctx.Err()
}

// fakeAgent is a control-only agent: it makes groups and measures them, and ends
// what is in them when its lease runs out.
type fakeAgent struct {
	node  string
	slurm *model.Slurm

	mu     sync.Mutex
	idle   bool // what runs here sleeps
	to     *Backend
	cut    bool
	heard  time.Time
	orders map[task.Key]task.Order
	lapsed map[task.Key]task.Status
	whose  map[string]task.Key // by number
	before map[string]int64    // what others had used under it
	ended  map[string]int64    // what had been used under it when nothing ran any more
}

// counts takes off what another has used under the number of a task.
func (a *fakeAgent) counts(o *task.Order, us int64, alive bool) (mine int64, began bool) {
	if alive {
		delete(a.ended, o.Batch)
	} else if _, seen := a.ended[o.Batch]; !seen {
		a.ended[o.Batch] = us
	} else {
		us = a.ended[o.Batch]
	}
	key := task.Key{Job: o.Spec.Job, Attempt: o.Spec.Attempt} // of all its tasks here
	if was, is := a.whose[o.Batch]; is && was != key && !alive {
		a.before[o.Batch] = us
	}
	if !alive || a.whose[o.Batch] == (task.Key{}) {
		a.whose[o.Batch] = key
	}
	mine = us - a.before[o.Batch]
	return mine, mine > 0 || alive
}

func (a *fakeAgent) aim(b *Backend) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.to = b
}

func (a *fakeAgent) backend() *Backend {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cut {
		return nil
	}
	return a.to
}

func (a *fakeAgent) hears(at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.heard = at
}

func (a *fakeAgent) silence() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return time.Since(a.heard)
}

func (a *fakeAgent) sleeps() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.idle
}

func (a *fakeAgent) run(ctx context.Context) {
	a.hears(time.Now())
	a.orders, a.lapsed = map[task.Key]task.Order{}, map[task.Key]task.Status{}
	a.whose, a.before, a.ended = map[string]task.Key{}, map[string]int64{}, map[string]int64{}
	for ctx.Err() == nil {
		if b := a.backend(); b != nil {
			a.once(ctx, b)
		}
		if a.silence() > 20*time.Second && len(a.orders) > 0 {
			a.slurm.Kill(a.node)
			for key, o := range a.orders {
				a.lapsed[key] = task.Status{Key: key, State: task.Lost, Error: task.LeaseRanOut, Batch: o.Batch}
			}
		}
		pause(ctx, 500*time.Millisecond)
	}
}

func (a *fakeAgent) once(ctx context.Context, b *Backend) {
	now := time.Now()
	d, err := b.Desired(ctx, a.node, -1, 0)
	if errors.Is(err, trade.ErrUnknown) {
		if _, err = b.Hello(ctx, task.Hello{Node: a.node, Processors: 4, Rating: 1, Speed: 1, MemoryMB: 1000, Runs: Runs}); err == nil {
			a.hears(now)
		}
		return
	}
	if err != nil {
		return
	}
	a.hears(now)
	clear(a.orders)
	report := task.Report{Node: a.node}
	for _, o := range d.Orders {
		a.orders[o.Spec.Key] = o
		if o.Stop == task.Abandon {
			a.slurm.KillBatch(a.node, o.Batch)
		}
		s := task.Status{Key: o.Spec.Key, State: task.Starting, Batch: o.Batch}
		us, began, alive := a.slurm.Used(a.node, o.Batch, now)
		if began {
			us, began = a.counts(&o, us, alive)
		}
		if began {
			s.State, s.CPUUS, s.StartedUS = task.Running, us, now.UnixMicro()-us
			if a.sleeps() {
				s.CPUUS, s.DeclinedUS = 0, us
			}
			if !alive {
				s.EndedUS = now.UnixMicro()
			}
		}
		if lapsed, is := a.lapsed[o.Spec.Key]; is && lapsed.Batch == o.Batch {
			s = lapsed
		}
		report.Tasks = append(report.Tasks, s)
	}
	for key := range a.lapsed {
		if _, wanted := a.orders[key]; !wanted {
			delete(a.lapsed, key)
		}
	}
	if _, err := b.Report(ctx, report); err == nil {
		a.hears(now)
	}
}
