package main

import (
	"fmt"
	"sync"

	"github.com/libra-market/libra/lab/workload"
)

const (
	aheadBatch   = 512 // large enough to hide what a handover costs
	aheadBatches = 4
)

// readAhead reads a source on another processor while its jobs are run:
// unpacking and parsing a log is a good part of a fast simulation. It is a
// workload.Source; stop ends the reading.
type readAhead struct {
	full  chan *batch
	empty chan *batch
	quit  chan struct{}
	done  sync.WaitGroup
	now   *batch // the one being used up
	at    int
}

// batch is some arrivals and what came after the last of them.
type batch struct {
	arrivals [aheadBatch]workload.Arrival
	n        int
	err      error // nil: another batch
}

func newReadAhead(src workload.Source) *readAhead {
	r := &readAhead{
		full: make(chan *batch, aheadBatches), empty: make(chan *batch, aheadBatches), quit: make(chan struct{}), now: &batch{},
	}
	for range aheadBatches {
		r.empty <- &batch{}
	}
	r.done.Go(func() { r.fill(src) })
	return r
}

func (r *readAhead) fill(src workload.Source) {
	defer func() {
		// run recovers only what breaks on its own goroutine.
		if broken := recover(); broken != nil {
			r.full <- &batch{err: fmt.Errorf("reading the workload: internal error, please report it: %v", broken)}
		}
	}()
	for {
		select {
		case <-r.quit:
			return
		case b := <-r.empty:
			for b.n = 0; b.n < aheadBatch && b.err == nil; b.n++ {
				if b.err = src.Next(&b.arrivals[b.n]); b.err != nil {
					break
				}
			}
			r.full <- b // has room for all batches there are
			if b.err != nil {
				return
			}
		}
	}
}

func (r *readAhead) Next(a *workload.Arrival) error {
	for r.at == r.now.n {
		if r.now.err != nil {
			return r.now.err
		}
		used := r.now
		r.now, r.at = <-r.full, 0
		if used.n > 0 {
			r.empty <- used // has room for all batches there are
		}
	}
	*a = r.now.arrivals[r.at]
	r.at++
	return nil
}

// stop ends the reading, so that the source can be closed.
func (r *readAhead) stop() {
	close(r.quit)
	r.done.Wait()
}
