package book

import (
	"slices"

	"github.com/libra-market/libra/core/market"
)

// State is all that the future of a book depends on, as plain data: what is
// not in it follows from it. It is taken between two steps. Times are in
// seconds of the log, work in processor-seconds.
type State struct {
	Now     Number      `json:"now_s"`
	Cause   Cause       `json:"cause,omitempty"` // of the next plan, known already
	Wake    Number      `json:"wake_s"`          // asked for by the policy
	Asked   Number      `json:"asked_s"`         // said to the driver
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
	Processors int    `json:"processors"`
	Rating     Number `json:"rating"`
	Down       bool   `json:"down,omitempty"`
}

// JobState is one job that waits or runs.
type JobState struct {
	Slot     Slot             `json:"seat"`
	ID       market.JobID     `json:"id"`
	Submit   Number           `json:"submit_s"`
	Estimate Number           `json:"estimate_s"`
	Optional Number           `json:"optional_s"`
	Deadline Number           `json:"deadline_s"`
	Budget   Number           `json:"budget"`
	Penalty  Number           `json:"penalty_per_s"`
	Bonus    Number           `json:"bonus_per_s,omitempty"`
	Soft     bool             `json:"soft,omitempty"`
	Memory   int64            `json:"memory_mb,omitempty"`
	Disk     int64            `json:"disk_mb,omitempty"`
	Width    int32            `json:"width"`
	Threads  int32            `json:"threads,omitempty"`
	Class    int32            `json:"class,omitempty"`
	Wish     market.Objective `json:"wish,omitempty"`
	Owner    market.Account   `json:"owner,omitempty"`
	Name     string           `json:"name,omitempty"`
	Terms    TermsState       `json:"terms"`
	Start    Number           `json:"start_s"`
	Left     Number           `json:"left_s"`
	Since    Number           `json:"since_s"`
	Speed    Number           `json:"speed"`
	Procs    string           `json:"procs,omitempty"`
	Alone    bool             `json:"alone,omitempty"`
	Apart    bool             `json:"apart,omitempty"`
	Reserved bool             `json:"reserved,omitempty"`
	Released bool             `json:"released,omitempty"`
	Ends     Number           `json:"ends_s"`
	Worked   Number           `json:"worked_s"`
	Priced   Number           `json:"priced_s"`
	Refined  Number           `json:"refined_s,omitempty"`
	Waits    bool             `json:"waits,omitempty"` // it may still say where it ran before
}

// TermsState is what was agreed with a job.
type TermsState struct {
	Price  Number `json:"price"`
	Finish Number `json:"finish_s"`
	Claim  Number `json:"claim"`
	Rank   Number `json:"rank"`
	Latest Number `json:"latest_s"`
	Worth  Number `json:"worth"`
	Fine   Number `json:"fine"`
	Liable bool   `json:"liable,omitempty"`
	Apart  bool   `json:"apart,omitempty"`
	Flat   bool   `json:"flat,omitempty"`
	Firm   bool   `json:"firm,omitempty"`
}

// WaitState is a latest start, of a job that waits or of one that has gone
// and is still to be cleared away.
type WaitState struct {
	At   Number       `json:"at_s"`
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
	Job      market.JobID `json:"job"`
	Left     Number       `json:"left_s"`
	Since    Number       `json:"since_s"`
	Speed    Number       `json:"speed"`
	Due      Number       `json:"due_s"`
	Fine     Number       `json:"fine"`
	Soft     bool         `json:"soft,omitempty"`
	Reserved bool         `json:"reserved,omitempty"`
	Released bool         `json:"released,omitempty"`
	Refining bool         `json:"refining,omitempty"`
	Took     Number       `json:"took_s,omitempty"`
	Worth    Number       `json:"worth"`
	Rank     Number       `json:"rank"`
	Return   Number       `json:"return"`
}

