package underway

import (
	"math"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Spec is what the tasks of a job have in common.
func (j *Job) Spec() task.Spec {
	r := &j.Request
	s := task.Spec{
		Key: task.Key{Job: j.ID, Attempt: j.Attempt}, BornUS: j.SubmittedUS, Threads: j.Threads(), Name: j.Name, User: j.Owner,
		Argv: r.Argv, Script: []byte(r.Script), Dir: r.Dir, Env: r.Env, Output: r.Output, Error: r.Error,
		Memory: inBytes(r.MemoryMB, j.Threads()), Disk: inBytes(r.DiskMB, j.Threads()), GraceMS: r.Grace(), Once: r.Once && r.Array == nil,
	}
	if !r.Soft && r.OnOverrun() != trade.OverrunLate {
		s.DueUS = j.DueUS
	}
	if r.Optional != nil {
		s.Optional = &task.Optional{Argv: r.Optional.Argv}
	}
	return s
}

// inBytes is what so many megabytes on each of some processors come to, as far as
// that can be counted: no node has more.
func inBytes(mb int64, processors int) int64 {
	return min(mb, math.MaxInt64>>20/int64(processors)) << 20 * int64(processors)
}
