package slurm

import (
	"slices"

	"github.com/libra-market/libra/live/slurm/limit"
)

// group is whose jobs, and where, are added up together.
type group struct {
	limit.Who
	partition string
}

// sums are what runs count for that are not over, by group. They go along with the runs: who changes
// what one counts for says so, by moved, and with the next look that is taken in.
type sums struct {
	by    map[group]*sum
	stale []*run
	left  bool // one has ended since somebody looked
}

// sum is what those of a group count for.
type sum struct {
	group
	use  limit.Use
	runs int
}

// tallied is what a run was last added up for.
type tallied struct {
	sums  *sums // nil: it is none of the backend's
	in    *sum  // nil: in none
	use   limit.Use
	stale bool
}

// moved notes that a run may count for something else from now on.
func (r *run) moved() {
	t := &r.tallied
	if t.sums != nil && !t.stale {
		t.stale = true
		t.sums.stale = append(t.sums.stale, r)
	}
	if t.sums != nil && r.state.over() {
		t.sums.left = true
	}
}

// added is the sums, as all runs are. The lock is held.
func (b *Backend) added() *sums {
	s := &b.gate.sums
	for _, r := range s.stale {
		r.tallied.stale = false
		s.out(r)
		if b.runs[r.key] == r && !r.state.over() {
			s.in(r, group{limit.Who{User: r.User, QOS: r.qos}, b.partitionOf(r.Nodes)})
		}
	}
	s.stale = s.stale[:0]
	return s
}

// drops forgets a run that is none of the backend's any more.
func (b *Backend) drops(r *run) {
	left := slices.DeleteFunc(b.attempts[r.key.job], func(other *run) bool { return other == r })
	if b.attempts[r.key.job] = left; len(left) == 0 {
		delete(b.attempts, r.key.job)
	}
	r.moved()
}

// addAnew has all of them looked at: nodes may be of other partitions.
func (b *Backend) addAnew() {
	for _, r := range b.runs {
		r.moved()
	}
}

func (s *sums) in(r *run, g group) {
	of := s.by[g]
	if of == nil {
		if s.by == nil {
			s.by = map[group]*sum{}
		}
		of = &sum{group: g}
		s.by[g] = of
	}
	r.tallied.in, r.tallied.use = of, r.use()
	of.use.Add(r.tallied.use)
	of.runs++
}

func (s *sums) out(r *run) {
	of := r.tallied.in
	if of == nil {
		return
	}
	r.tallied.in = nil
	if of.use.Sub(r.tallied.use); of.runs > 1 {
		of.runs--
		return
	}
	delete(s.by, of.group)
}

// use is what a run counts for.
func (r *run) use() limit.Use {
	use := limit.Use{Jobs: 1}
	if r.array.is && r.size > 0 {
		use.Jobs = r.size
		use.Waiting = max(0, len(r.laneOf())-len(r.array.done)-r.size)
	}
	for _, o := range r.orders {
		use.Processors += o.Spec.Processors()
		use.MemoryMB += megabytes(o.Spec.Memory)
		use.GPUs += o.Spec.GPUs
		use.Count(o.Spec.GPUKind, o.Spec.GPUs)
	}
	if len(r.orders) > 0 && (r.licensed || r.state.inSlurm()) { // else it has none yet
		first := r.orders[0].Spec
		use.License(licensesFor(first.Env, r.atATime(&first))) // all programs of a job are one in Slurm
	}
	return use
}
