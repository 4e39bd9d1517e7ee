package model

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/libra-market/libra/live/slurm/client"
)

// Crash kills the controller; it comes back after a while and may have forgotten
// its last seconds.
func (f *Slurm) Crash(ctx context.Context, forget bool) {
	f.CrashFor(ctx, 2*time.Second)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if !forget || len(f.Past) == 0 {
		return
	}
	back := max(0, len(f.Past)-1-f.lots("crash").IntN(60))
	was := f.Past[back]
	for id, j := range f.Known {
		old, known := was.jobs[id]
		if !known || old.State != j.State || old.Held != j.Held {
			f.Lost[j.Comment] = true
		}
	}
	f.next, f.Known, f.Past = was.next, map[int64]*Job{}, f.Past[:back+1]
	for id, j := range was.jobs {
		f.Known[id] = &j
	}
}

// CrashFor kills the controller; it comes back after so long, and has forgotten nothing.
func (f *Slurm) CrashFor(ctx context.Context, long time.Duration) {
	f.Mu.Lock()
	f.away = true
	f.Mu.Unlock()
	pause(ctx, long)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.away, f.born = false, now().Unix()*1000
}

// Unfound has the controller say of every node that it is down, though what runs there
// goes on: as one does that was started and has not heard of them yet.
func (f *Slurm) Unfound(so bool) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.unfound = so
}

// FailNode takes a node down as Slurm does: its jobs are lost there.
func (f *Slurm) FailNode(ctx context.Context, name string, long time.Duration) {
	f.Mu.Lock()
	f.nodes[name] = false
	for id, j := range f.Known {
		if j.State == client.Running && slices.Contains(j.Nodes, name) {
			f.end(id, client.NodeFail)
		}
	}
	f.Mu.Unlock()
	pause(ctx, long)
	f.Mu.Lock()
	f.nodes[name] = true
	f.Mu.Unlock()
}

// Vanish lets slurmd of a node go away for a while: its jobs are lost for Slurm, and
// their processes go on until it is back.
func (f *Slurm) Vanish(ctx context.Context, name string, long time.Duration) {
	f.Mu.Lock()
	f.nodes[name] = false
	for _, j := range f.Known {
		if j.State == client.Running && slices.Contains(j.Nodes, name) {
			j.State, j.Ended, j.Held = client.NodeFail, now().Unix(), false
		}
	}
	f.Mu.Unlock()
	pause(ctx, long)
	f.Kill(name)
	f.Mu.Lock()
	f.nodes[name] = true
	f.Mu.Unlock()
}

// ShutDown stops a node in order, and starts it again: what it runs is ended by SIGTERM,
// which the controller is told, and believes; it calls it over when the next slurmd says
// that it has put it away.
func (f *Slurm) ShutDown(ctx context.Context, name string, long time.Duration) {
	f.Mu.Lock()
	f.Stopped[name] = true
	for _, j := range f.Known {
		if j.State == client.Running && slices.Contains(j.Nodes, name) {
			j.State, j.Ended = client.Completing, now().Unix()
		}
	}
	f.Mu.Unlock()
	f.Kill(name)
	pause(ctx, long)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.slurmds[name] = now().Unix()
	delete(f.Stopped, name)
}

// Reset starts the machine of a node anew as its button does: what it ran is gone, and nobody
// tells the controller, which asks the new slurmd for none of the jobs that it has only
// just begun.
func (f *Slurm) Reset(name string) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for _, p := range f.Procs {
		if !p.done && slices.Contains(p.nodes, name) {
			p.ends(true)
			p.told = true
		}
	}
	f.slurmds[name] = now().Unix()
}

// putAway calls a job over that was ended with its node, once there is a slurmd again.
func (f *Slurm) putAway(j *Job) {
	if j.State == client.Completing && f.up(j.Nodes) {
		j.State, j.Signal = client.Failed, 15
	}
}

// KillBatch ends the processes of a job on a node.
func (f *Slurm) KillBatch(node, batch string) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for _, p := range f.Procs {
		if !p.done && fmt.Sprint(p.id) == batch && slices.Contains(p.nodes, node) {
			p.ends(true)
		}
	}
}

// Alive counts the processes that go on, wherever.
func (f *Slurm) Alive() int {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	n := 0
	for _, p := range f.Procs {
		if !p.done {
			n++
		}
	}
	return n
}

// Kill ends the processes on a node without asking the controller.
func (f *Slurm) Kill(node string) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for _, p := range f.Procs {
		if !p.done && slices.Contains(p.nodes, node) {
			p.ends(true)
		}
	}
}

// Used is the time that the group of a number has used on a node, whether there
// has been a process in it, and whether there still is.
func (f *Slurm) Used(node, batch string, now time.Time) (us int64, began, alive bool) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for _, p := range f.Procs {
		if fmt.Sprint(p.id) == batch && slices.Contains(p.nodes, node) {
			alive = alive || !p.done
			end := p.until
			if now.Before(end) {
				end = now
			}
			if !p.halted.IsZero() {
				end = p.halted
			}
			us, began = us+end.Sub(p.since).Microseconds(), true
		}
	}
	return us, began, alive
}

// Count counts the jobs that the controller knows.
func (f *Slurm) Count() int {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	return len(f.Known)
}

// Outside lets somebody do something in Slurm without us: cancel a job, submit
// another one, or change a comment.
func (f *Slurm) Outside(luck *rand.Rand) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.tick++
	f.Known[f.next] = &Job{Job: client.Job{
		ID: f.next, User: "bob", State: client.Completed, Comment: "mine", Submitted: now().Unix()*1000 + f.tick, Ended: now().Unix(),
	}}
	f.next++
	for id, j := range f.Known {
		if !j.State.Over() && luck.IntN(3) == 0 {
			f.end(id, client.Cancelled)
			return
		}
	}
}
