package slurm

import (
	"maps"
	"slices"
	"time"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// Slurm gives GPUs out whole, to jobs of every partition of a node. The market sells what
// its nodes have, and is told what others hold of it.

// askGPUs lets a job have the GPUs of its tasks: so many on each node, or where they are
// not as many on each so many in all, which Slurm gives out as it likes among its nodes.
func askGPUs(s *client.Submission, specs []task.Spec, onNode map[string]int) {
	first := &specs[0]
	if first.GPUs == 0 {
		return
	}
	most := 0
	for _, n := range onNode {
		most = max(most, n)
	}
	if most*len(onNode) == len(specs) {
		s.GPUs = market.GPUText(first.GPUKind, most*first.GPUs)
		return
	}
	s.AllGPUs = market.GPUText(first.GPUKind, len(specs)*first.GPUs)
}

// haveGPUs reports whether some of these nodes have GPUs; of none: whether any has.
func (b *Backend) haveGPUs(names []string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(names) == 0 {
		names = slices.Collect(maps.Keys(b.nodes))
	}
	return slices.ContainsFunc(names, func(name string) bool { return b.nodes[name] != nil && b.nodes[name].slurm.GPUs > 0 })
}

// gpusOn is how many GPUs a run has on a node, by what was sold.
func (r *run) gpusOn(node string) int {
	n := 0
	for _, place := range r.places {
		if place == node {
			n += r.gpus
		}
	}
	return n
}

// holding is whether a run holds its GPUs in Slurm.
type holding uint8

const (
	holdsNone holding = iota
	mayHold           // it begins or ends this moment, or what is known of it is of before or after
	holds
)

// unsettled is how long a listing of nodes may not know yet what a listing of jobs knows,
// or the other way about.
const unsettled = 4 * time.Second

// holdsAt is whether a run held its GPUs when nodes were listed, by what is known now.
func (r *run) holdsAt(at time.Time) holding {
	j := r.job
	switch {
	case r.gpus == 0 || !r.state.mayHaveStarted() && !r.state.over():
		return holdsNone
	case r.state.over() && r.end != nil && at.Sub(r.end.at) >= unsettled:
		return holdsNone
	case r.state.over() || j == nil:
		return mayHold
	case j.State == client.Pending && at.Sub(r.acted) >= unsettled:
		return holdsNone
	case (j.State == client.Running || j.State == client.Suspended) && at.Unix()-j.Started >= int64(unsettled/time.Second):
		return holds
	default:
		return mayHold
	}
}

// device is what is known of the GPUs of a node: how many jobs of Slurm hold, whoever's.
type device struct {
	used    int
	asOf    time.Time
	others  int  // of these, held by others than runs of the market
	told    int  // to the market
	unheard bool // whether the market knows that is not known
	telling bool
	recent  []departed
}

// departed is what a run had that is forgotten by now.
type departed struct {
	gpus int
	at   time.Time
}

// noteUse takes in what is in use, of a listing of the nodes begun at a time. The lock is
// held.
func (b *Backend) noteUse(began time.Time) {
	for _, n := range b.nodes {
		n.gpus.used, n.gpus.asOf = n.slurm.UsedGPUs, began
	}
}

// countOthers finds out what others hold of the GPUs of each node: what is in use there and
// is no run's. While runs come and go it is only known between which numbers that is, and
// then it stays as near as can be to what it was. The lock is held.
func (b *Backend) countOthers() {
	if !b.allNodesKnown() {
		return // what the market has there is not known
	}
	for _, n := range b.nodes {
		d := &n.gpus
		if n.slurm.GPUs == 0 || d.asOf.IsZero() || !d.asOf.Before(b.listed) {
			continue
		}
		sure, perhaps := 0, 0
		for _, r := range b.runs {
			switch r.holdsAt(d.asOf) {
			case holds:
				sure += r.gpusOn(n.name)
			case mayHold:
				perhaps += r.gpusOn(n.name)
			case holdsNone:
			}
		}
		kept := d.recent[:0]
		for _, l := range d.recent {
			if d.asOf.Sub(l.at) < unsettled {
				perhaps += l.gpus
				kept = append(kept, l)
			}
		}
		d.recent = kept
		most := max(0, d.used-sure)
		d.others = min(max(d.others, most-perhaps), most)
	}
}

// leaves notes that a run is forgotten, of which Slurm may not have noticed yet. The lock
// is held.
func (b *Backend) leaves(r *run) {
	for _, name := range r.Nodes {
		if n := b.nodes[name]; n != nil && r.gpus > 0 && r.end != nil {
			n.gpus.recent = append(n.gpus.recent, departed{r.gpusOn(name), r.end.at})
		}
	}
	if r.end != nil && r.end.state != task.Lost { // one that is lost is begun again
		b.gate.drop(r.key.job)
	}
}

// withhold tells the market what others hold of the GPUs of a node, if that is news to it.
// The lock is held.
func (b *Backend) withhold(n *node) {
	d := &n.gpus
	if d.others == d.told && !d.unheard || d.telling || n.slurm.GPUs == 0 || n.hello == nil || n.membership != member || n.attention != instructed {
		return
	}
	d.telling = true
	was, others := n.hello, d.others
	b.going.Go(func() {
		err := b.fleet.Withhold(b.ctx, n.name, others)
		b.mu.Lock()
		defer b.mu.Unlock()
		d.telling = false
		if d.unheard = err != nil || n.hello != was || n.membership.lost(); d.unheard {
			return // it is told again
		}
		if d.told != others {
			b.cfg.Log.Info("GPUs that others hold", "node", n.name, "gpus", others)
		}
		d.told = others
	})
}

// othersHold reports whether others hold GPUs on a node of a run, and the market knows: it
// will put the job elsewhere. The lock is held.
func (b *Backend) othersHold(r *run) bool {
	for _, name := range r.Nodes {
		if n := b.nodes[name]; n != nil && r.gpus > 0 && n.gpus.told > 0 {
			return true
		}
	}
	return false
}

// equip lets a node announce the GPUs that Slurm gives out there, and the features it has.
// Before Slurm has said which nodes it has, it has those that the market knows of: without
// them it would be another node. The lock is held.
func (n *node) equip(h *task.Hello, known bool) {
	h.Features, h.Partition, h.Reserved = n.slurm.Features, n.slurm.Partition, n.aside
	if h.GPUs, h.GPUKind = n.slurm.GPUs, n.slurm.GPUKind; !known {
		h.GPUs, h.GPUKind = task.SameGPUs, ""
	}
}
