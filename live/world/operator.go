package world

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// look is how often the operator looks how the market stands.
const look = 20*time.Second + 1300*time.Microsecond

// hire lets an operator look after the market, where there is something to do.
func (w *World) hire() {
	w.dismiss = func() {}
	if !slices.ContainsFunc(w.day.Faults, func(f Fault) bool { return f.Copied }) {
		return
	}
	ctx, cancel := context.WithCancel(w.alive)
	gone := make(chan struct{})
	w.dismiss = func() { cancel(); <-gone }
	w.running.Go(func() { defer close(gone); w.operate(ctx) })
}

// operate does what the market says is left to do: a store that was put back by copying
// files, over one that agents have heard of since, goes on when it is told that it was.
func (w *World) operate(ctx context.Context) {
	told := 0
	for n := 1; sleep(ctx, look); n++ {
		if told++; w.notice() == "" {
			told = 0
		}
		if told >= 2 {
			told = 0
			w.note("the operator says that the store was put back")
			w.putBack(n)
		}
	}
}

// notice is what the market that leads wants an operator to know.
func (w *World) notice() string {
	s := w.leader()
	s.mu.Lock()
	c := s.ctrl
	s.mu.Unlock()
	if c == nil {
		return ""
	}
	return c.Notice()
}

// putBack stops the market, says of its store that it was put back, and starts it.
func (w *World) putBack(n int) {
	w.replace(fmt.Sprint("put back ", n), func() { w.disk = w.disk.Copy(fmt.Sprint("put-back-", n)) })
}
