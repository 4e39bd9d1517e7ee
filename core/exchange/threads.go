package exchange

import (
	"iter"

	"github.com/libra-market/libra/core/meter"
)

// A job has so many processors, and to the core each of them is one of its tasks.
// A program that has threads has several of them, all of one node, and is one task
// to that node: it gets the sum of their shares, and each of them has had its part
// of what the program had. Ranks are of programs; a job's processors stand in
// order, so those of a program follow each other.

// Programs is how many programs a job that has processors runs.
func (j *Job) Programs() int { return len(j.Places) / j.Request.threads() }

// NodeOf is the node of one of them.
func (j *Job) NodeOf(program int) string { return j.Places[program*j.Request.threads()].Node }

// threads is how many processors each program of a request has.
func (r *Request) threads() int { return max(1, r.Threads) }

// Procs is how many processors a request asks for: if it does not say, one program's.
func (r *Request) Procs() int {
	if r.Processors > 0 {
		return r.Processors
	}
	return r.threads()
}

// threads is how many processors each program of a job has.
func (j *activeJob) threads() int { return j.Request.threads() }

// programs is how many of them the job has on processors.
func (j *activeJob) programs() int { return len(j.Ranks) / j.threads() }

// first is the first processor of a program, which stands for all.
func (j *activeJob) first(program int) *rank { return &j.Ranks[program*j.threads()] }

// others are the rest of them.
func (j *activeJob) others(program int) []rank {
	return j.Ranks[program*j.threads()+1 : (program+1)*j.threads()]
}

// tasks are what was measured on each processor of a job.
func (j *activeJob) tasks() iter.Seq[*meter.Task] {
	return func(yield func(*meter.Task) bool) {
		for i := range j.Ranks {
			if !yield(&j.Ranks[i].Task) {
				return
			}
		}
	}
}
