package controller

import (
	"time"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/fair"
)

// holdings counts what each user has under way: jobs, and bytes of what they are to
// run. It is the loop's alone, follows from what is in the store, and is no part of
// the market: a limit that is changed decides nothing anew.
type holdings struct {
	limits *fair.Limits
	jobs   map[int64]int // bytes, by job under way
	by     map[string]*holding
}

// holding is what one user has under way.
type holding struct {
	jobs  int
	bytes int
}

func newHoldings(limits *fair.Limits) *holdings {
	return &holdings{limits: limits, jobs: map[int64]int{}, by: map[string]*holding{}}
}

// weight is how many bytes are kept of a request.
func weight(r *trade.Request) int {
	n := len(r.Script) + len(r.Dir) + len(r.Output) + len(r.Error)
	for _, words := range [][]string{r.Argv, r.Env, r.Tags} {
		for _, w := range words {
			n += len(w) + 1
		}
	}
	return n
}

// note takes in how a job stands.
func (h *holdings) note(j *trade.Job) {
	bytes, known := h.jobs[j.ID]
	switch {
	case !known && !j.State.Final():
		bytes = weight(&j.Request)
		h.jobs[j.ID] = bytes
		of := h.by[j.Owner]
		if of == nil {
			of = &holding{}
			h.by[j.Owner] = of
		}
		of.jobs, of.bytes = of.jobs+1, of.bytes+bytes
	case known && j.State.Final():
		delete(h.jobs, j.ID)
		of := h.by[j.Owner]
		of.jobs, of.bytes = of.jobs-1, of.bytes-bytes
		if of.jobs == 0 {
			delete(h.by, j.Owner)
		}
	}
}

// comeBack is when it is worth while to hand in a job again that was one too many.
const comeBack = time.Minute

// allow says why a user may not hand in another job.
func (h *holdings) allow(cmd *trade.Command) error {
	if cmd.Submit == nil || cmd.By.Role == trade.RoleOwner || h.limits.Free(cmd.By.User) {
		return nil
	}
	var of holding
	if some := h.by[cmd.By.User]; some != nil {
		of = *some
	}
	const mb = 1 << 20
	switch jobs, kept := h.limits.Jobs, h.limits.KeptMB; {
	case jobs > 0 && of.jobs >= jobs:
		return fair.TooMany("jobs", comeBack, "%d jobs of yours are held, waiting or running, and no more than %d may be: wait until some have ended, or cancel some", of.jobs, jobs)
	case kept > 0 && of.bytes+weight(&cmd.Submit.Request) > kept*mb:
		return fair.TooMany("kept_mb", comeBack,
			"the scripts, arguments and environments of your jobs that are held, waiting or running would have more than %d MB: wait until some have ended, or put large input into files", kept)
	}
	return nil
}
