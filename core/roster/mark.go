package roster

import "slices"

// Mark is what has changed on a node since somebody last asked.
type Mark uint8

// What can have changed.
const (
	unmarked Mark = iota
	Shares        // nothing else
	Tasks         // something starts or ends
)

// Mark notes what has changed on a node.
func (r *Roster) Mark(index int, what Mark) {
	n := r.nodes[index]
	if n.changed == unmarked {
		r.marked = append(r.marked, n)
	}
	n.changed = max(n.changed, what)
}

// TakeMarked takes the names of the nodes on which something has changed since it
// was last asked: on which tasks start or end, and on which shares alone are others.
func (r *Roster) TakeMarked() (tasks, shares []string) {
	for _, n := range r.marked {
		if n.changed == Tasks {
			tasks = append(tasks, n.Node)
		} else {
			shares = append(shares, n.Node)
		}
		n.changed = unmarked
	}
	r.marked = nil
	slices.Sort(tasks)
	slices.Sort(shares)
	return tasks, shares
}
