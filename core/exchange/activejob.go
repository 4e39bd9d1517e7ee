package exchange

import (
	"iter"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/meter"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// activeJob is a job that has not ended: what there is to know of it, and what is
// needed to carry it out.
type activeJob struct {
	trade.Job

	Ranks    []rank        `json:"ranks,omitempty"`
	Stop     task.Stop     `json:"stop,omitempty"`
	End      trade.State   `json:"end,omitempty"` // what it ends in, where that is not for its exit status to say
	Waits    []int64       `json:"waits,omitempty"`
	Apart    bool          `json:"apart,omitempty"`     // its tasks advance each on its own
	PlacedUS int64         `json:"placed_us,omitempty"` // when it was put on the processors it has
	LostOn   int           `json:"lost_on,omitempty"`   // the node that lost it last, counted from 1
	StopUS   int64         `json:"stop_us,omitempty"`   // when it was first told to end
	OverUS   int64         `json:"over_us,omitempty"`   // when it had used up its estimate and could get no more
	UsedUS   int64         `json:"used_us,omitempty"`   // when it was first measured to have used up its estimate
	Era      int           `json:"era,omitempty"`       // its epoch, counted from 1; 0: that of its submission
	Void     bool          `json:"void,omitempty"`      // its promise no longer stands, by its own doing
	Working  trade.Working `json:"working"`
	Owed     market.Price  `json:"owed"`    // the price, unrounded
	Tries    int           `json:"tries"`   // extensions asked for
	Written  bool          `json:"written"` // something of it was written down

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

	Begun bool      `json:"begun,omitempty"` // its node said that its program runs
	Stop  task.Stop `json:"stop,omitempty"`  // it has had all of the optional part

	// By the last that was heard, command or not.
	seenUS  int64 // processor time
	saidUS  int64 // and what it declined
	heardUS int64 // when that was
}

// threads is how many processors each program of a job has.
func (j *activeJob) threads() int { return j.Request.PerProgram() }

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
