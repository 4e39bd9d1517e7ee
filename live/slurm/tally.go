package slurm

import (
	"slices"

	"github.com/libra-market/libra/live/slurm/limit"
)

// What jobs of the market have is added up for every job that is handed in where Slurm counts.

// books is what users have, of the jobs that Slurm has or is to have, as far as it counts in a
// partition. The lock is held.
func (b *Backend) books(partition string) limit.Books {
	sums := []*tally{newTally(nil)}
	if !b.alone() {
		sums = append(sums, newTally([]string{partition}), newTally(b.gate.kin(partition, b.partitions())))
	}
	b.entries(partition, func(e *entry) {
		for _, sum := range sums {
			sum.add(e)
		}
	})
	books := sums[0].Books
	if len(sums) > 1 {
		books.Here, books.Kin = &sums[1].Books, &sums[2].Books
	}
	return books
}

// entry is what a job of the market has: under way, or of these what Slurm counts, or runs.
type entry struct {
	share
	counted bool // by Slurm
	run     *run // nil: it is a ticket's, or was counted by Slurm
}

// entries shows all of them, as Slurm counted for a partition, one after the other: there may be
// many, for every job that is handed in. Tickets that have run out are dropped.
func (b *Backend) entries(partition string, see func(*entry)) {
	var e entry                // the same for all
	stood := map[int64]share{} // what Slurm counted of those who wait, and have no run yet
	w := b.gate.wicket(partition)
	w.known.Lock()
	for key, s := range w.had {
		if key.attempt != standsIn {
			e = entry{share: s, counted: true}
			see(&e)
		} else if !w.had.began(key.job) {
			stood[key.job] = s
		}
	}
	w.known.Unlock()
	begins := func(job int64) { // else it waits, and is another's to Slurm's limits
		if s, is := stood[job]; is {
			delete(stood, job)
			e = entry{share: s, counted: true}
			see(&e)
		}
	}
	here := b.ticketed()
	now := b.cfg.Now()
	for t := range b.gate.tickets {
		r := here[t.job]
		if t.job != 0 && (r != nil || now.Sub(t.at) >= ticketLasts && !t.recalled) || t.quote != "" && !now.Before(t.until) {
			if r != nil && len(t.use.Licenses) > 0 {
				r.licensed = true
			}
			delete(b.gate.tickets, t)
			continue
		}
		begins(t.job)
		e = entry{share: share{user: t.user, qos: t.qos, partition: t.partition, use: t.use}}
		see(&e)
	}
	for _, r := range b.runs { // after the tickets: what was kept by one is its run's now
		if !r.state.over() {
			begins(r.key.job)
			e = entry{run: r, share: share{user: r.User, qos: r.qos, partition: b.partitionOf(r.Nodes), use: r.use()}}
			see(&e)
		}
	}
}

// ticketed are the runs of the jobs that have tickets, by job.
func (b *Backend) ticketed() map[int64]*run {
	jobs := map[int64]*run{}
	for t := range b.gate.tickets {
		if t.job != 0 {
			jobs[t.job] = nil
		}
	}
	if len(jobs) == 0 {
		return jobs
	}
	for key, r := range b.runs {
		if _, asked := jobs[key.job]; asked && (len(r.orders) > 0 || r.state.over()) { // else it was read back, and what it asks for is not known yet
			jobs[key.job] = r
		}
	}
	return jobs
}

// tally adds up what users have in some partitions; nil: in all.
type tally struct {
	limit.Books
	in []string
}

func newTally(in []string) *tally {
	return &tally{limit.Books{Underway: map[limit.Who]limit.Use{}, Submitted: map[limit.Who]limit.Use{}, Running: map[limit.Who]limit.Use{}}, in}
}

func (t *tally) add(e *entry) {
	who := limit.Who{User: e.user, QOS: e.qos}
	add := func(to map[limit.Who]limit.Use) {
		sum := to[who]
		sum.Add(e.use)
		to[who] = sum
	}
	switch {
	case t.in != nil && !slices.Contains(t.in, e.partition):
	case !e.counted:
		add(t.Underway)
	default:
		add(t.Submitted)
		if e.runs {
			add(t.Running)
		}
	}
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
