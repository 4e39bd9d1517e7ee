package workload

import (
	"fmt"
	"sync"
)

const (
	aheadBatch   = 512 // large enough to hide what a handover costs
	aheadBatches = 4
)

// ReadAhead reads a source on another processor while its jobs are run:
// unpacking and parsing a log is a good part of a fast simulation. It is a
// [Source]; Stop ends the reading.
type ReadAhead struct {
	full  chan *batch
	empty chan *batch
	quit  chan struct{}
	done  sync.WaitGroup
	now   *batch // the one being used up
	at    int
}

// batch is some arrivals and what came after the last of them.
type batch struct {
	arrivals [aheadBatch]Arrival
	n        int
	err      error // nil: another batch
}

// NewReadAhead begins to read.
func NewReadAhead(src Source) *ReadAhead {
	r := &ReadAhead{
		full: make(chan *batch, aheadBatches), empty: make(chan *batch, aheadBatches), quit: make(chan struct{}), now: &batch{},
	}
	for range aheadBatches {
		r.empty <- &batch{}
	}
	r.done.Go(func() { r.fill(src) })
	return r
}

func (r *ReadAhead) fill(src Source) {
	defer func() {
		// Nobody else recovers what breaks on this goroutine.
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

// Next gives the next job.
func (r *ReadAhead) Next(a *Arrival) error {
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

// Stop ends the reading, so that the source can be closed.
func (r *ReadAhead) Stop() {
	close(r.quit)
	r.done.Wait()
}
