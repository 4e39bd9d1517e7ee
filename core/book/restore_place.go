package book

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// putAlone puts on their processors the jobs that hold them alone.
func (r *restorer) putAlone() error {
	b := r.book
	r.alone = newBitset(len(b.nodeOf))
	for i := range r.state.Running {
		s := r.state.Running[i].Slot
		e := b.slots.at(s)
		if e.Procs.Len() != int(e.Job.Width) {
			return fmt.Errorf("job %d holds %d processors and asked for %d", e.Job.ID, e.Procs.Len(), e.Job.Width)
		}
		e.state, e.at = running, market.Int32(i)
		b.running = append(b.running, s)
		if e.reserved {
			b.reserved = append(b.reserved, s)
		}
		if !e.alone {
			continue
		}
		if e.independent || e.reserved {
			return fmt.Errorf("job %d holds processors alone and is not alone", e.Job.ID)
		}
		needs := b.needs(&e.Job)
		for proc := range e.Procs.All() {
			if !b.idle.has(proc) {
				return fmt.Errorf("job %d holds processor %d, which is not its own", e.Job.ID, proc)
			}
			b.idle.clear(proc)
			b.idleN--
			r.alone.set(proc)
			if needs {
				b.use(proc, &e.Job, -1)
			}
		}
		e.tasks = 1
		b.ends.add(end{at: e.endsAt, id: e.Job.ID, width: e.Job.Width})
		b.heed(e)
	}
	return nil
}

// putBeside puts on their processors the jobs that share them and advance as
// one.
func (r *restorer) putBeside() error {
	b := r.book
	for _, s := range b.running {
		e := b.slots.at(s)
		for proc := range e.Procs.All() {
			if !e.alone && (r.alone.has(proc) || b.down[b.nodeOf[proc]]) {
				return fmt.Errorf("job %d shares processor %d, which nobody can", e.Job.ID, proc)
			}
		}
		if !e.alone && !e.independent {
			e.tasks = e.Job.Width
			b.share(e.Procs, &e.Job)
			b.settle(s, e)
		}
	}
	b.houses.planned()
	return nil
}

// putTasks puts the independent tasks on their processors.
func (r *restorer) putTasks() error {
	b := r.book
	if len(r.state.Tasks) > 0 {
		b.openPiles()
	}
	for _, pile := range r.state.Tasks {
		if pile.Proc < 0 || pile.Proc >= len(b.nodeOf) || len(b.tasks[pile.Proc]) > 0 {
			return fmt.Errorf("tasks on processor %d, which is not there, or has its tasks", pile.Proc)
		}
		soft := false
		for i := range pile.Tasks {
			t := &pile.Tasks[i]
			s, known := r.slots[t.Job]
			e := &Entry{}
			if known {
				e = b.slots.at(s)
			}
			again := slices.ContainsFunc(b.tasks[pile.Proc], func(u Task) bool { return u.Job == t.Job })
			if e.state != running || !e.independent || again || !e.Procs.Has(pile.Proc) {
				return fmt.Errorf("processor %d has a task of job %d, which should have none there", pile.Proc, t.Job)
			}
			if soft && !t.Soft || t.Reserved != e.reserved || t.Released != e.bestEffort || market.Time(t.Since) > b.now ||
				t.Refining && t.Reserved || math.IsNaN(float64(t.Took)) {
				return fmt.Errorf("the task of job %d on processor %d is not as the job says", t.Job, pile.Proc)
			}
			soft = t.Soft
			b.tasks[pile.Proc] = append(b.tasks[pile.Proc], t.task(s))
			e.tasks++
			b.share(market.ProcsOf(pile.Proc), &e.Job)
		}
	}
	for _, s := range b.running {
		if e := b.slots.at(s); e.tasks == 0 {
			return fmt.Errorf("job %d runs and has no task", e.Job.ID)
		}
	}
	return nil
}

// putWaiting puts the others into the queue.
func (r *restorer) putWaiting() error {
	b := r.book
	finite := 0
	for i := range r.state.Waiting {
		s := r.state.Waiting[i].Slot
		e := b.slots.at(s)
		if int(e.Job.Width) > len(b.nodeOf) || e.reserved {
			return fmt.Errorf("job %d waits for what it cannot get", e.Job.ID)
		}
		if e.Terms.Latest.Finite() {
			finite++
		}
		e.state = waiting
		b.queue.add(e, s)
	}
	b.queue.index(&b.slots)
	// Answers do not depend on how the other indexes came about, but the late
	// ones are listed as they lie in this heap.
	latest := heap{}
	seen := make(map[market.JobID]bool, finite)
	for i, w := range r.state.Latest {
		slot := heapItem{key: float64(w.At), id: w.Job} // of no wait
		if !w.Gone {
			s, known := r.slots[w.Job]
			if !known || b.slots.at(s).state != waiting || cmp.Compare(float64(b.slots.at(s).Terms.Latest), slot.key) != 0 || seen[w.Job] {
				return fmt.Errorf("job %d does not wait until %v", w.Job, slot.key)
			}
			seen[w.Job] = true
			slot.slot, slot.ticket = s, b.queue.waits[s]
		} else {
			latest.stale++
		}
		if math.IsNaN(slot.key) || i > 0 && slot.before(latest.items[(i-1)/2]) {
			return fmt.Errorf("the latest start of job %d is out of order", w.Job)
		}
		latest.items = append(latest.items, slot)
	}
	if len(seen) != finite {
		return fmt.Errorf("%d jobs have a latest start, and %d are in order", finite, len(seen))
	}
	if n := len(latest.items); n > 0 && (r.state.Latest[0].Gone || b.slots.n == 0) {
		return errors.New("the first latest start is that of a job that has gone")
	}
	b.queue.latest = latest
	return nil
}

// noneShort: what runs fits into the memory, the disk and the GPUs there are.
func (r *restorer) noneShort() error {
	for node := range r.book.memory {
		if r.book.memory[node] < 0 || r.book.disk[node] < 0 {
			return fmt.Errorf("node %d has less memory or disk than is in use", node)
		}
	}
	return r.book.short()
}
