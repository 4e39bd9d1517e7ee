package broker

import (
	"time"
)

// Over makes a test decide when the time to quote is over.
func (o *Options) Over(when func() <-chan time.Time) { o.over = when }

// Denier is somebody who has asked the cluster of a job about it, and will hear that
// it does not know it, as often as it is called.
func (b *Broker) Denier(id int64) (deny func() error) {
	b.mu.Lock()
	e := b.entries[id]
	b.mu.Unlock()
	asked := e.now()
	l := b.at(asked.Cluster, asked.Job.Owner)
	return func() error { return l.deny(e, &asked) }
}
