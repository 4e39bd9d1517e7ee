package book

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// ErrState says that no book could have been in such a state.
var ErrState = errors.New("not the state of a cluster")

// Restore opens a book in a state that was written down, with a draft to plan
// on. There may be more nodes than there were: those after the old ones are
// new, up and empty.
func Restore(nodes market.Nodes, s *State) (*Draft, error) {
	r := &restorer{state: s, slots: map[market.JobID]Slot{}}
	if err := r.restore(nodes); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrState, err)
	}
	return r.draft, nil
}

// restorer puts a book together again, and believes nothing it reads.
type restorer struct {
	state *State
	book  *Book
	draft *Draft
	slots map[market.JobID]Slot
	alone bitset // processors that somebody holds alone
}

func (r *restorer) restore(nodes market.Nodes) error {
	s := r.state
	if err := r.sameNodes(nodes); err != nil {
		return err
	}
	if math.IsNaN(float64(s.Now)) || math.IsNaN(float64(s.Wake)) || math.IsNaN(float64(s.Asked)) {
		return errors.New("the time is no number")
	}
	b := New(nodes)
	r.book, r.draft = b, NewDraft(b)
	b.now, b.cause = market.Time(s.Now), s.Cause
	r.draft.wake, r.draft.asked = market.Time(s.Wake), market.Time(s.Asked)
	if nodes.Len() > len(s.Nodes) {
		b.Note(NodesChanged)
	}
	for node := range s.Nodes {
		b.setDown(node, s.Nodes[node].Down)
	}
	for proc := range b.versions {
		b.versions[proc] = max(1, s.Version+1) // nobody has seen these
	}
	for _, part := range []func() error{r.claimSlots, r.register, r.putAlone, r.putBeside, r.putTasks, r.putWaiting, r.noneShort} {
		if err := part(); err != nil {
			return err
		}
	}
	for node := range s.Nodes { // last: who is there was there before
		if s.Nodes[node].Closed {
			b.SetClosed(node, true)
		}
		b.Withhold(node, s.Nodes[node].Withheld)
	}
	return nil
}

// sameNodes: the processors of the old nodes have the numbers and the speeds
// they had.
func (r *restorer) sameNodes(nodes market.Nodes) error {
	if nodes.Len() < len(r.state.Nodes) {
		return fmt.Errorf("there were %d nodes and now there are %d", len(r.state.Nodes), nodes.Len())
	}
	for i, old := range r.state.Nodes {
		if n := nodes.At(i); n.Processors != old.Processors || n.Rating != float64(old.Rating) {
			return fmt.Errorf("node %d had %d processors of rating %v and now has %d of %v",
				i, old.Processors, float64(old.Rating), n.Processors, n.Rating)
		}
	}
	return nil
}

// claimSlots fills the slots: every one is somebody's, free, or just vacated.
func (r *restorer) claimSlots() error {
	s, b := r.state, r.book
	if total := len(s.Running) + len(s.Waiting) + len(s.Free) + len(s.Vacated); s.Slots != total {
		return fmt.Errorf("%d slots, and %d are accounted for", s.Slots, total)
	}
	b.slots, b.asked = newEntries(s.Slots), make([]float64, s.Slots)
	for i := range b.asked {
		b.asked[i] = math.NaN()
	}
	taken := make([]bool, s.Slots)
	take := func(slot Slot) error {
		if slot < 0 || int(slot) >= len(taken) || taken[slot] {
			return fmt.Errorf("slot %d is not there, or taken twice", slot)
		}
		taken[slot] = true
		return nil
	}
	for i, slot := range slices.Backward(s.Free) {
		if err := take(slot); err != nil {
			return fmt.Errorf("free slot %d: %w", i, err)
		}
		b.slots.at(slot).alongside, b.freeSlot = b.freeSlot, slot
	}
	for i, slot := range s.Vacated {
		if err := take(slot); err != nil {
			return fmt.Errorf("vacated slot %d: %w", i, err)
		}
	}
	b.vacated = slices.Clone(s.Vacated)
	for _, jobs := range [][]JobState{s.Running, s.Waiting} {
		for i := range jobs {
			if err := take(jobs[i].Slot); err != nil {
				return fmt.Errorf("job %d: %w", jobs[i].ID, err)
			}
			if err := r.sit(&jobs[i]); err != nil {
				return fmt.Errorf("job %d: %w", jobs[i].ID, err)
			}
		}
	}
	return nil
}

// sit puts a job on its slot; it neither waits nor runs yet.
func (r *restorer) sit(j *JobState) error {
	b := r.book
	e := b.slots.at(j.Slot)
	*e = j.entry()
	if err := e.Job.Validate(); err != nil {
		return err
	}
	switch _, twice := r.slots[j.ID]; {
	case twice:
		return errors.New("it is there twice")
	case e.Job.Objective > market.Fastest:
		return fmt.Errorf("there is no wish %d", e.Job.Objective)
	case e.Since > b.now:
		return fmt.Errorf("what is left of it is as of %v, which is to come", e.Since)
	case math.IsNaN(float64(e.Terms.Rank)) || math.IsNaN(float64(e.endsAt)):
		return errors.New("its place in the order is no number")
	}
	procs, err := readProcs(j.Procs, len(b.nodeOf))
	if err != nil {
		return err
	}
	e.Procs, e.choosy, e.plain = procs, b.choosy(&e.Job), plain(&e.Job)
	r.slots[j.ID] = j.Slot
	return nil
}

// register lists the jobs by number, in order, which is cheapest. Numbers that
// are further apart than a cluster could have given while one job lived are a
// mistake, and would cost a page each.
func (r *restorer) register() error {
	const furthest = 1 << 34
	ids := make([]market.JobID, 0, len(r.slots))
	for id := range r.slots {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	if n := len(ids); n > 0 && market.Bits(ids[n-1])-market.Bits(ids[0]) > furthest {
		return fmt.Errorf("jobs %d and %d are too far apart", ids[0], ids[n-1])
	}
	for _, id := range ids {
		r.book.register.put(id, r.slots[id])
	}
	return nil
}
