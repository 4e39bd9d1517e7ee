package tender_test

import (
	"math/big"
	"slices"
	"sort"

	"github.com/libra-market/libra/lab/grid"
)

// oracle is docs/semantics.md, section 4, once more: slow, in exact fractions,
// and with nothing in common with the code it judges. It knows no queues: at every event
// it looks at all jobs and decides anew.
type oracle struct {
	policy     string
	infeasible bool // refuse=infeasible
	hurdle     *big.Rat
	sites      []*oracleSite
}

type oracleSite struct {
	n    int
	mips *big.Rat
	now  *big.Rat
	jobs []*oracleJob
}

type oracleJob struct {
	app    *oracleApp
	index  int
	m, o   *big.Rat // left
	finish *big.Rat // of the mandatory part in the pre-schedule
}

type oracleApp struct {
	position             int
	arrival, due         *big.Rat
	p                    int
	m, o, worth          *big.Rat
	corners              [][2]*big.Rat // of b(l); two of them and a slope for a linear one
	slope                *big.Rat
	accepted             bool
	site                 int
	gain                 *big.Rat
	mandatoryFinish, end *big.Rat
	optionalDone, budget *big.Rat
	missed               bool
}

func rat(num, den int64) *big.Rat { return big.NewRat(num, den) }
func add(a, b *big.Rat) *big.Rat  { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat  { return new(big.Rat).Sub(a, b) }
func mul(a, b *big.Rat) *big.Rat  { return new(big.Rat).Mul(a, b) }
func div(a, b *big.Rat) *big.Rat  { return new(big.Rat).Quo(a, b) }
func less(a, b *big.Rat) bool     { return a.Cmp(b) < 0 }
func earlier(a, b *big.Rat) *big.Rat {
	if less(a, b) {
		return a
	}
	return b
}

func later(a, b *big.Rat) *big.Rat {
	if less(a, b) {
		return b
	}
	return a
}

// micro is the rounding that comparisons of times, work and gains allow for.
var micro = rat(1, 1_000_000)

// pays is b(l).
func (a *oracleApp) pays(l *big.Rat) *big.Rat {
	if a.slope != nil {
		return mul(a.slope, l)
	}
	for i := 1; i < len(a.corners); i++ {
		from, to := a.corners[i-1], a.corners[i]
		if less(l, to[0]) {
			return add(from[1], div(mul(sub(l, from[0]), sub(to[1], from[1])), sub(to[0], from[0])))
		}
	}
	return a.corners[len(a.corners)-1][1]
}

// offered is p * (bm + b(o)).
func (a *oracleApp) offered() *big.Rat { return mul(rat(int64(a.p), 1), add(a.worth, a.pays(a.o))) }

// run handles the applications in order of (arrival, position).
func (or *oracle) run(apps []*oracleApp) {
	order := slices.Clone(apps)
	sort.SliceStable(order, func(i, j int) bool { return less(order[i].arrival, order[j].arrival) })
	for _, a := range order {
		or.place(a)
	}
	for _, s := range or.sites {
		or.advance(s, nil)
	}
}

func (or *oracle) place(a *oracleApp) {
	a.site = -1
	for i, s := range or.sites {
		or.advance(s, a.arrival)
		without, ok := or.estimate(s, s.jobs)
		with, okToo := or.estimate(s, append(slices.Clone(s.jobs), or.jobs(a)...))
		if !ok || !okToo {
			continue
		}
		gain := sub(with, without)
		if !or.infeasible && !less(micro, gain) {
			continue
		}
		if or.hurdle.Sign() > 0 && less(add(gain, micro), mul(or.hurdle, a.offered())) {
			continue
		}
		if a.site < 0 || less(add(a.gain, micro), gain) {
			a.site, a.gain = i, gain
		}
	}
	if a.site < 0 {
		return
	}
	a.accepted = true
	a.mandatoryFinish, a.end = a.arrival, a.arrival
	a.optionalDone, a.budget = rat(0, 1), rat(0, 1)
	s := or.sites[a.site]
	s.jobs = append(s.jobs, or.jobs(a)...)
}

// jobs makes p jobs of an application, as the policy sees it (rule 6).
func (or *oracle) jobs(a *oracleApp) []*oracleJob {
	var jobs []*oracleJob
	for i := range a.p {
		j := &oracleJob{app: a, index: i, m: a.m, o: a.o}
		switch or.policy {
		case "hard-m":
			j.o = rat(0, 1)
		case "hard-mo":
			j.m, j.o = add(a.m, a.o), rat(0, 1)
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// worth is what a job pays for its mandatory part under the policy.
func (or *oracle) worth(a *oracleApp) *big.Rat {
	if or.policy == "hard-mo" {
		return add(a.worth, a.pays(a.o))
	}
	return add(a.worth, a.pays(rat(0, 1)))
}

func edf(a, b *oracleJob) int {
	if c := a.app.due.Cmp(b.app.due); c != 0 {
		return c
	}
	return inFile(a, b)
}

func inFile(a, b *oracleJob) int {
	if a.app.position != b.app.position {
		return a.app.position - b.app.position
	}
	return a.index - b.index
}

func hbf(a, b *oracleJob) int {
	va := sub(a.app.pays(a.app.o), a.app.pays(rat(0, 1)))
	vb := sub(b.app.pays(b.app.o), b.app.pays(rat(0, 1)))
	if c := vb.Cmp(va); c != 0 {
		return c
	}
	return edf(a, b)
}

// byRate is b(o) - b(0) over o, the larger first.
func byRate(a, b *oracleJob) int {
	rate := func(j *oracleJob) *big.Rat {
		if j.app.o.Sign() == 0 {
			return rat(0, 1)
		}
		return div(sub(j.app.pays(j.app.o), j.app.pays(rat(0, 1))), j.app.o)
	}
	if c := rate(b).Cmp(rate(a)); c != 0 {
		return c
	}
	return edf(a, b)
}

// estimate is rule 4.
func (or *oracle) estimate(s *oracleSite, jobs []*oracleJob) (*big.Rat, bool) {
	avail := make([]*big.Rat, s.n)
	for i := range avail {
		avail[i] = s.now
	}
	smallest := func() int {
		k := 0
		for i := range avail {
			if less(avail[i], avail[k]) {
				k = i
			}
		}
		return k
	}
	jobs = slices.Clone(jobs)
	total := rat(0, 1)
	slices.SortFunc(jobs, edf)
	for _, j := range jobs {
		j.finish = s.now
		if j.m.Sign() == 0 {
			continue
		}
		k := smallest()
		j.finish = add(avail[k], div(j.m, s.mips))
		if less(add(j.app.due, micro), j.finish) {
			return nil, false
		}
		avail[k] = j.finish
		total.Add(total, or.worth(j.app))
	}
	switch or.policy {
	case "mf-hbf":
		slices.SortFunc(jobs, hbf)
	case "mf-rate":
		slices.SortFunc(jobs, byRate)
	}
	for _, j := range jobs {
		if j.o.Sign() == 0 {
			continue
		}
		k := smallest()
		start := later(avail[k], j.finish)
		end := earlier(add(start, div(j.o, s.mips)), j.app.due)
		if !less(start, end) {
			continue
		}
		done := sub(j.app.o, j.o)
		total.Add(total, sub(j.app.pays(add(done, mul(sub(end, start), s.mips))), j.app.pays(done)))
		avail[k] = end
	}
	return total, true
}

// speeds is rule 2: what every job's current part gets, in MI per second.
func (or *oracle) speeds(s *oracleSite) map[*oracleJob]*big.Rat {
	var mandatory, optional []*oracleJob
	for _, j := range s.jobs {
		if j.m.Sign() > 0 {
			mandatory = append(mandatory, j)
		} else {
			optional = append(optional, j)
		}
	}
	speed := map[*oracleJob]*big.Rat{}
	slices.SortFunc(mandatory, edf)
	for _, j := range mandatory[:min(s.n, len(mandatory))] {
		speed[j] = s.mips
	}
	f := max(0, s.n-len(mandatory))
	switch or.policy {
	case "mf-hbf":
		slices.SortFunc(optional, hbf)
	case "mf-rate":
		slices.SortFunc(optional, byRate)
	case "mf-timeshare":
		slices.SortFunc(optional, inFile)
		if len(optional) > f && f > 0 {
			together := make([]int64, f)
			for r := range optional {
				together[r%f]++
			}
			for r, j := range optional {
				speed[j] = div(s.mips, rat(together[r%f], 1))
			}
			return speed
		}
	default:
		slices.SortFunc(optional, edf)
	}
	for _, j := range optional[:min(f, len(optional))] {
		speed[j] = s.mips
	}
	return speed
}

// advance lets a site run until a time; nil is for ever.
func (or *oracle) advance(s *oracleSite, until *big.Rat) {
	for {
		or.depart(s)
		speed := or.speeds(s)
		var next *big.Rat
		for _, j := range s.jobs {
			when := j.app.due
			if v := speed[j]; v != nil {
				part := j.m
				if part.Sign() == 0 {
					part = j.o
				}
				when = earlier(when, add(s.now, div(part, v)))
			}
			if next == nil || less(when, next) {
				next = when
			}
		}
		if next == nil || until != nil && !less(next, until) && next.Cmp(until) != 0 {
			next = until
		}
		if next == nil {
			return
		}
		for j, v := range speed {
			done := mul(v, sub(next, s.now))
			if j.m.Sign() > 0 {
				if j.m = sub(j.m, done); j.m.Sign() == 0 {
					j.app.mandatoryFinish = later(j.app.mandatoryFinish, next)
				}
			} else {
				j.o = sub(j.o, done)
			}
		}
		s.now = next
		if until != nil && next.Cmp(until) == 0 {
			or.depart(s)
			return
		}
	}
}

// depart is rule 3.
func (or *oracle) depart(s *oracleSite) {
	s.jobs = slices.DeleteFunc(s.jobs, func(j *oracleJob) bool {
		a := j.app
		if !(j.m.Sign() == 0 && j.o.Sign() == 0) && less(s.now, a.due) {
			return false
		}
		if j.m.Sign() > 0 {
			a.missed = true
			return true
		}
		executed := rat(0, 1)
		if or.policy[:2] == "mf" {
			executed = sub(a.o, j.o)
		}
		a.end = later(a.end, s.now)
		a.optionalDone = add(a.optionalDone, executed)
		if or.policy == "hard-mo" { // done with the mandatory part
			a.optionalDone = add(a.optionalDone, a.o)
		}
		paid := or.worth(a)
		if executed.Sign() > 0 {
			paid = add(paid, sub(a.pays(executed), a.pays(rat(0, 1))))
		}
		a.budget = add(a.budget, paid)
		return true
	})
}

func newOracle(policy string, infeasible bool, sites []grid.Resource) *oracle {
	or := &oracle{policy: policy, infeasible: infeasible, hurdle: rat(0, 1)}
	for _, r := range sites {
		or.sites = append(or.sites, &oracleSite{n: r.Processors, mips: new(big.Rat).SetFloat64(r.MIPS), now: rat(0, 1)})
	}
	return or
}
