package exchange

import (
	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/meter"
	"github.com/libra-market/libra/core/task"
)

// activeJob is a job that has not ended: what there is to know of it, and what is
// needed to carry it out.
type activeJob struct {
	Job

	Ranks   []rank       `json:"ranks,omitempty"`
	Stop    task.Stop    `json:"stop,omitempty"`
	End     State        `json:"end,omitempty"` // what it ends in, where that is not for its exit status to say
	Waits   []int64      `json:"waits,omitempty"`
	Apart   bool         `json:"apart,omitempty"`   // its tasks advance each on its own
	StopUS  int64        `json:"stop_us,omitempty"` // when it was first told to end
	OverUS  int64        `json:"over_us,omitempty"` // when it had used up its estimate and could get no more
	UsedUS  int64        `json:"used_us,omitempty"` // when it was first measured to have used up its estimate
	Era     int          `json:"era,omitempty"`     // its epoch, counted from 1; 0: that of its submission
	Void    bool         `json:"void,omitempty"`    // its promise no longer stands, by its own doing
	Working Working      `json:"working"`
	Owed    market.Price `json:"owed"`    // the price, unrounded
	Tries   int          `json:"tries"`   // extensions asked for
	Written bool         `json:"written"` // something of it was written down

	moved  bool        // since somebody last looked
	logged bool        // what it asked for is in the log
	speed  float64     // that the log has
	over   int64       // milliseconds that it has had beyond its estimate, when it asks for more
	piece  int64       // milliseconds that it asks for then
	specs  []task.Spec // of its tasks, once somebody asked
}

// rank is one task of a job, as the cluster counts: on one processor.
type rank struct {
	Node      int     `json:"node"` // index
	Processor int     `json:"processor"`
	Proc      int32   `json:"proc"` // of the cluster
	Speed     float64 `json:"speed"`

	meter.Task

	Stop task.Stop `json:"stop,omitempty"` // it has had all of the optional part

	seenUS int64 // processor time by the last that was heard, command or not
}

// Working is how a price came about.
type Working struct {
	Formula string  `json:"formula"`
	Inputs  []Input `json:"inputs"`
}

// width is how many processors a request takes and how long on each, where an
// array is a job of so many lanes, each of which runs its elements one after
// the other.
func (r *Request) width(lanes int) (width int32, estimate market.Work) {
	one := market.Work(float64(r.EstimateMS) / 1e3)
	if r.Array == nil {
		return low32(r.Procs()), one
	}
	n := r.Array.Len()
	lanes = max(1, min(lanes, n))
	if r.Array.Limit > 0 {
		lanes = min(lanes, r.Array.Limit)
	}
	return market.Int32(lanes), one * market.Work((n+lanes-1)/lanes)
}

// sweep is the indexes of an array, as nodes are told of them.
func (a *Array) sweep() *dispatch.Sweep {
	if a == nil {
		return nil
	}
	return &dispatch.Sweep{First: a.First, Step: a.Step, Len: a.Len()}
}

// asked is the request as the core sees it.
func (r *Request) asked(id int64, owner string, at market.Time, lanes int) market.Job {
	width, estimate := r.width(lanes)
	wish, _ := market.ParseObjective(r.Wish) // validated
	j := market.Job{
		ID: market.JobID(id), Submit: at, Estimate: estimate, Width: width, Threads: low32(r.Threads),
		Memory: r.MemoryMB, Disk: r.DiskMB, Class: market.Int32(r.Class), Objective: wish,
		Owner: market.Account(owner), Name: r.Name,
		SLA: market.SLA{Deadline: market.Never, Budget: market.Unlimited, Penalty: market.Money(r.PenaltyMicros).Price(), Soft: r.Soft},
	}
	if o := r.Optional; o != nil {
		j.Optional, j.SLA.Bonus = market.Work(float64(o.WorkMS)/1e3), market.Money(o.RateMicros).Price()
	}
	if r.DeadlineMS > 0 {
		j.SLA.Deadline = market.Time(float64(r.DeadlineMS) / 1e3)
	}
	if r.Budget != nil {
		j.SLA.Budget = market.Money(*r.Budget).Price() + rounding
	}
	return j
}

// rounding is what a price may exceed a budget by and still be that budget when
// it has become money: whoever offers just what was quoted is taken.
const rounding = market.Price(0.49e-6)

// overrun is what its user chose.
func (r *Request) overrun() Overrun {
	if r.Overrun == "" {
		return OverrunStop
	}
	return r.Overrun
}

// grace is the time between SIGTERM and SIGKILL.
func (r *Request) grace() int64 {
	if r.GraceMS == 0 {
		return 5_000
	}
	return r.GraceMS
}
