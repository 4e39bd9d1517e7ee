package controller

import (
	"slices"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/fair"
)

// holdings counts what each user has under way: jobs, and bytes of what they are to
// run. It is the loop's alone, follows from what is in the store, and is no part of
// the market: a limit that is changed decides nothing anew.
type holdings struct {
	limits *fair.Limits
	jobs   map[int64]kept // by job under way
	by     map[string]*holding
	vain   map[string][]int64 // by user: when jobs that never began ended, lately; since the start alone
}

// kept is what is known of a job under way.
type kept struct {
	bytes  int
	placed bool // it was given processors
}

// holding is what one user has under way.
type holding struct {
	jobs  int
	bytes int
}

func newHoldings(limits *fair.Limits) *holdings {
	return &holdings{limits: limits, jobs: map[int64]kept{}, by: map[string]*holding{}, vain: map[string][]int64{}}
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
	of, known := h.jobs[j.ID]
	if !j.State.Final() && j.StartedUS != 0 {
		of.placed = true
	}
	switch {
	case !known && !j.State.Final():
		of.bytes = weight(&j.Request)
		h.jobs[j.ID] = of
		all := h.by[j.Owner]
		if all == nil {
			all = &holding{}
			h.by[j.Owner] = all
		}
		all.jobs, all.bytes = all.jobs+1, all.bytes+of.bytes
	case known && !j.State.Final():
		h.jobs[j.ID] = of
	case known:
		delete(h.jobs, j.ID)
		all := h.by[j.Owner]
		all.jobs, all.bytes = all.jobs-1, all.bytes-of.bytes
		if all.jobs == 0 {
			delete(h.by, j.Owner)
		}
		if of.placed && j.StartedUS == 0 && ownDoing(j) {
			h.inVain(j.Owner, j.EndedUS)
		}
	}
}

// ownDoing reports whether it is its user's doing that a job never began: it was taken
// back, or asked for what is not there. A node that can begin nothing counts against
// nobody.
func ownDoing(j *trade.Job) bool {
	if j.State == trade.Cancelled {
		return j.Reason != trade.ReasonVoided
	}
	return j.State == trade.Failed && slices.ContainsFunc(j.Tasks, func(s task.Status) bool { return s.UsersDoing() })
}

// vainFor is how long it counts that a job never began.
const vainFor = int64(time.Hour / time.Microsecond)

// inVain notes that a job of a user was given processors and never began: as many as
// may be are remembered, the last ones.
func (h *holdings) inVain(user string, at int64) {
	most := h.limits.NeverBegun
	if most <= 0 {
		return
	}
	list := append(h.vain[user], at)
	h.vain[user] = list[max(0, len(list)-most):]
}

// rest is how long a user has to wait because of jobs that never began; 0: not at all.
func (h *holdings) rest(user string, now int64) time.Duration {
	list := h.vain[user]
	if h.limits.NeverBegun <= 0 || len(list) < h.limits.NeverBegun {
		return 0
	}
	return time.Duration(max(0, list[0]+vainFor-now)) * time.Microsecond
}

// comeBack is when it is worth while to hand in a job again that was one too many.
const comeBack = time.Minute

// allow says why a user may not hand in another job.
func (h *holdings) allow(cmd *trade.Command, now int64) error {
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
	if wait := h.rest(cmd.By.User, now); wait > 0 {
		return fair.TooMany("never_begun", wait,
			"%d jobs of yours were given processors within an hour and never began (libra job N says why): others were refused for them, so wait %s, or ask the owner of the market",
			len(h.vain[cmd.By.User]), wait.Round(time.Second))
	}
	return nil
}
