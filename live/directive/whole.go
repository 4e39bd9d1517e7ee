package directive

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
)

// A job may ask for all processors of its nodes (--exclusive), or for all their memory
// (--mem=0). How much that is, nodes say; where they are not alike, it is as much as the
// smallest has that does, and the job is on none that has another.

var (
	errShared = notHad("nodes are not kept for the jobs of one user: --exclusive alone asks for all processors of its nodes")
	errUnread = errors.New("libra sbatch asks how much a node has; here say how much is wanted")
	errUneven = errors.New("--mem=0 wants as many tasks on each node: its memory is for them")
	errNoKind = errors.New("no node that is up and that it may be on has as much")
)

// exclusive reads --exclusive.
func (o *occurrence) exclusive() error {
	switch {
	case o.value != "":
		return errShared
	case !o.sbatch:
		return errUnread
	}
	o.width.whole, o.width.last = true, o
	return nil
}

// memoryOfNode reads --mem; 0 is all that there is.
func (o *occurrence) memoryOfNode() error {
	mb, err := Megabytes(o.value)
	switch {
	case err != nil:
		return err
	case mb == 0 && !o.sbatch:
		return errUnread
	}
	o.width.memoryNode, o.width.memoryProc, o.width.allMemory = mb, 0, mb == 0
	o.width.memories |= ofNode
	return nil
}

// Whole reports whether a job asks for all of something that its nodes have.
func (h *Head) Whole() bool { return h.all.whole || h.all.allMemory }

// kind are nodes that are alike in what a job asks for all of.
type kind struct {
	processors int   // the fewest
	memoryMB   int64 // the least
	names      []string
}

// OnWhole settles how much a request asks for where it asks for all that nodes have, and says
// it in words.
func (h *Head) OnWhole(r *v1.Request, nodes []v1.NodeView) (string, error) {
	w := h.all
	if w.memoryNode == 0 && w.memoryProc == 0 && !w.allMemory {
		w.memoryProc = r.MemoryMB // as #LIBRA says
	}
	n, err := w.processors()
	if err != nil {
		return "", err
	}
	each := max(1, w.perTask)
	tasks := max(1, n/each)
	if !w.whole && len(w.spread(tasks)) == 0 && (w.nodes > 1 || w.perNode > 0 && tasks > w.perNode) {
		return "", errUneven
	}
	may := mayBeOn(r, nodes)
	kinds := w.kinds(may)
	for i := range kinds {
		k := &kinds[i]
		on, threads := w.onKind(k, tasks, each, r.Array != nil)
		if on == 0 {
			continue
		}
		r.Processors, r.Threads, r.Spread, r.Once = on*threads, 0, on > 1, on > 1
		if threads > 1 {
			r.Threads = threads
		}
		if slices.ContainsFunc(may, func(n *v1.NodeView) bool { return !w.alike(k, n) }) { // it is on none of those
			r.Nodelist = k.names
		}
		switch {
		case w.allMemory:
			r.MemoryMB = max(1, k.memoryMB/int64(threads))
			r.Env = append(r.Env, task.AllMemory+"=yes")
		case w.memoryProc > 0:
			r.MemoryMB = w.memoryProc
		case w.memoryNode > 0:
			r.MemoryMB = (w.memoryNode + int64(threads) - 1) / int64(threads)
		}
		err = w.applyGPUs(h, tasks, on)
		r.GPUs, r.GPUKind = h.Request.GPUs, h.Request.GPUKind
		return w.saidOf(k, on), err
	}
	return "", fmt.Errorf("%w: there are %s", errNoKind, described(kinds))
}

// mayBeOn are the nodes that a request may be on, up or not.
func mayBeOn(r *v1.Request, nodes []v1.NodeView) []*v1.NodeView {
	where := market.Where{Nodes: strings.Join(r.Nodelist, ","), Exclude: strings.Join(r.Exclude, ","), Constraint: r.Constraint, Partition: r.Partition, Reservation: r.Reservation}
	takes := where.Chooser()
	var may []*v1.NodeView
	for i := range nodes {
		n := &nodes[i]
		if shape := (market.Node{Name: n.Node, Features: n.Features, Partition: n.Partition, Reserved: n.Reserved}); takes(&shape) && where.Admits(&shape) {
			may = append(may, n)
		}
	}
	return may
}

// alike reports whether a node is of a kind.
func (w *width) alike(k *kind, n *v1.NodeView) bool {
	return (!w.whole || k.processors == n.Processors) && (!w.allMemory || k.memoryMB == n.MemoryMB)
}

// kinds are those of the nodes that take jobs, the smallest first.
func (w *width) kinds(nodes []*v1.NodeView) []kind {
	var kinds []kind
	for _, n := range nodes {
		if !n.Up || n.Closed {
			continue
		}
		at := slices.IndexFunc(kinds, func(k kind) bool { return w.alike(&k, n) })
		if at < 0 {
			at = len(kinds)
			kinds = append(kinds, kind{processors: n.Processors, memoryMB: n.MemoryMB})
		}
		k := &kinds[at]
		k.processors, k.memoryMB = min(k.processors, n.Processors), min(k.memoryMB, n.MemoryMB)
		k.names = append(k.names, n.Node)
	}
	slices.SortFunc(kinds, func(a, b kind) int {
		return cmp.Or(cmp.Compare(a.processors, b.processors), cmp.Compare(a.memoryMB, b.memoryMB))
	})
	return kinds
}

// onKind is on how many nodes of a kind so many tasks are, and with how many processors on
// each; 0: on none.
func (w *width) onKind(k *kind, tasks, each int, element bool) (nodes, processors int) {
	if w.whole {
		processors = k.processors
		fit := processors / each
		if w.perNode > 0 {
			fit = min(fit, w.perNode)
		}
		if fit == 0 {
			return 0, 0
		}
		nodes = max((tasks+fit-1)/fit, min(w.nodes, tasks))
	} else {
		nodes = 1
		if ways := w.spread(tasks); len(ways) > 0 {
			nodes = ways[len(ways)-1]
		}
		processors = tasks / nodes * each
	}
	memory := max(w.memoryNode, w.memoryProc*int64(processors))
	if nodes > len(k.names) || w.mostNodes > 0 && nodes > w.mostNodes || element && nodes > 1 || processors > k.processors || memory > k.memoryMB {
		return 0, 0
	}
	return nodes, processors
}

// saidOf says how much it is.
func (w *width) saidOf(k *kind, nodes int) string {
	var what []string
	if w.whole {
		what = append(what, fmt.Sprintf("%d processors", k.processors))
	}
	if w.allMemory {
		what = append(what, fmt.Sprintf("%d MB of memory", k.memoryMB))
	}
	of := "its node"
	if nodes > 1 {
		of = fmt.Sprintf("each of its %d nodes", nodes)
	}
	return fmt.Sprintf("it asks for all of %s: %s", of, strings.Join(what, " and "))
}

// described are kinds of nodes in words.
func described(kinds []kind) string {
	if len(kinds) == 0 {
		return "none"
	}
	var said []string
	for i := range kinds {
		said = append(said, fmt.Sprintf("%d of %d processors and %d MB", len(kinds[i].names), kinds[i].processors, kinds[i].memoryMB))
	}
	return strings.Join(said, ", ")
}