// State writes down the book and what its draft has asked for.
func (d *Draft) State() State {
	b := d.b
	s := State{
		Now: Number(b.now), Cause: b.cause, Wake: Number(d.wake), Asked: Number(d.asked), Version: slices.Max(b.versions),
		Slots: len(b.slots), Vacated: slices.Clone(b.vacated),
	}
	for i := range b.nodes {
		n := &b.nodes[i]
		s.Nodes = append(s.Nodes, NodeState{Processors: n.Processors, Rating: Number(n.Rating), Down: b.down[i]})
	}
	for slot := b.freeSlot; slot != NoSlot; slot = b.slots[slot].alongside {
		s.Free = append(s.Free, slot)
	}
	for _, slot := range b.running {
		s.Running = append(s.Running, b.jobState(slot))
	}
	for _, slot := range b.inOrder() {
		s.Waiting = append(s.Waiting, b.jobState(slot))
	}
	for _, slot := range b.queue.latest.items {
		e := &b.slots[slot.slot]
		s.Latest = append(s.Latest, WaitState{At: Number(slot.key), Job: slot.id, Gone: e.state != waiting || e.ticket != slot.ticket})
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
	e := &b.slots[slot]
	j := &e.Job
	return JobState{
		Slot: slot, ID: j.ID, Submit: Number(j.Submit), Estimate: Number(j.Estimate), Optional: Number(j.Optional),
		Deadline: Number(j.SLA.Deadline), Budget: Number(j.SLA.Budget), Penalty: Number(j.SLA.Penalty), Bonus: Number(j.SLA.Bonus), Soft: j.SLA.Soft,
		Memory: j.Memory, Disk: j.Disk, Width: j.Width, Threads: j.Threads, Class: j.Class, Wish: j.Objective, Owner: j.Owner, Name: j.Name,
		Terms: termsState(&e.Terms), Start: Number(e.Start), Left: Number(e.Left), Since: Number(e.Since), Speed: Number(e.Speed),
		Procs: writeProcs(e.Procs), Alone: e.alone, Apart: e.independent, Reserved: e.reserved, Released: e.bestEffort,
		Ends: Number(e.endsAt), Worked: Number(e.worked), Priced: Number(e.priced), Refined: Number(e.refined),
		Waits: e.state == waiting,
	}
}

func termsState(t *Terms) TermsState {
	return TermsState{
		Price: Number(t.Price), Finish: Number(t.Finish), Claim: Number(t.Claim), Rank: Number(t.Rank), Latest: Number(t.Latest),
		Worth: Number(t.Worth), Fine: Number(t.Fine), Liable: t.Liable, Apart: t.Independent, Flat: t.Flat, Firm: t.Firm,
	}
}

func taskState(t *Task) TaskState {
	return TaskState{
		Job: t.Job, Left: Number(t.Left), Since: Number(t.Since), Speed: Number(t.Speed), Due: Number(t.Due), Fine: Number(t.Fine),
		Soft: t.Soft, Reserved: t.Reserved, Released: t.BestEffort, Refining: t.Refining, Took: Number(t.Took),
		Worth: Number(t.Worth), Rank: Number(t.Rank), Return: Number(t.Return),
	}
}

func (s *JobState) entry() Entry {
	return Entry{
		Job: market.Job{
			ID: s.ID, Submit: market.Time(s.Submit), Estimate: market.Work(s.Estimate), Optional: market.Work(s.Optional),
			SLA: market.SLA{
				Deadline: market.Time(s.Deadline), Budget: market.Price(s.Budget), Penalty: market.Price(s.Penalty), Bonus: market.Price(s.Bonus),
				Soft: s.Soft,
			},
			Memory: s.Memory, Disk: s.Disk, Width: s.Width, Threads: s.Threads, Class: s.Class, Objective: s.Wish, Owner: s.Owner, Name: s.Name,
		},
		Terms: s.Terms.terms(), Start: market.Time(s.Start), Left: market.Work(s.Left), Since: market.Time(s.Since), Speed: float64(s.Speed),
		alone: s.Alone, independent: s.Apart, reserved: s.Reserved, bestEffort: s.Released,
		endsAt: market.Time(s.Ends), worked: market.Work(s.Worked), priced: market.Work(s.Priced), refined: market.Work(s.Refined),
	}
}

func (s *TermsState) terms() Terms {
	return Terms{
		Price: market.Price(s.Price), Finish: market.Time(s.Finish), Claim: market.Share(s.Claim), Rank: float64(s.Rank),
		Latest: market.Time(s.Latest), Worth: float64(s.Worth), Fine: float64(s.Fine), Liable: s.Liable, Independent: s.Apart, Flat: s.Flat,
		Firm: s.Firm,
	}
}

func (s *TaskState) task(slot Slot) Task {
	return Task{
		Job: s.Job, Slot: slot, Left: market.Work(s.Left), Since: market.Time(s.Since), Speed: float64(s.Speed), Due: market.Time(s.Due),
		Fine: float64(s.Fine), Soft: s.Soft, Reserved: s.Reserved, BestEffort: s.Released, Refining: s.Refining, Took: market.Work(s.Took),
		Worth: float64(s.Worth), Rank: float64(s.Rank), Return: float64(s.Return),
	}
}
