package book

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// Facts is what a step made true of a book, as plain data: how the jobs and the
// processors that something happened to stand after it. Putting it into an
// [Image] asks no policy anything.
type Facts struct {
	Now   market.Time    `json:"now_s"`
	Cause Cause          `json:"cause,omitempty"`
	Wake  market.Time    `json:"wake_s"`
	Asked market.Time    `json:"asked_s"`
	Jobs  []JobState     `json:"jobs,omitempty"`  // as they are now
	Moved Motion         `json:"moved,omitempty"` // jobs of which nothing but the speed is new
	Used  Motion         `json:"used,omitempty"`  // the same, of which it was measured how far they are
	Gone  []market.JobID `json:"gone,omitempty"`
	Tasks []PileState    `json:"tasks,omitempty"` // of processors, as they are now
}

// Facts writes down how some jobs and processors stand: changed are the jobs to
// which more has happened than another speed, moved those to which only that has, used
// those that were measured.
func (d *Draft) Facts(changed, moved, used []market.JobID, procs []int) Facts {
	b := d.b
	f := Facts{Now: b.now, Cause: b.cause, Wake: d.wake, Asked: d.asked}
	for _, id := range changed {
		slot, here := b.Find(id)
		if !here {
			f.Gone = append(f.Gone, id)
			continue
		}
		j := b.jobState(slot)
		j.Slot = 0 // where it sits follows from the rest
		f.Jobs = append(f.Jobs, j)
	}
	f.Moved, f.Used = b.motion(moved), b.motion(used)
	for _, proc := range procs {
		pile := PileState{Proc: proc, Tasks: []TaskState{}}
		if b.tasks != nil {
			for i := range b.tasks[proc] {
				pile.Tasks = append(pile.Tasks, taskState(&b.tasks[proc][i]))
			}
		}
		f.Tasks = append(f.Tasks, pile)
	}
	return f
}

// motion is how jobs advance; the tasks of those that do not advance as one say it.
func (b *Book) motion(jobs []market.JobID) (m Motion) {
	if len(jobs) > 0 {
		m = make(Motion, 0, len(jobs)*motionSize)
	}
	for _, id := range jobs {
		if slot, here := b.Find(id); here && !b.slots.at(slot).independent {
			e := b.slots.at(slot)
			m = m.add(id, e.Left, e.Speed)
		}
	}
	return m
}

// Motion is the progress and the speed of many jobs at one instant, packed: an
// event under proportional share changes those of all.
type Motion []byte

// motionSize is a job's number, what is left of it, and its speed.
const motionSize = 3 * 8

func (m Motion) add(id market.JobID, left market.Work, speed float64) Motion {
	m = binary.LittleEndian.AppendUint64(m, market.Bits(id))
	m = binary.LittleEndian.AppendUint64(m, math.Float64bits(float64(left)))
	return binary.LittleEndian.AppendUint64(m, math.Float64bits(speed))
}

// Each yields what was packed.
func (m Motion) Each(yield func(id market.JobID, left market.Work, speed float64) error) error {
	if len(m)%motionSize != 0 {
		return errors.New("the speeds of jobs are cut short")
	}
	for ; len(m) > 0; m = m[motionSize:] {
		id := market.JobID(market.Signed(binary.LittleEndian.Uint64(m)))
		left := math.Float64frombits(binary.LittleEndian.Uint64(m[8:]))
		speed := math.Float64frombits(binary.LittleEndian.Uint64(m[16:]))
		if err := yield(id, market.Work(left), speed); err != nil {
			return err
		}
	}
	return nil
}

// Image is a book as plain data that facts can be put into, one step after the
// other. When the last is in, it is a [State] to open a book by.
type Image struct {
	now, wake, asked market.Time
	cause            Cause
	jobs             map[market.JobID]*JobState
	tasks            map[int][]TaskState
}

// NewImage is the image of a state.
func NewImage(s *State) *Image {
	m := &Image{
		now: s.Now, wake: s.Wake, asked: s.Asked, cause: s.Cause,
		jobs: make(map[market.JobID]*JobState, len(s.Running)+len(s.Waiting)), tasks: map[int][]TaskState{},
	}
	for _, j := range s.Running {
		m.jobs[j.ID] = &j
	}
	for _, j := range s.Waiting {
		j.Waits = true
		m.jobs[j.ID] = &j
	}
	for _, pile := range s.Tasks {
		m.tasks[pile.Proc] = pile.Tasks
	}
	return m
}

// EmptyImage is that of a book in which nobody has been.
func EmptyImage() *Image {
	return NewImage(&State{Wake: market.Never, Asked: market.Never})
}

// Apply makes true what facts say.
func (m *Image) Apply(f *Facts) error {
	m.now, m.cause, m.wake, m.asked = f.Now, f.Cause, f.Wake, f.Asked
	for _, id := range f.Gone {
		delete(m.jobs, id)
	}
	for _, j := range f.Jobs {
		m.jobs[j.ID] = &j
	}
	for _, pile := range f.Tasks {
		if m.tasks[pile.Proc] = pile.Tasks; len(pile.Tasks) == 0 {
			delete(m.tasks, pile.Proc)
		}
	}
	advance := func(measured bool) func(market.JobID, market.Work, float64) error {
		return func(id market.JobID, left market.Work, speed float64) error {
			j := m.jobs[id]
			if j == nil {
				return fmt.Errorf("job %d moves and is not there", id)
			}
			j.Left, j.Since, j.Speed = left, f.Now, market.Number(speed)
			j.Presumed = j.Presumed && !measured
			return nil
		}
	}
	return errors.Join(f.Moved.Each(advance(false)), f.Used.Each(advance(true)))
}

// State is the image as a book can be opened by it. Who runs stands in the order
// of the numbers; slots are given anew.
func (m *Image) State(nodes []NodeState) State {
	s := State{Now: m.now, Cause: m.cause, Wake: m.wake, Asked: m.asked, Nodes: nodes, Slots: len(m.jobs)}
	slot := Slot(0)
	for _, id := range slices.Sorted(maps.Keys(m.jobs)) {
		j := *m.jobs[id]
		j.Slot = slot
		slot++
		if j.Reserved { // it begins anew at every step
			j.Submit, j.Left, j.Since = m.now, j.Estimate, m.now
		}
		if j.Waits {
			s.Waiting = append(s.Waiting, j)
		} else {
			s.Running = append(s.Running, j)
		}
	}
	slices.SortStableFunc(s.Waiting, func(a, b JobState) int { return cmp.Compare(a.Terms.Rank, b.Terms.Rank) })
	for i := range s.Waiting {
		if at := s.Waiting[i].Terms.Latest; at.Finite() {
			s.Latest = append(s.Latest, WaitState{At: at, Job: s.Waiting[i].ID})
		}
	}
	slices.SortFunc(s.Latest, func(a, b WaitState) int { // an order is a heap
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Job, b.Job))
	})
	for _, proc := range slices.Sorted(maps.Keys(m.tasks)) {
		pile := PileState{Proc: proc, Tasks: slices.Clone(m.tasks[proc])}
		for i := range pile.Tasks {
			if t := &pile.Tasks[i]; t.Reserved {
				j := m.jobs[t.Job]
				t.Left, t.Since, t.Due = j.Estimate, m.now, m.now+j.Deadline
			}
		}
		s.Tasks = append(s.Tasks, pile)
	}
	return s
}
