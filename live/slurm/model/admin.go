package model

import (
	"fmt"
	"strings"
	"time"

	"github.com/libra-market/libra/live/slurm/client"
)

// Suspend stops the processes of a job where they are, until Resume.
func (f *Slurm) Suspend(id int64) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	j := f.Known[id]
	if j == nil || j.State != client.Running {
		return
	}
	j.State = client.Suspended
	for _, p := range f.Procs {
		if p.id == id && !p.done {
			p.halted = now()
		}
	}
}

// Resume lets them go on.
func (f *Slurm) Resume(id int64) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	j := f.Known[id]
	if j == nil || j.State != client.Suspended {
		return
	}
	j.State = client.Running
	for _, p := range f.Procs {
		if p.id == id && !p.halted.IsZero() {
			long := now().Sub(p.halted)
			p.since, p.until, p.halted = p.since.Add(long), p.until.Add(long), time.Time{}
			j.Paused += int64(long.Seconds())
		}
	}
}

// Requeue ends a job and puts it back into the queue, where it is held or begins again by
// itself. It counts as submitted then.
func (f *Slurm) Requeue(id int64, hold bool) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if j := f.Known[id]; j != nil && !j.State.Over() {
		f.requeue(j, hold)
	}
}

// RequeueByUser does that for its user, also where it has ended; a job that is not begun with
// --requeue stays as it is, and so does one that waits.
func (f *Slurm) RequeueByUser(id int64, hold bool) (done bool) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	j := f.Known[id]
	if j == nil || !j.Submission.Requeue || j.State == client.Pending {
		return false
	}
	f.requeue(j, hold)
	return true
}

// guarded puts a job back that begins once more, and that the market has not noted may: as its script
// does.
func (f *Slurm) guarded(j *Job) bool {
	if !j.Submission.Requeue || j.Restarts == 0 || strings.HasPrefix(j.Remark, fmt.Sprintf("libra: start %d ", j.Restarts)) {
		return false
	}
	f.requeue(j, false)
	return true
}

// requeue puts a job back. The lock is held.
func (f *Slurm) requeue(j *Job, hold bool) {
	for _, p := range f.Procs {
		if p.id == j.ID && !p.done {
			p.ends(true)
		}
	}
	for _, node := range j.Wanted { // its node knows that it has ended
		delete(f.begun, fmt.Sprint(node, " ", j.ID))
	}
	// It waits for two minutes, and for its processes to have gone.
	j.State, j.Held, j.Started, j.Nodes, j.released = client.Pending, hold, 0, nil, now().Add(2*time.Minute)
	j.Reason = "BeginTime"
	j.Restarts++
	j.Ended, j.Exit, j.Signal = 0, 0, 0
	f.tick++
	j.Submitted = now().Unix()*1000 + f.tick
}
