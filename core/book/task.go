package book

import (
	"math"

	"github.com/libra-market/libra/core/market"
)

// Task is the part of a job on one processor, where the tasks of a job advance
// independently. What a policy asks of it again and again is kept beside it:
// the tasks of a processor are read together, the hard ones before the soft,
// each in the order of acceptance.
type Task struct {
	Left       market.Work // at Since
	Since      market.Time
	Speed      float64 // work per second
	Due        market.Time
	Fine       float64 // what each second of delay takes off the return
	Job        market.JobID
	Slot       Slot
	Soft       bool
	Reserved   bool        // keeps its place and does not advance
	BestEffort bool        // nothing is promised to it any more: it needs nothing
	Refining   bool        // its mandatory part is done: Left is of the optional one
	Took       market.Work // by the mandatory part, once that is done
	Worth      float64     // what it brings if it is in time
	Rank       float64     // Worth, rounded for comparison
	Return     float64     // what the policy last reckoned it to bring
}

// Pile is what the tasks of one processor amount to.
type Pile struct {
	Worth   float64 // sum over the tasks
	Return  float64 // sum over the tasks
	Top     int     // the task of the highest rank, the first job of equals; -1: none
	Endless bool    // some task has no deadline
	counted bool    // the above is true of the tasks as they are
	topped  bool    // at least Top is, and all tasks are comparable
}

func pileOf(tasks []Task) Pile {
	p := Pile{}
	p.count(tasks)
	return p
}

// count makes it that of some tasks.
func (p *Pile) count(tasks []Task) {
	worth, brings, endless := 0.0, 0.0, false
	for i := range tasks {
		t := &tasks[i]
		worth += t.Worth
		brings += t.Return
		if !t.Due.Finite() {
			endless = true
		}
	}
	p.Worth, p.Return, p.Endless = worth, brings, endless
	if !p.topped {
		p.Top = topOf(tasks)
	}
	p.counted, p.topped = true, !math.IsNaN(worth)
}

func topOf(tasks []Task) int {
	top := -1
	for i := range tasks {
		if top < 0 || tasks[i].tops(&tasks[top]) {
			top = i
		}
	}
	return top
}

// tops reports whether a task is the top one rather than another.
func (t *Task) tops(other *Task) bool {
	return t.Rank > other.Rank || t.Rank == other.Rank && t.Job < other.Job
}

// LeftAt is the work left at a time not before Since.
func (t *Task) LeftAt(now market.Time) market.Work {
	return t.Left - market.Work(float64(float64(now-t.Since)*t.Speed))
}

// Touch says how the tasks of a processor changed since the last plan.
type Touch uint8

// The ways in which tasks change.
const (
	Joined    Touch = 1 << iota // a task was accepted
	Left                        // a task is gone
	Corrected                   // a task was measured
)

// NewTask is a task of a job as it would be taken in now on the given terms.
func NewTask(j *market.Job, t Terms, now market.Time) Task {
	return Task{
		Left: j.Estimate, Since: now, Due: j.Due(), Soft: j.SLA.Soft, Job: j.ID, Slot: NoSlot,
		Worth: float64(t.Worth), Rank: market.RoundSignificant(float64(t.Worth)), Fine: float64(t.Fine),
	}
}

// Independent reports whether there are, or have been, tasks that advance independently.
func (b *Book) Independent() bool { return b.tasks != nil }

// openPiles makes room for tasks, the first time there are any.
func (b *Book) openPiles() {
	if b.tasks == nil {
		b.tasks = make([][]Task, len(b.nodeOf))
		b.piles = make([]Pile, len(b.nodeOf))
	}
}

func (b *Book) addTasks(s Slot, e *Entry) {
	b.openPiles()
	task := NewTask(&e.Job, e.Terms, b.now)
	task.Slot, task.Reserved, task.BestEffort = s, e.reserved, e.bestEffort
	for proc := range e.Procs.All() {
		tasks := append(b.tasks[proc], task)
		at := len(tasks) - 1
		for !task.Soft && at > 0 && tasks[at-1].Soft {
			at--
		}
		if at < len(tasks)-1 {
			copy(tasks[at+1:], tasks[at:])
			tasks[at] = task
		}
		b.tasks[proc] = tasks
		p := &b.piles[proc]
		was := *p
		b.touch(proc, Joined)
		if was.topped && !math.IsNaN(task.Worth) { // one look says who is the top one now
			if at <= was.Top {
				was.Top++
			}
			if was.Top < 0 || task.tops(&tasks[was.Top]) {
				was.Top = at
			}
			p.Top, p.topped = was.Top, true
			if was.counted && at == len(tasks)-1 { // and the sums only go on
				p.Worth, p.Return, p.Endless, p.counted = was.Worth+task.Worth, was.Return+task.Return, was.Endless || !task.Due.Finite(), true
			}
		}
	}
}

// removeTask takes a job's task off a processor, if it is there.
func (b *Book) removeTask(proc int, s Slot) bool {
	i := b.placeOf(proc, s)
	if i < 0 {
		return false
	}
	b.takeTask(proc, i)
	return true
}

// takeTask takes the i-th task off a processor.
func (b *Book) takeTask(proc, i int) {
	tasks, p := b.tasks[proc], &b.piles[proc]
	b.stir(tasks[i].Slot)
	b.tasks[proc] = append(tasks[:i], tasks[i+1:]...)
	top, topped := p.Top, p.topped
	b.touch(proc, Left)
	if topped && i != top { // who was the top one still is
		if i < top {
			top--
		}
		p.Top, p.topped = top, true
	}
}

// placeOf is where a job's task is among those of a processor, or -1 where that is done.
func (b *Book) placeOf(proc int, s Slot) int {
	tasks := b.tasks[proc]
	for i := range tasks {
		if tasks[i].Slot == s {
			return i
		}
	}
	return -1
}

// taskOf is a job's task on a processor, or nil where that is done.
func (b *Book) taskOf(proc int, s Slot) *Task {
	if i := b.placeOf(proc, s); i >= 0 {
		return &b.tasks[proc][i]
	}
	return nil
}

// measureTask corrects what a job's task on a processor has left.
func (b *Book) measureTask(proc int, s Slot, had market.Work) {
	if t := b.taskOf(proc, s); t != nil {
		t.Left, t.Since = t.leftAfter(&b.slots.at(s).Job, had), b.now
		b.touch(proc, Corrected)
	}
}

// FinishTask ends a job's task on one processor and reports whether it was the
// last of the job.
func (b *Book) FinishTask(s Slot, proc int, had market.Work) (last bool) {
	e := b.slots.at(s)
	i := b.placeOf(proc, s)
	if i < 0 {
		return false
	}
	e.refined += b.tasks[proc][i].refinedAfter(&e.Job, had)
	b.takeTask(proc, i)
	b.unshare(proc, &e.Job)
	e.worked = max(e.worked, had)
	e.tasks--
	return e.tasks == 0
}

// Worked is the most processor time that a finished task of the job has had.
func (e *Entry) Worked() market.Work { return e.worked }

// Independent reports whether the job's tasks advance independently.
func (e *Entry) Independent() bool { return e.independent }

func (b *Book) touch(proc int, how Touch) {
	if b.isTouch[proc] == 0 {
		b.touched = append(b.touched, market.Int32(proc))
	}
	b.isTouch[proc] |= how
	b.versions[proc]++
	if b.piles != nil {
		b.piles[proc].counted, b.piles[proc].topped = false, false
	}
}
