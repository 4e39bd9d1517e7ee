package exchange

import (
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// followUp is what follows from what the cluster said, once it has said all. It is
// noted on the floor, which knows nobody who could do it, and done at the door.
type followUp struct {
	job    *underway.Job
	next   next
	detail string
	let    bool // it is let in
}

// next is what follows for a job.
type next uint8

const (
	begins    next = iota // all that it waited for have succeeded
	endsUnrun             // one that it waited for has not
	isStopped             // a node could not start one of its tasks
)

// followUp does what follows, until nothing more does.
func (x *door) followUp() error {
	for len(x.floor.todo) > 0 {
		f := x.floor.todo[0]
		x.floor.todo = x.floor.todo[1:]
		if err := x.do(f); err != nil {
			return err
		}
	}
	return nil
}

func (x *door) do(f followUp) error {
	switch f.next {
	case endsUnrun:
		x.floor.end(f.job, trade.Cancelled, trade.ReasonDependency, f.detail)
		return nil
	case isStopped:
		return x.runs.stop(f.job, task.Terminate, trade.Failed, trade.ReasonRefused, f.detail)
	default:
		return x.admitDependent(f.job, f.let)
	}
}
