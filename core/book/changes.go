package book

// changes is who has come, gone, begun, or agreed on something else, in the order in which that happened: what
// depends on nothing more a policy need not work out from everybody at every event. Nothing is kept until
// somebody asks.
type changes struct {
	slots []Slot
	turn  int // of all there ever were, the number of the first that is kept; 0: nobody has asked
}

// note keeps that something of that has happened to a job.
func (b *Book) note(s Slot) {
	c := &b.changes
	if c.turn == 0 {
		return
	}
	if len(c.slots) >= 256+b.slots.n { // to look at everybody takes no longer
		c.turn += len(c.slots)
		c.slots = c.slots[:0]
	}
	c.slots = append(c.slots, s)
}

// Changes lists the jobs that have come, gone, begun, or agreed on something else since the turn that the last answer
// named: some of them more than once, and some gone by now. Known is false where that was too long ago, or
// nobody has asked yet: then it may be anybody.
func (v View) Changes(since int) (changed []Slot, turn int, known bool) {
	c := &v.b.changes
	if c.turn == 0 {
		c.turn = 1
	}
	turn = c.turn + len(c.slots)
	if since < c.turn || since > turn {
		return nil, turn, false
	}
	return c.slots[since-c.turn:], turn, true
}
