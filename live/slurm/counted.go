package slurm

import "github.com/libra-market/libra/live/slurm/limit"

// had is what jobs of the market have that Slurm has, and that it runs, by run.
type had map[runKey]share

type share struct {
	user      string
	qos       string // that it named
	partition string
	use       limit.Use
	runs      bool
}

// had adds what is in Slurm now to what was. What may have started is taken to have: Slurm may
// have begun it before anybody has seen that.
func (b *Backend) had(before had) had {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.addAnew() // so that no mistake in what goes along with the runs outlasts the next word of Slurm's
	for key, r := range b.runs {
		if !r.state.over() && r.state.inSlurm() {
			if in, stood := before[runKey{key.job, standsIn}]; stood {
				in.runs = true
				before[runKey{key.job, standsIn}] = in
			}
			before[key] = share{user: r.User, qos: r.qos, partition: b.partitionOf(r.Nodes), use: r.use(), runs: r.state.mayHaveStarted() || before[key].runs}
		}
	}
	for job, in := range b.standIns.of {
		if _, stood := before[runKey{job, standsIn}]; !stood {
			before[runKey{job, standsIn}] = share{user: in.User, qos: in.QOS, partition: in.Partition, use: limit.Use{Jobs: 1, Waiting: max(0, in.Elements-1)}}
		}
	}
	for _, p := range b.putBacks { // which Slurm counts, and whose run may be over: the next has its place
		if _, counted := before[p.of()]; !counted && b.standIns.job[p.ID] == 0 {
			before[runKey{p.Job, comesBack}] = share{user: p.User, qos: p.QOS, partition: p.Partition, use: limit.Use{Jobs: 1}}
		}
	}
	return before
}

// Where the attempt of a run is, of a stand-in, and of what was put back and is none yet.
const (
	standsIn  = -1
	comesBack = -2
)

// wasCounted says what a run has that was in Slurm before anybody knew what: Slurm has counted all of it. The lock
// is held.
func (b *Backend) wasCounted(r *run) {
	b.gate.guard.Lock()
	defer b.gate.guard.Unlock()
	for _, w := range b.gate.wickets {
		w.known.Lock()
		if s, counted := w.had[r.key]; counted {
			s.qos, s.partition, s.use = r.qos, b.partitionOf(r.Nodes), r.use()
			w.had[r.key] = s
			w.merged, w.stood = nil, nil
		}
		w.known.Unlock()
	}
}

// took notes what Slurm lets whom have, and what jobs of the market had when it was asked.
func (w *wicket) took(site *limit.Site, counted had) {
	w.site, w.had, w.merged, w.stood = site, counted, nil, nil
}

// merge adds up what Slurm counted of the market's, by whose it is, and notes what it counted of those
// who wait and had no run: it is theirs when they begin.
func (w *wicket) merge() {
	if w.stood != nil {
		return
	}
	w.stood = map[int64]share{}
	type of struct {
		group
		runs bool
	}
	at := map[of]int{}
	for key, s := range w.had {
		if key.attempt == standsIn {
			if !s.runs { // else it had one
				w.stood[key.job] = s
			}
			continue
		}
		is := of{group{limit.Who{User: s.user, QOS: s.qos}, s.partition}, s.runs}
		i, known := at[is]
		if !known {
			i = len(w.merged)
			at[is] = i
			w.merged = append(w.merged, share{user: s.user, qos: s.qos, partition: s.partition, runs: s.runs})
		}
		w.merged[i].use.Add(s.use)
	}
}
