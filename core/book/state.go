package book

import (
	"slices"

	"github.com/libra-market/libra/core/market"
)

// State is all that the future of a book depends on, as plain data: what is
// not in it follows from it. It is taken between two steps. Times are in
// seconds of the log, work in processor-seconds.
type State struct {
	Now     market.Time `json:"now_s"`
	Cause   Cause       `json:"cause,omitempty"` // of the next plan, known already
	Wake    market.Time `json:"wake_s"`          // asked for by the policy
	Asked   market.Time `json:"asked_s"`         // said to the driver
	Version uint32      `json:"version"`         // no processor has a later one
	Nodes   []NodeState `json:"nodes"`
	Slots   int         `json:"seats"`
	Free    []Slot      `json:"free,omitempty"`    // in the order in which they are given again
	Vacated []Slot      `json:"vacated,omitempty"` // free from the next step on
	Running []JobState  `json:"running,omitempty"` // in the order of the book: sums of shares depend on it
	Waiting []JobState  `json:"waiting,omitempty"` // by rank
	Latest  []WaitState `json:"latest,omitempty"`  // as they lie in the heap: who is late is listed in that order
	Tasks   []PileState `json:"tasks,omitempty"`   // where there are any, by processor
}

// NodeState is what a book must find again of a node.
type NodeState struct {
	Processors int           `json:"processors"`
	Rating     market.Number `json:"rating"`
	Down       bool          `json:"down,omitempty"`
	Closed     bool          `json:"closed,omitempty"`   // it takes no new jobs
	Withheld   int64         `json:"withheld,omitempty"` // GPUs that are somebody else's
}

// JobState is one job that waits or runs.
type JobState struct {
	market.Job

	Slot     Slot          `json:"seat"`
	Terms    Terms         `json:"terms"`
	Start    market.Time   `json:"start_s"`
	Left     market.Work   `json:"left_s"`
	Since    market.Time   `json:"since_s"`
	Speed    market.Number `json:"speed"`
	Procs    string        `json:"procs,omitempty"`
	Alone    bool          `json:"alone,omitempty"`
	Apart    bool          `json:"apart,omitempty"`
	Reserved bool          `json:"reserved,omitempty"`
	Released bool          `json:"released,omitempty"`
	Presumed bool          `json:"presumed,omitempty"`
	Ends     market.Time   `json:"ends_s,omitempty"`
	Worked   market.Work   `json:"worked_s,omitempty"`
	Priced   market.Work   `json:"priced_s"`
	Refined  market.Work   `json:"refined_s,omitempty"`
	Waits    bool          `json:"waits,omitempty"` // it may still say where it ran before
}

// WaitState is a latest start, of a job that waits or of one that has gone
// and is still to be cleared away.
type WaitState struct {
	At   market.Time  `json:"at_s"`
	Job  market.JobID `json:"job"`
	Gone bool         `json:"gone,omitempty"`
}

// PileState is the independent tasks on one processor, in their order.
type PileState struct {
	Proc  int         `json:"proc"`
	Tasks []TaskState `json:"tasks"`
}

// TaskState is one of them.
type TaskState struct {
	Job      market.JobID  `json:"job"`
	Left     market.Work   `json:"left_s"`
	Since    market.Time   `json:"since_s"`
	Speed    market.Number `json:"speed"`
	Due      market.Time   `json:"due_s"`
	Fine     market.Number `json:"fine"`
	Soft     bool          `json:"soft,omitempty"`
	Reserved bool          `json:"reserved,omitempty"`
	Released bool          `json:"released,omitempty"`
	Refining bool          `json:"refining,omitempty"`
	Took     market.Work   `json:"took_s,omitempty"`
	Worth    market.Number `json:"worth"`
	Rank     market.Number `json:"rank"`
	Return   market.Number `json:"return"`
}

// State writes down the book and what its draft has asked for.
func (d *Draft) State() State {
	b := d.b
	s := State{
		Now: b.now, Cause: b.cause, Wake: d.wake, Asked: d.asked, Version: slices.Max(b.versions),
		Slots: b.slots.n, Vacated: slices.Clone(b.vacated),
	}
	for i := range b.nodes.Len() {
		n := b.nodes.At(i)
		s.Nodes = append(s.Nodes, NodeState{Processors: n.Processors, Rating: market.Number(n.Rating), Down: b.down[i], Closed: b.closed[i], Withheld: b.gpus.withheldOn(i)})
	}
	for slot := b.freeSlot; slot != NoSlot; slot = b.slots.at(slot).alongside {
		s.Free = append(s.Free, slot)
	}
	for _, slot := range b.running {
		s.Running = append(s.Running, b.jobState(slot))
	}
	for _, slot := range b.inOrder() {
		s.Waiting = append(s.Waiting, b.jobState(slot))
	}
	for _, slot := range b.queue.latest.items {
		s.Latest = append(s.Latest, WaitState{At: market.Time(slot.key), Job: slot.id, Gone: !b.queue.still(slot)})
	}
	for proc, tasks := range b.tasks {
		if len(tasks) == 0 {
			continue
		}
		pile := PileState{Proc: proc}
		for i := range tasks {
			pile.Tasks = append(pile.Tasks, taskState(&tasks[i]))
		}
		s.Tasks = append(s.Tasks, pile)
	}
	return s
}

func (b *Book) jobState(slot Slot) JobState {
	e := b.slots.at(slot)
	return JobState{
		Job: e.Job, Slot: slot, Terms: e.Terms, Start: e.Start, Left: e.Left, Since: e.Since, Speed: market.Number(e.Speed),
		Procs: writeProcs(e.Procs), Alone: e.alone, Apart: e.independent, Reserved: e.reserved, Released: e.bestEffort, Presumed: e.presumed,
		Ends: e.endsAt, Worked: e.worked, Priced: e.priced, Refined: e.refined, Waits: e.state == waiting,
	}
}

func taskState(t *Task) TaskState {
	return TaskState{
		Job: t.Job, Left: t.Left, Since: t.Since, Speed: market.Number(t.Speed), Due: t.Due, Fine: market.Number(t.Fine),
		Soft: t.Soft, Reserved: t.Reserved, Released: t.BestEffort, Refining: t.Refining, Took: t.Took,
		Worth: market.Number(t.Worth), Rank: market.Number(t.Rank), Return: market.Number(t.Return),
	}
}

func (s *JobState) entry() Entry {
	return Entry{
		Job: s.Job, Terms: s.Terms, Start: s.Start, Left: s.Left, Since: s.Since, Speed: float64(s.Speed),
		alone: s.Alone, independent: s.Apart, reserved: s.Reserved, bestEffort: s.Released, presumed: s.Presumed,
		endsAt: s.Ends, worked: s.Worked, priced: s.Priced, refined: s.Refined,
	}
}

func (s *TaskState) task(slot Slot) Task {
	return Task{
		Job: s.Job, Slot: slot, Left: s.Left, Since: s.Since, Speed: float64(s.Speed), Due: s.Due,
		Fine: float64(s.Fine), Soft: s.Soft, Reserved: s.Reserved, BestEffort: s.Released, Refining: s.Refining, Took: s.Took,
		Worth: float64(s.Worth), Rank: float64(s.Rank), Return: float64(s.Return),
	}
}
