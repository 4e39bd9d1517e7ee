package slurm

import (
	"slices"

	"github.com/libra-market/libra/live/slurm/limit"
)

// What jobs of the market have is added up for every job that is handed in where Slurm counts.
// There may be thousands: who is handed in does not wait until all are looked at.

// books is what users have, of the jobs that Slurm has or is to have, as far as it counts in a
// partition, but for a run; nil: of all. The lock is held.
func (b *Backend) books(partition string, but *run) limit.Books {
	sums := []*tally{newTally(nil)}
	if !b.alone() {
		sums = append(sums, newTally([]string{partition}), newTally(b.gate.kin(partition, b.partitions())))
	}
	b.entries(partition, but, func(e *entry) {
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

// entry is what jobs of the market have: under way, or of these what Slurm counts, or runs.
type entry struct {
	share
	counted bool // by Slurm
}

// entries shows all of them, those of whom they count for together, as Slurm counted for a partition.
// Tickets that have run out are dropped.
func (b *Backend) entries(partition string, but *run, see func(*entry)) {
	var e entry // the same for all
	w := b.gate.wicket(partition)
	w.known.Lock()
	w.merge()
	for i := range w.merged {
		e = entry{share: w.merged[i], counted: true}
		see(&e)
	}
	stood, begun := w.stood, map[int64]bool{}
	w.known.Unlock()
	begins := func(job int64) { // else it waits, and is another's to Slurm's limits
		if s, is := stood[job]; is && !begun[job] {
			begun[job] = true
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
				r.moved()
			}
			delete(b.gate.tickets, t)
			continue
		}
		begins(t.job)
		e = entry{share: share{user: t.user, qos: t.qos, partition: t.partition, use: t.use}}
		see(&e)
	}
	for job := range stood {
		if slices.ContainsFunc(b.attempts[job], func(r *run) bool { return !r.state.over() }) {
			begins(job)
		}
	}
	added := b.added() // after the tickets: what was kept by one is its run's now
	for _, sum := range added.by {
		e = entry{share: share{user: sum.User, qos: sum.QOS, partition: sum.partition, use: sum.use}}
		if but != nil && but.tallied.in == sum {
			e.use.Sub(but.tallied.use)
		}
		see(&e)
	}
}

// ticketed are the runs of the jobs that have tickets, by job.
func (b *Backend) ticketed() map[int64]*run {
	jobs := map[int64]*run{}
	for t := range b.gate.tickets {
		for _, r := range b.attempts[t.job] {
			if len(r.orders) > 0 || r.state.over() { // else it was read back, and what it asks for is not known yet
				jobs[t.job] = r
			}
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
