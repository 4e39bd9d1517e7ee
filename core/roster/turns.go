package roster

import "github.com/libra-market/libra/core/task"

// What changes on a node is changed here, so that a census that was taken is not believed
// any longer.

// Rejoin takes in what a node says that comes back in its shape: what counts of
// that is what it said first.
func (r *Roster) Rejoin(index int, h *task.Hello) {
	n := r.nodes[index]
	shape := n.Hello
	n.Hello = *h
	n.Rating, n.Speed, n.MemoryMB, n.DiskMB = shape.Rating, shape.Speed, shape.MemoryMB, shape.DiskMB
	r.recount()
}

// Recall is what a node says of itself that comes back, with the GPUs, the features,
// the partition and the reservation that it had where it says that they are the same.
func (r *Roster) Recall(h *task.Hello) *task.Hello {
	if h.GPUs != task.SameGPUs {
		return h
	}
	all := *h
	all.GPUs, all.GPUKind = 0, ""
	labels{}.on(&all)
	if index, known := r.byName[h.Node]; known {
		was := r.nodes[index]
		all.GPUs, all.GPUKind = was.GPUs, was.GPUKind
		labelsOf(&was.Hello).on(&all)
	}
	return &all
}

// Label gives a node that comes as it was, with other features, in another partition or set
// aside for somebody else, those that it says it has, and says how that is undone.
func (r *Roster) Label(h *task.Hello) (undo func(), other bool) {
	if index, known := r.byName[h.Node]; known && labelsOf(&r.nodes[index].Hello) != labelsOf(h) && sameShape(&r.nodes[index].Hello, h) {
		n := r.nodes[index]
		was := labelsOf(&n.Hello)
		labelsOf(h).on(&n.Hello)
		r.recount() // whose partition it is has changed
		return func() {
			was.on(&n.Hello)
			r.recount()
		}, true
	}
	return nil, false
}

// Equip gives a node that comes as it was, and with GPUs of which it had none, those that it
// says it has, and says how that is undone: nobody holds any of them, so all else can stay.
func (r *Roster) Equip(h *task.Hello) (undo func(), has bool) {
	index, known := r.byName[h.Node]
	if !known || h.GPUs == 0 || r.nodes[index].GPUs > 0 || !alike(&r.nodes[index].Hello, h) {
		return nil, false
	}
	n := r.nodes[index]
	was := labelsOf(&n.Hello)
	n.GPUs, n.GPUKind = h.GPUs, h.GPUKind
	labelsOf(h).on(&n.Hello)
	r.recount()
	return func() {
		n.GPUs, n.GPUKind = 0, ""
		was.on(&n.Hello)
		r.recount()
	}, true
}

// Withhold notes how many GPUs of a node are somebody else's: no more than it has.
func (r *Roster) Withhold(index, gpus int) int {
	n := r.nodes[index]
	n.Withheld = max(0, min(gpus, n.GPUs))
	return n.Withheld
}

// Raise notes that a node is up.
func (r *Roster) Raise(index int) {
	n := r.nodes[index]
	n.Up, n.Why = true, ""
	r.recount()
}

// Lower notes that a node is gone, and why.
func (r *Roster) Lower(index int, why string) {
	n := r.nodes[index]
	n.Up, n.Closed, n.Why = false, false, why
	r.recount()
}

// Close notes that a node that is up takes no new jobs, and why.
func (r *Roster) Close(index int, why string) {
	n := r.nodes[index]
	n.Closed, n.Why = true, why
	r.recount()
}

// Open notes that it takes new jobs again.
func (r *Roster) Open(index int) {
	n := r.nodes[index]
	n.Closed, n.Why = false, ""
	r.recount()
}

// Retire takes a node out for good.
func (r *Roster) Retire(index int) {
	r.nodes[index].Retired = true
	r.recount()
}
