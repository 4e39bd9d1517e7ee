package underway

import (
	"iter"
	"slices"

	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/meter"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Job is a job that has not ended: what there is to know of it, and what is
// needed to carry it out.
type Job struct {
	trade.Job

	Ranks []Rank  `json:"ranks,omitempty"`
	speed float64 // that the log has: beside the ranks, for every event asks for both
	Moved bool    `json:"-"` // since somebody last looked
	seat  int32   // where it was met, and 1: see Meet

	Stop     task.Stop     `json:"stop,omitempty"`
	End      trade.State   `json:"end,omitempty"` // what it ends in, where that is not for its exit status to say
	Waits    []int64       `json:"waits,omitempty"`
	Apart    bool          `json:"apart,omitempty"`     // its tasks advance each on its own
	PlacedUS int64         `json:"placed_us,omitempty"` // when it was put on the processors it has
	BornUS   int64         `json:"born_us,omitempty"`   // the same of this attempt, where that was not when it was submitted
	LostOn   int           `json:"lost_on,omitempty"`   // the node that lost it last, counted from 1
	StopUS   int64         `json:"stop_us,omitempty"`   // when it was first told to end
	OverUS   int64         `json:"over_us,omitempty"`   // when it had used up its estimate and could get no more
	UsedUS   int64         `json:"used_us,omitempty"`   // when it was first measured to have used up its estimate
	Era      int           `json:"era,omitempty"`       // its epoch, counted from 1; 0: that of its submission
	Void     bool          `json:"void,omitempty"`      // its promise no longer stands, by its own doing
	Working  trade.Working `json:"working,omitzero"`
	Owed     market.Price  `json:"owed"`              // the price, unrounded
	Tries    int           `json:"tries,omitempty"`   // extensions asked for
	Written  bool          `json:"written,omitempty"` // something of it was written down
	Leaving  *Leaving      `json:"leaving,omitempty"`
	Barred   string        `json:"barred,omitempty"` // what it waits for outside, or has waited for

	Logged   bool        `json:"-"` // what it asked for is in the log
	Repriced bool        `json:"-"` // and how its price came about is not yet
	Over     int64       `json:"-"` // milliseconds that it has had beyond its estimate, when it asks for more
	Piece    int64       `json:"-"` // milliseconds that it asks for then
	Specs    []task.Spec `json:"-"` // of its tasks, once somebody asked
}

// Rank is one task of a job, as the cluster counts: on one processor.
type Rank struct {
	Node int `json:"node"` // index
	dispatch.Slot
	Proc int32 `json:"proc"` // of the cluster

	meter.Task

	Begun bool      `json:"begun,omitempty"` // its node said that its program runs
	Stop  task.Stop `json:"stop,omitempty"`  // it has had all of the optional part

	// By the last that was heard, command or not.
	SeenUS  int64 `json:"-"` // processor time
	SaidUS  int64 `json:"-"` // and what it declined
	HeardUS int64 `json:"-"` // when that was
	PeakB   int64 `json:"-"` // bytes of memory at most
}

// Threads is how many processors each program of a job has.
func (j *Job) Threads() int { return j.Request.PerProgram() }

// GPUsOf is how many GPUs go with one of its processors: those of a program with its first.
func (j *Job) GPUsOf(processor int) int {
	if processor%j.Threads() != 0 {
		return 0
	}
	return j.Request.GPUs
}

// Placed is how many of them the job has on processors.
func (j *Job) Placed() int { return len(j.Ranks) / j.Threads() }

// First is the first processor of a program, which stands for all.
func (j *Job) First(program int) *Rank { return &j.Ranks[program*j.Threads()] }

// Others are the rest of them.
func (j *Job) Others(program int) []Rank {
	return j.Ranks[program*j.Threads()+1 : (program+1)*j.Threads()]
}

// Measured are what was measured on each processor of a job.
func (j *Job) Measured() iter.Seq[*meter.Task] {
	return func(yield func(*meter.Task) bool) {
		for i := range j.Ranks {
			if !yield(&j.Ranks[i].Task) {
				return
			}
		}
	}
}

// Guest reports whether a job runs without a promise that more work would be
// fitted into.
func (j *Job) Guest() bool { return j.Void || j.DueUS == 0 }

// AskedMS is the estimate on each processor: of an array, of a whole lane.
func (j *Job) AskedMS() int64 {
	_, estimate := j.Request.Width(j.Width)
	return int64(float64(estimate)*1e3 + 0.5)
}

// MeasuredMS is the work that a job was measured to have had, on each of its
// processors, one for the other.
func (j *Job) MeasuredMS() int64 {
	return measuredMS(j, func(i int) market.Work { return j.Ranks[i].Mandatory() })
}

// HeardMS is the same by all that was heard, for those who look: it never falls, as
// long as a job does not begin anew.
func (j *Job) HeardMS(speed func(node int) float64) int64 {
	return measuredMS(j, func(i int) market.Work {
		r, first := &j.Ranks[i], j.First(i/j.Threads())
		if r.Status != nil || r.Refining {
			return r.Mandatory()
		}
		return max(r.Had, market.Work(float64(first.SaidUS)/float64(j.Threads())/1e6*speed(r.Node)))
	})
}

func measuredMS(j *Job, had func(rank int) market.Work) int64 {
	if len(j.Ranks) == 0 {
		return j.Work
	}
	sum := 0.0
	for i := range j.Ranks {
		sum += float64(had(i))
	}
	return int64(sum*1e3/float64(len(j.Ranks)) + 1e-3) // but for rounding
}

// Holds reports whether a job is on one of some processors.
func (j *Job) Holds(procs market.Procs) bool {
	for i := range j.Ranks {
		if procs.Has(int(j.Ranks[i].Proc)) {
			return true
		}
	}
	return false
}

// Procs are the processors that a job is on.
func (j *Job) Procs() market.Procs {
	var on market.Procs
	for i := range j.Ranks {
		on = on.Add(int(j.Ranks[i].Proc))
	}
	return on
}

// OptionalWork is the most work of the optional part on each processor.
func (j *Job) OptionalWork() market.Work {
	return market.Work(float64(j.Request.Optional.WorkMS) / 1e3)
}

// StopOf is how a task is to be ended.
func (j *Job) StopOf(r *Rank) task.Stop {
	if j.Stop == task.GoOn {
		return r.Stop
	}
	return j.Stop
}

// BeginAgain forgets the parts of a job that has lost its node.
func (j *Job) BeginAgain() {
	if j.Request.Optional != nil {
		j.Part, j.MandatoryUS = task.MandatoryPart, 0
	}
}

// CPUSeenUS is the processor time of a task by all that was heard.
func (r *Rank) CPUSeenUS() int64 { return max(r.CPUUS, r.SeenUS) }

// DeclinedUS is what the program of a task has declined on all its processors: by what
// was said at its end, and until then by all that was heard.
func (j *Job) DeclinedUS(r *Rank, speed float64) int64 {
	if r.Status != nil {
		return r.Status.DeclinedUS
	}
	had := r.SaidUS
	if speed > 0 {
		had = max(had, int64(float64(r.Had)/speed*float64(j.Threads())*1e6))
	}
	return max(0, had-r.CPUSeenUS())
}

// Copied is a job of which nothing changes any more.
func (j *Job) Copied() Job {
	c := *j
	c.Ranks, c.Waits = slices.Clone(j.Ranks), slices.Clone(j.Waits)
	c.Timeline, c.Extensions, c.Tasks = slices.Clone(j.Timeline), slices.Clone(j.Extensions), slices.Clone(j.Tasks)
	return c
}
