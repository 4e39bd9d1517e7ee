package slurm

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestACrewDoesAllAndNoMoreAtATime(t *testing.T) {
	const most, things = 4, 500
	var going, all sync.WaitGroup
	var now, peak, done atomic.Int64
	c := newCrew(most, &going)
	all.Add(things)
	for range things {
		go c.do(func() {
			defer all.Done()
			n := now.Add(1)
			for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
			}
			done.Add(1)
			now.Add(-1)
		})
	}
	all.Wait()
	c.close()
	going.Wait()
	if done.Load() != things || peak.Load() > most {
		t.Errorf("%d done, up to %d at a time", done.Load(), peak.Load())
	}
}

func TestACrewThatIsSentAwayFinishes(t *testing.T) {
	var going sync.WaitGroup
	c := newCrew(2, &going)
	begin := make(chan struct{})
	var done atomic.Int64
	for range 10 {
		c.do(func() { <-begin; done.Add(1) })
	}
	c.close()
	close(begin)
	going.Wait()
	if done.Load() != 10 {
		t.Errorf("%d of 10 done", done.Load())
	}
}
