package slurm

import (
	"sync"
)

// crew does what it is told, so many things at a time. Its hands stay: a goroutine
// for each thing would have to grow its stack anew for every call to Slurm.
type crew struct {
	most  int
	going *sync.WaitGroup // of those who work

	mu     sync.Mutex
	more   *sync.Cond // there is something to do, or nothing ever again
	queue  []func()
	hands  int
	idle   int // of them
	closed bool
}

func newCrew(most int, going *sync.WaitGroup) *crew {
	c := &crew{most: most, going: going}
	c.more = sync.NewCond(&c.mu)
	return c
}

// do lets something be done as soon as somebody has time for it.
func (c *crew) do(what func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, what)
	if len(c.queue) > c.idle && c.hands < c.most {
		c.hands++
		c.going.Go(c.work)
		return
	}
	c.more.Signal()
}

// close lets everybody go when all is done.
func (c *crew) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.more.Broadcast()
}

func (c *crew) work() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for len(c.queue) == 0 {
			if c.closed {
				c.hands--
				return
			}
			c.idle++
			c.more.Wait()
			c.idle--
		}
		what := c.queue[0]
		c.queue[0] = nil
		c.queue = c.queue[1:]
		c.mu.Unlock()
		what()
		c.mu.Lock()
	}
}
