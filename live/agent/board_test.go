package agent

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
)

// board is a controller in memory: orders are put up, ends are noted.
type board struct {
	mu      sync.Mutex
	changed chan struct{} // closed at every change
	desired task.Desired
	away    bool
	hellos  []task.Hello
	last    map[task.Key]task.Status
	ends    map[task.Key][]task.Status // one for each end that was reported and not written down before
	chunks  map[string]task.Chunk
	lanes   map[task.Key]task.Lane
	reports int
	keep    bool // ends are not written down
}

func newBoard() *board {
	return &board{
		changed: make(chan struct{}),
		desired: task.Desired{Version: 1, ReportMS: 200},
		last:    map[task.Key]task.Status{},
		ends:    map[task.Key][]task.Status{},
		chunks:  map[string]task.Chunk{},
		lanes:   map[task.Key]task.Lane{},
	}
}

var errAway = errors.New("connection refused")

// change changes what is wanted.
func (b *board) change(how func(*task.Desired)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	how(&b.desired)
	b.desired.Version++
	b.touch()
}

func (b *board) touch() {
	close(b.changed)
	b.changed = make(chan struct{})
}

func (b *board) order(orders ...task.Order) {
	b.change(func(d *task.Desired) { d.Orders = append(d.Orders, orders...) })
}

// reorder changes the order for one task.
func (b *board) reorder(key task.Key, how func(*task.Order)) {
	b.change(func(d *task.Desired) {
		d.Orders = slices.Clone(d.Orders) // the agent has the old ones
		for i := range d.Orders {
			if d.Orders[i].Spec.Key == key {
				how(&d.Orders[i])
			}
		}
	})
}

func (b *board) goAway(away bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.away = away
	b.touch()
}

func (b *board) Register(_ context.Context, hello task.Hello) (task.Welcome, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		return task.Welcome{}, errAway
	}
	b.hellos = append(b.hellos, hello)
	return task.Welcome{LeaseMS: b.desired.LeaseMS, ReportMS: b.desired.ReportMS}, nil
}

func (b *board) Desired(ctx context.Context, _ string, after int64) (task.Desired, error) {
	timer := time.NewTimer(25 * time.Second)
	defer timer.Stop()
	for {
		b.mu.Lock()
		desired, away, changed := b.desired, b.away, b.changed
		b.mu.Unlock()
		if away {
			return task.Desired{}, errAway
		}
		if desired.Version > after {
			return desired, nil
		}
		select {
		case <-ctx.Done():
			return task.Desired{}, ctx.Err()
		case <-timer.C:
			return desired, nil
		case <-changed:
		}
	}
}

func (b *board) Report(_ context.Context, report task.Report) (task.Reply, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		return task.Reply{}, errAway
	}
	b.reports++
	reply := task.Reply{Version: b.desired.Version}
	for i := range report.Lanes {
		l := &report.Lanes[i]
		if have := len(b.lanes[l.Key].Ended); l.After <= have {
			b.lanes[l.Key] = task.Lane{Ended: append(slices.Clone(b.lanes[l.Key].Ended[:l.After]), l.Ended...), Begun: l.Begun}
		}
		reply.Lanes = append(reply.Lanes, task.Told{Key: l.Key, Ended: len(b.lanes[l.Key].Ended)})
	}
	for _, status := range report.Tasks {
		b.last[status.Key] = status
		if !status.State.Final() {
			continue
		}
		means := func(o task.Order) bool { return o.Spec.Key == status.Key && !task.Other(o.Spec.BornUS, status.BornUS) }
		wanted := slices.ContainsFunc(b.desired.Orders, means)
		if wanted || len(b.ends[status.Key]) == 0 {
			b.ends[status.Key] = append(b.ends[status.Key], status)
		}
		if b.keep {
			continue
		}
		reply.Forget = append(reply.Forget, status.Key)
		if wanted {
			b.desired.Orders = slices.DeleteFunc(slices.Clone(b.desired.Orders), means)
			b.desired.Version++
		}
	}
	b.touch()
	return reply, nil
}

func (b *board) Tail(_ context.Context, id string, chunk task.Chunk) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.chunks[id] = chunk
	b.touch()
	return nil
}

// await waits for something to be true of the board.
func (b *board) await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		b.mu.Lock()
		done, changed := ok(), b.changed
		b.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-timer.C:
			b.mu.Lock()
			defer b.mu.Unlock()
			for _, status := range b.last {
				t.Log(show(status))
			}
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// end waits for the end of a task.
func (b *board) end(t testing.TB, key task.Key) task.Status {
	t.Helper()
	var status task.Status
	b.await(t, "the end of "+key.String(), func() bool {
		if len(b.ends[key]) == 0 {
			return false
		}
		status = b.ends[key][0]
		return true
	})
	return status
}

// state waits until a task is reported to be in a state.
func (b *board) state(t testing.TB, key task.Key, state task.State) task.Status {
	t.Helper()
	var status task.Status
	b.await(t, key.String()+" to be "+string(state), func() bool {
		status = b.last[key]
		return status.State == state
	})
	return status
}
