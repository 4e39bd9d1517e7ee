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

// Equip gives a node that had no GPUs those that it says it has, and says how that is undone.
func (r *Roster) Equip(index int, h *task.Hello) (undo func()) {
	n := r.nodes[index]
	n.GPUs, n.GPUKind = h.GPUs, h.GPUKind
	r.recount()
	return func() {
		n.GPUs, n.GPUKind = 0, ""
		r.recount()
	}
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
