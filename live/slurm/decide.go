package slurm

import (
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// action is what to do next for a run.
type action uint8

const (
	wait    action = iota // for something to happen
	submit                // remember it, and hand it in, held
	release               // remember that it may start, and let it
	advance               // let more elements of an array go
	jot                   // write down how elements of an array ended
	cancel                // end it in Slurm
	kill                  // the same at once
	look                  // ask Slurm whether its number is still its own
	recount               // whether its user has put it back into the queue
	inquire               // whether slurmctld was started since it was handed in
	report                // tell the market how it ended
	remove                // forget it
)

// world is what is so beside a run.
type world struct {
	now     time.Time
	control Control
	orders  bool      // the market has said what it wants of all nodes of the run since we started
	good    time.Time // since then Slurm has answered every time; zero: it does not
	listed  time.Time // when the last good listing was begun
	last    bool      // all agents of the run have spoken since its end, or it is no use to wait
	fresh   bool      // all agents of the run have spoken since it was listed last
	closed  bool      // a node of the run takes no new jobs
	shut    bool      // none of its nodes does
	over    string    // why it will never begin in its reservation; empty: it may
	others  bool      // others hold GPUs on a node of the run
	grace   time.Duration
	settle  time.Duration
}

// How often something is tried again that did not help, and for how long agents
// may be silent on a run that Slurm knows nothing of.
const (
	again = 2 * time.Second
	quiet = 30 * time.Second
)

const unknownInSlurm = "Slurm knows nothing of it any more"

// decide says what to do next for a run. It notes on the run what follows from
// what is known; it does nothing else.
func (r *run) decide(w *world) action {
	if r.busy {
		return wait
	}
	r.infer(w)
	switch {
	case r.state.over():
		return r.nextEnded(w)
	case r.unanswered(w.control) || r.hollow(w) && w.now.Sub(r.asked) >= quiet:
		if w.now.Sub(r.tried) < again {
			return wait
		}
		return inquire
	case !r.state.inSlurm():
		return r.nextUnsubmitted(w)
	case r.mayHaveRun(w):
		return r.nextWhetherRan(w)
	case r.unwanted(w) || r.lost != "" || r.barred != "" || r.wantedStop() != task.GoOn:
		return r.nextStop(w)
	case r.mayBePutBack(w):
		return r.nextPutBack(w)
	case r.back != nil:
		return wait
	case r.complete() && r.isHeld() && (w.control == None || r.standing()) && w.now.Sub(r.tried) >= again && r.neverBegan(w):
		if !r.vouchedFor(w) {
			return look
		}
		return release
	case r.lags(w):
		if !r.vouchedFor(w) {
			return look
		}
		return advance
	case r.unjotted(w):
		return jot
	}
	return wait
}

// unwanted reports whether the market has taken back what it once ordered.
// Before all nodes have been heard, nobody knows.
func (r *run) unwanted(w *world) bool { return w.orders && r.state != ordered && !r.complete() }

// neverBegan reports whether a job that Slurm holds has not been started before,
// for all that is known: slurmctld may have forgotten that it let it go, and the
// start may be on its way to the node, or the news of it on its way to us.
func (r *run) neverBegan(w *world) bool {
	if r.state == held {
		return true
	}
	calm := w.settle
	if r.state == released {
		// It did let it go. Where that has begun, slurmctld ends it when the node
		// tells; let go again before that, it would be refused by the node as one
		// that is there already.
		calm = quiet
		if w.good.IsZero() || w.now.Sub(w.good) < quiet {
			return false
		}
	}
	return w.fresh && !r.used() && w.now.Sub(r.acted) >= calm
}

// isHeld reports whether Slurm keeps the job from starting until we say so.
func (r *run) isHeld() bool {
	if r.job == nil {
		return r.state == held
	}
	return r.job.State == client.Pending && r.job.Held
}

// infer finds out whether a run has ended, or has to.
func (r *run) infer(w *world) {
	if r.state.over() {
		return
	}
	r.checkLease()
	switch {
	case !r.state.inSlurm():
	case r.unanswered(w.control):
	case r.mayHaveRun(w): // it is asked
	case r.job != nil && r.job.State.Over():
		if r.lost == "" && r.elsewhere() {
			r.lost = "it ran on other nodes than it was sold"
		}
		v := r.asBegun(verdictOf(r.job))
		if r.array.is && !r.neverBegun() {
			v.cause = 0
			if v.state == task.Refused && r.array.ran() { // Slurm could not start one of them
				v.state, v.signal = task.Ended, "SIGTERM"
			}
		}
		if r.barred != "" && v.state == task.Ended {
			v.why = r.barred
		}
		if r.lost != "" {
			v = verdict{state: task.Lost, why: r.lost, started: v.started, ended: v.ended, paused: v.paused}
		}
		if r.unfit && len(r.job.Nodes) == 0 { // else it was started after all
			v = verdict{state: task.Refused, why: r.lost}
		}
		r.ends(v, w.now)
	case r.job != nil && r.back != nil && r.unwanted(w):
		r.checkPutBack(w)
	case r.mayBePutBack(w): // it is asked
	case r.job != nil && r.back != nil:
		r.checkPutBack(w)
	case r.job != nil:
		r.checkListed(w)
	default:
		r.checkMissing(w)
	}
}

// checkLease notes that an agent ended a task because it had not heard of us for
// longer than its lease.
func (r *run) checkLease() {
	for _, s := range r.statuses {
		if r.lost == "" && (s.State == task.Lost || s.Error == task.LeaseRanOut) {
			r.lost = s.Error
			if r.lost == "" {
				r.lost = "its agent lost it"
			}
		}
	}
}

// checkListed finds what cannot go on as it is, though Slurm has the job.
func (r *run) checkListed(w *world) {
	j, ran := r.job, r.state == running
	switch {
	case j.Limited() && !ran && r.lost == "":
		r.ends(verdict{state: task.Refused, why: "Slurm keeps it waiting for a limit of its user or account: " + j.Reason}, w.now)
	case j.Barred() && !ran && r.lost == "":
		r.ends(verdict{state: task.Refused, why: "Slurm keeps it waiting: " + j.Reason}, w.now)
	case j.Impossible() && r.lost == "":
		r.ends(verdict{state: task.Refused, why: "Slurm can never run it: " + j.Reason}, w.now)
	case j.State == client.Running || j.State == client.Suspended:
		r.on(seenToRun)
		r.checkStuck(w)
		if r.elsewhere() && r.lost == "" {
			r.lost = "it was started on other nodes than it was sold"
		}
	case j.PutBack() && r.Requeue && !ran && !r.used(): // it is not: Slurm lets a while pass before it begins it once more
	case (j.PutBack() || j.State == client.Pending && !j.Held && ran) && r.lost == "":
		r.lost = "it was put back into the queue of Slurm"
	case j.State == client.Pending && j.Held && (ran || r.used() && r.began.Before(r.asOf)) && r.lost == "":
		// Slurm has forgotten that it let the job go, and the job runs, or ran.
		r.lost = "Slurm forgot that it had started"
	case j.State == client.Pending && !ran && !r.used() && r.lost == "":
		r.checkWaiting(w)
	}
}

// unavailable is how long Slurm may say of a job that was let go that its nodes are not
// to be had: it says so of a node that comes back this moment, too.
const unavailable = 3 * time.Second

// odd is how long it may give a reason that is not known here.
const odd = 15 * time.Second

// unlicensed is how long Slurm may keep a job waiting for licences that it was sold: those of a
// job that has just ended are free a moment later.
const unlicensed = 15 * time.Second

// checkWaiting finds out whether a job that Slurm has not begun ever will be, where it
// was sold.
func (r *run) checkWaiting(w *world) {
	switch {
	case w.over != "":
		r.ends(verdict{state: task.Refused, why: w.over}, w.now)
	case w.closed:
		r.lost = "its node takes no new jobs"
	case w.others && r.state == released && r.job.Short() && w.now.Sub(r.acted) >= unsettled:
		r.lost = "others hold its GPUs in Slurm"
	case r.job.Unlicensed() && r.state == released && w.now.Sub(r.acted) >= unlicensed:
		r.ends(verdict{state: task.Refused, why: "others have taken its licences in Slurm"}, w.now)
	case !r.job.Unavailable() && !r.job.Odd() || r.state != released:
		r.shunnedAt, r.avoids = time.Time{}, false
	case r.shunnedAt.IsZero():
		r.shunnedAt = w.now
	case w.now.Sub(r.shunnedAt) >= unavailable && r.job.Unavailable(), w.now.Sub(r.shunnedAt) >= odd:
		r.shunned = true // the market is told first, and moves it then
	}
}

// elsewhere reports whether it has nodes that it was not given.
func (r *run) elsewhere() bool {
	if len(r.job.Nodes) == 0 {
		return false
	}
	sold := map[string]bool{}
	for _, name := range r.Nodes {
		sold[name] = true
	}
	for _, name := range r.job.Nodes {
		if !sold[name] {
			return true
		}
	}
	return false
}

// checkMissing finds out what it means that Slurm does not list the job.
func (r *run) checkMissing(w *world) {
	if r.missing.IsZero() || r.misses < 2 || w.good.IsZero() || w.now.Sub(r.missing) < w.grace || w.now.Sub(w.good) < w.grace {
		return
	}
	switch {
	case r.state == held && !r.used():
		r.forget() // it never ran: it can be handed in again, under the same nonce
	case w.control == Agents && r.stop == goesOn && r.alive(w.now):
		// Its processes go on where they are.
	case r.stop != goesOn && r.lost == "":
		r.ends(stoppedBy(r.wantedStop()), w.now)
	default:
		why := r.lost
		if why == "" {
			why = unknownInSlurm
		}
		r.ends(verdict{state: task.Lost, why: why}, w.now)
	}
}

// nextUnsubmitted brings a run into Slurm that is not there, as far as is known.
func (r *run) nextUnsubmitted(w *world) action {
	if r.state == unconfirmed {
		// The answer to a submission was lost. It may still take effect; only a
		// listing that was begun later tells.
		if w.listed.Sub(r.sentAt) < w.settle {
			return wait
		}
		r.on(unlisted)
	}
	stop := r.wantedStop()
	switch {
	case len(r.orders) == 0:
		if w.orders {
			return remove
		}
		return wait
	case stop != task.GoOn:
		r.ends(neverRan(), w.now)
		return report
	case r.unwanted(w): // some of its tasks have ended, and how is not known
		r.ends(verdict{state: task.Lost, why: unknownInSlurm}, w.now)
		return report
	case w.over != "":
		r.ends(verdict{state: task.Refused, why: w.over}, w.now)
		return report
	case w.closed:
		r.ends(verdict{state: task.Lost, why: "its node takes no new jobs"}, w.now)
		return report
	case !r.complete() || w.now.Sub(r.tried) < again:
		return wait
	}
	return submit
}

// nextStop ends a run in Slurm: first as its user has asked for, then at once.
func (r *run) nextStop(w *world) action {
	atOnce := r.lost != "" || r.wantedStop() == task.Kill
	switch {
	case r.stop == goesOn:
		r.stopped = w.now
	case r.stop == terminated && (atOnce || w.now.Sub(r.stopped) >= r.grace):
		atOnce = true
	case w.now.Sub(r.tried) < 5*again:
		return wait
	}
	r.stop, r.tried = r.stop.stopAfter(atOnce), w.now
	if !r.vouchedFor(w) {
		r.tried = time.Time{}
		return look
	}
	if r.stop == killed {
		return kill
	}
	return cancel
}

// nextEnded tells the market how a run ended, and forgets it when the market wants
// nothing of it any more.
func (r *run) nextEnded(w *world) action {
	switch {
	case !w.orders:
		return wait
	case len(r.orders) == 0:
		return remove
	case r.state == reported || !w.last || w.now.Sub(r.tried) < again:
		return wait
	}
	return report
}
