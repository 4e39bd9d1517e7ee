package underway

import (
	"cmp"
	"math"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Spec is what the tasks of a job have in common.
func (j *Job) Spec() task.Spec {
	r := &j.Request
	s := task.Spec{
		Key: task.Key{Job: j.ID, Attempt: j.Attempt}, BornUS: j.Born(), Threads: j.Threads(), Name: j.Name, User: j.Owner,
		Argv: r.Argv, Script: []byte(r.Script), Dir: r.Dir, Env: r.Env, Output: r.Output, Error: r.Error,
		Memory: inBytes(r.MemoryMB, j.Threads()), Disk: inBytes(r.DiskMB, j.Threads()), GPUs: r.GPUs, GPUKind: r.GPUKind,
		GraceMS: r.Grace(), Once: r.Once && r.Array == nil, Within: r.Reservation, QOS: r.QOS,
	}
	if !r.Soft && r.OnOverrun() != trade.OverrunLate {
		s.DueUS = j.DueUS
	}
	if r.Optional != nil {
		s.Optional = &task.Optional{Argv: r.Optional.Argv}
	}
	return s
}

// Born is when the attempt that is under way was put on processors: by it a node tells
// it from one of the same number that was begun in what the store has lost. Of one that
// was there before versions knew that, and mostly of the first, it is when the job was
// submitted.
func (j *Job) Born() int64 { return cmp.Or(j.BornUS, j.SubmittedUS) }

// inBytes is what so many megabytes on each of some processors come to, as far as
// that can be counted: no node has more.
func inBytes(mb int64, processors int) int64 {
	return min(mb, math.MaxInt64>>20/int64(processors)) << 20 * int64(processors)
}
