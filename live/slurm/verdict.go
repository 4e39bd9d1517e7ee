package slurm

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// verdict is what an end in Slurm means to the market.
type verdict struct {
	state  task.State
	exit   int
	signal string
	oom    bool
	why    string
	cause  cause // why its script says that it never began; 0: it does not
	user   bool  // who it is of ended it in Slurm
	timed  bool  // its time limit in Slurm did

	started, ended int64 // unix seconds; 0: not known
	paused         int64 // seconds of that in which Slurm had suspended it
}

// verdictOf reads how a job ended in Slurm.
func verdictOf(j *client.Job) verdict {
	v := verdict{state: task.Ended, exit: j.Exit, started: j.Started, ended: j.Ended, paused: j.Paused}
	if j.Signal != 0 {
		v.signal = signalName(j.Signal)
	}
	switch j.State {
	case client.Completed:
		v.exit, v.signal = 0, ""
	case client.Failed:
		v.cause = causeOf(j.Signal)
		if v.exit == 0 && v.signal == "" { // Slurm itself could not start it
			v.state, v.why = task.Refused, explain("Slurm could not start it", j)
		}
	case client.NoMemory:
		v.oom, v.exit, v.signal = true, 0, "SIGKILL"
	case client.Cancelled:
		v.exit, v.user, v.why = 0, true, explain("cancelled in Slurm", j)
		if len(j.Nodes) == 0 { // it was never given any
			v.state, v.signal, v.why = task.Refused, "", explain("cancelled in Slurm before it began", j)
		} else if v.signal == "" {
			v.signal = "SIGTERM"
		}
	case client.Timeout, client.Deadline:
		v.exit, v.signal, v.timed, v.why = 0, "SIGTERM", true, explain("its time limit in Slurm is over", j)
	default: // the node failed, or Slurm wants it to start again, or says what nobody knows
		v.state, v.exit, v.signal, v.why = task.Lost, 0, "", explain("lost in Slurm", j)
	}
	return v
}

func explain(what string, j *client.Job) string {
	if j.Reason == "" || j.Reason == "None" {
		return fmt.Sprintf("%s (%s)", what, j.State)
	}
	return fmt.Sprintf("%s (%s: %s)", what, j.State, j.Reason)
}

// signalName is never empty: a task with no signal and no exit code succeeded.
func signalName(n int) string {
	if name := unix.SignalName(unix.Signal(n)); name != "" {
		return name
	}
	return fmt.Sprintf("SIG%d", n)
}

// neverRan is the end of a run that Slurm never ran.
func neverRan() verdict {
	return verdict{state: task.Refused, why: "stopped before it was started"}
}

// stoppedBy is the end of a run that was told to end and that Slurm may have run:
// it does not know any more.
func stoppedBy(how task.Stop) verdict {
	if how == task.Kill {
		return verdict{state: task.Ended, signal: "SIGKILL"}
	}
	return verdict{state: task.Ended, signal: "SIGTERM"}
}

// status is how one task of a run ended: what its agent measured, and what Slurm
// says of the whole job.
func (r *run) status(rank int, control Control) task.Status {
	v := &r.end.verdict
	s := r.statuses[rank]
	s.Key = task.Key{Job: r.key.job, Rank: rank, Attempt: r.key.attempt}
	s.State, s.Exit, s.Signal, s.OOM, s.Error = v.state, v.exit, v.signal, v.oom, v.why
	s.Cancelled = v.user && r.stop == goesOn // else the market asked for it
	if v.timed && r.stop == goesOn {         // else the market ended it
		s.Limit = task.LimitTime
	}
	s.StartedUS, s.EndedUS, s.Elements = v.started*1e6, v.ended*1e6, nil
	if v.started == 0 && r.ranOnce {
		s.StartedUS = r.startedAt() * 1e6
	}
	if r.ID != 0 {
		s.Batch = r.batch()
	}
	if s.EndedUS == 0 {
		s.EndedUS = r.end.at.UnixMicro()
	}
	if control == None && v.started > 0 && v.ended > v.started {
		o := r.orders[rank]
		s.CPUUS = max(0, v.ended-v.started-v.paused) * 1e6 * int64(o.Spec.Processors())
	}
	r.ofElements(&s, control)
	r.checkBegan(&s, control)
	return s
}

// limitOf is Slurm's limit for a job: what is left until its deadline, twice, so
// that Slurm never ends what the market lets go on for a while; the market ends
// jobs itself, and to the second. 0: none of its own.
func limitOf(dueUS int64, now time.Time) time.Duration {
	const least = 10 * time.Minute
	left := time.UnixMicro(dueUS).Sub(now)
	if dueUS == 0 || left <= 0 {
		return 0
	}
	return left + max(left, least)
}
