package slurm

import (
	"context"
	"syscall"
	"time"

	"github.com/libra-market/libra/live/slurm/client"
)

// A slurmctld that was started anew may have forgotten that it had started a job. It
// ends what it finds of it on the node and starts it once more; and when what it ended
// had not even become our script, its slurmstepd tells slurmctld that the job ended, with
// status 1 or by SIGKILL, and that is taken for the end of the second. So what Slurm says
// of a job that failed so, and had nothing, is not believed if slurmctld was started
// since the job was handed in: it is begun again. To a program that did fail so, in a
// moment, that happens once. Where there are two slurmctld, of which one takes over when
// the other is gone, neither says when it did; but it cannot be without a silence.

// doubtful reports whether what Slurm says of a job that failed, or was cancelled, may be
// no word of its program's or its user's.
func (r *run) doubtful(control Control) bool {
	if r.job == nil || r.lost != "" || r.stop != goesOn {
		return false
	}
	if r.job.State == client.Cancelled {
		return r.begunTwice()
	}
	if r.job.State != client.Failed {
		return false
	}
	return r.struckDown() || r.likeOneNeverRun(control)
}

// unanswered reports whether slurmctld was not asked yet about an end that is doubtful.
// What it said while the job ran is no answer.
func (r *run) unanswered(control Control) bool {
	return len(r.array.struck) > 0 && r.job != nil && r.lost == "" && r.stop == goesOn || r.doubtful(control) && (r.asked.IsZero() || r.about != r.job.State)
}

// hollow reports whether Slurm says of a job that it runs, and its agents have long
// seen the last of its processes end. A slurmctld that was killed just after it had heard
// of the end does not know of it any more; nobody tells it again, and it may be long
// before it asks the node. Nor does it hear of one that went with its machine, if that is back
// a few seconds after the job began: slurmctld asks it for older ones only. How the job ended is not known then: it is begun again. It is
// asked about for as long as it is so: a slurmctld that was not started anew when it was
// asked may be later, and forget the end then.
func (r *run) hollow(w *world) bool {
	if w.control != Agents || r.job == nil || r.job.State != client.Running || r.lost != "" || r.stop != goesOn {
		return false
	}
	if r.array.stuck != "" { // Slurm does not say that one of its elements runs
		return false
	}
	return !r.empty.IsZero() && w.now.Sub(r.empty) >= quiet && !w.good.IsZero() && w.now.Sub(w.good) >= quiet && r.asOf.Sub(r.empty) >= quiet
}

// likeOneNeverRun reports whether a job ended as one does that Slurm never ran.
func (r *run) likeOneNeverRun(control Control) bool {
	j := r.job
	if !(j.Exit == 1 && j.Signal == 0) && syscall.Signal(j.Signal) != syscall.SIGKILL {
		return false
	}
	if control == None {
		return j.Ended-j.Started <= littleWait
	}
	return r.cpuTime() <= littleTime*time.Duration(max(1, r.size))
}

// refusedWithin is how long Slurm takes to give up a job, in seconds, that a node refuses to
// begin once more.
const refusedWithin = 5

// begunTwice reports whether Slurm has begun a job that it had begun before, and gave it
// up at once. Where the first is there still its node refuses the second, since both have
// one number, and slurmd has the job cancelled; its user did not. Whether a job of before
// this backend had begun nobody may be left to say: there it is taken for that if it was
// given nodes and was gone in the same moment.
func (r *run) begunTwice() bool {
	j := r.job
	took := j.Ended - j.Started
	if !r.restored.IsZero() && r.first == 0 && !r.used() {
		return len(j.Nodes) > 0 && took <= littleWait
	}
	anew := r.first != 0 && j.Started > r.first || r.used() && j.Started > r.began.Unix()+littleWait
	return anew && took <= refusedWithin
}

// cpuTime is what agents have measured of it so far.
func (r *run) cpuTime() time.Duration {
	var used time.Duration
	for _, s := range r.statuses {
		used += time.Duration(s.CPUUS) * time.Microsecond
	}
	return used
}

// inquire asks whether slurmctld was started since a run was handed in, and how the
// nodes of the run are.
func (b *Backend) inquire(ctx context.Context, r *run) {
	began, err := int64(0), errNotAsked
	var nodes []client.Node
	b.inSlurm(func() {
		if began, err = b.slurm.Began(ctx); err == nil {
			nodes, err = b.slurm.Nodes(ctx, b.cfg.Partition)
		}
	})
	if err != nil {
		b.failed(r, "whether Slurm was started anew is not known", err)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.job == nil || r.lost != "" {
		return
	}
	r.asked, r.about = b.cfg.Now(), r.job.State
	r.lost = elementsShutDown(r.array.struck, nodes)
	if r.array.struck = nil; r.lost != "" {
		return
	}
	anew := began >= r.job.Submitted || began == 0 && b.mayHaveChanged(r)
	switch {
	case r.job.State == client.Running && !r.empty.IsZero():
		if anew || began == 0 && !b.silent.Before(r.sentAt) { // whichever attempt it is: it is no program that fails at once
			r.lost = "Slurm was started anew, and says that it runs: its processes have ended"
		} else {
			r.lost = r.shutDown(nodes)
		}
	case r.job.State == client.Cancelled:
		if anew && r.begunTwice() {
			r.lost = "Slurm was started anew, began it once more, and gave it up"
		}
	case anew && r.likeOneNeverRun(b.cfg.Control):
		r.lost = "Slurm was started anew, and says that it failed before it began"
	case r.struckDown():
		r.lost = r.shutDown(nodes)
	}
}

// mayHaveChanged reports whether another slurmctld may have taken over since a run was
// handed in, where nobody can say: then Slurm was silent for a while. To a program that
// fails at once it happens once, however often Slurm is slow. What was before this backend
// nobody has heard. The lock is held.
func (b *Backend) mayHaveChanged(r *run) bool {
	return r.key.attempt == 0 && !b.silent.Before(r.sentAt)
}
