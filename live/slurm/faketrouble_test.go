package slurm

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/libra-market/libra/live/slurm/client"
)

// crash kills the controller; it comes back after a while and may have forgotten
// its last seconds.
func (f *fakeSlurm) crash(ctx context.Context, forget bool) {
	f.mu.Lock()
	f.away = true
	f.mu.Unlock()
	pause(ctx, 2*time.Second)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.away, f.born = false, time.Now().Unix()*1000
	if !forget || len(f.past) == 0 {
		return
	}
	back := max(0, len(f.past)-1-f.luck.IntN(60))
	was := f.past[back]
	for id, j := range f.jobs {
		old, known := was.jobs[id]
		if !known || old.State != j.State || old.Held != j.Held {
			f.lost[j.Comment] = true
		}
	}
	f.next, f.jobs, f.past = was.next, map[int64]*fakeJob{}, f.past[:back+1]
	for id, j := range was.jobs {
		f.jobs[id] = &j
	}
}

// failNode takes a node down as Slurm does: its jobs are lost there.
func (f *fakeSlurm) failNode(ctx context.Context, name string, long time.Duration) {
	f.mu.Lock()
	f.nodes[name] = false
	for id, j := range f.jobs {
		if j.State == client.Running && slices.Contains(j.Nodes, name) {
			f.end(id, client.NodeFail)
		}
	}
	f.mu.Unlock()
	pause(ctx, long)
	f.mu.Lock()
	f.nodes[name] = true
	f.mu.Unlock()
}

// vanish lets slurmd of a node go away for a while: its jobs are lost for Slurm, and
// their processes go on until it is back.
func (f *fakeSlurm) vanish(ctx context.Context, name string, long time.Duration) {
	f.mu.Lock()
	f.nodes[name] = false
	for _, j := range f.jobs {
		if j.State == client.Running && slices.Contains(j.Nodes, name) {
			j.State, j.Ended, j.Held = client.NodeFail, time.Now().Unix(), false
		}
	}
	f.mu.Unlock()
	pause(ctx, long)
	f.kill(name)
	f.mu.Lock()
	f.nodes[name] = true
	f.mu.Unlock()
}

// killBatch ends the processes of a job on a node.
func (f *fakeSlurm) killBatch(node, batch string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.procs {
		if !p.done && fmt.Sprint(p.id) == batch && slices.Contains(p.nodes, node) {
			p.done, p.killed = true, true
		}
	}
}

// alive counts the processes that go on, wherever.
func (f *fakeSlurm) alive() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, p := range f.procs {
		if !p.done {
			n++
		}
	}
	return n
}

// kill ends the processes on a node without asking the controller.
func (f *fakeSlurm) kill(node string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.procs {
		if !p.done && slices.Contains(p.nodes, node) {
			p.done, p.killed = true, true
		}
	}
}

// used is the time that the group of a number has used on a node, whether there
// has been a process in it, and whether there still is.
func (f *fakeSlurm) used(node, batch string, now time.Time) (us int64, began, alive bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.procs {
		if fmt.Sprint(p.id) == batch && slices.Contains(p.nodes, node) {
			alive = alive || !p.done
			end := p.until
			if now.Before(end) {
				end = now
			}
			us, began = us+end.Sub(p.since).Microseconds(), true
		}
	}
	return us, began, alive
}

// count counts the jobs that the controller knows.
func (f *fakeSlurm) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.jobs)
}
