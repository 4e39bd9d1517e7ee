package model

import (
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
	j := f.Known[id]
	if j == nil || j.State.Over() {
		return
	}
	for _, p := range f.Procs {
		if p.id == id && !p.done {
			p.ends(true)
		}
	}
	// It waits for two minutes, and for its processes to have gone.
	j.State, j.Held, j.Started, j.Nodes, j.released = client.Pending, hold, 0, nil, now().Add(2*time.Minute)
	j.Reason = "BeginTime"
	f.tick++
	j.Submitted = now().Unix()*1000 + f.tick
}
