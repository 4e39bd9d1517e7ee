package policy

import (
	"math"

	"libra/book"
	"libra/market"
)

// libraSLA is LibraSLA of 001: hard and soft deadlines, penalties, and
// admission only where it does not lower what a node is expected to bring.
//
// The tasks of a parallel job advance independently on their nodes, and a node
// reckons anew only at its own events: a task accepted on it, a task gone.
type libraSLA struct {
	// Scratch.
	needs   []float64   // share needed by each task of one processor
	tasks   []book.Task // those of one processor and the one at the door
	choices []candidate
}

func newLibraSLA() *libraSLA { return &libraSLA{} }

func (p *libraSLA) settings() []Setting { return nil }

// Admit is Algorithm 1 of 001.
func (p *libraSLA) Admit(v book.View, j *market.Job, a *Answer) {
	if !j.SLA.Deadline.After(market.Time(j.Estimate)) {
		a.refuse(market.CannotMeetDeadline)
		return
	}
	if !v.CouldHold(j) {
		a.refuse(market.CannotMeetResources)
		return
	}
	estimate, deadline := float64(j.Estimate), float64(j.SLA.Deadline)
	terms := book.Terms{
		Price: j.SLA.Budget, Finish: j.Due(), Claim: market.Share(estimate / deadline),
		Worth: float64(j.SLA.Budget) / estimate / deadline, Fine: float64(j.SLA.Penalty) / estimate / deadline,
		Liable: true, Apart: true, Firm: !j.SLA.Soft,
	}
	added := book.NewTask(j, terms, v.Now())
	everywhere := v.AllRoom(j)
	p.choices = p.choices[:0]
	for proc := range v.Processors() {
		if !everywhere && !v.Room(proc, j) {
			continue
		}
		if worth, ok := p.worthwhile(v, proc, added); ok {
			p.choices = append(p.choices, candidate{rank: -market.RoundSignificant(worth), proc: int32(proc)})
		}
	}
	if len(p.choices) < int(j.Width) {
		a.refuse(market.NotWorthIt)
		return
	}
	a.Procs = pick(p.choices, int(j.Width), a.Procs)
	a.run(terms)
}

// worthwhile is the return of a processor with one task more, and whether that
// is feasible and no less than what the processor is now expected to bring.
func (p *libraSLA) worthwhile(v book.View, proc int, added book.Task) (float64, bool) {
	p.tasks = append(append(p.tasks[:0], v.Tasks(proc)...), added)
	n := p.reckon(v.Now(), v.Rating(proc), p.tasks)
	value := n.worth
	switch {
	case n.fits:
	case !n.feasible:
		return 0, false
	default:
		value = 0
		for i := range p.tasks {
			value += p.returnOf(&n, p.tasks, i)
		}
	}
	stored := n.stored
	return value, value >= stored-1e-12*math.Abs(stored)
}

// reckoning is what Algorithm 2 of 001 finds out about the tasks of one
// processor at one instant. Its line 11 is printed the wrong way round.
type reckoning struct {
	now      market.Time
	rating   float64
	total    float64 // share needed by all
	kept     float64 // share needed by the hard jobs and the top one
	top      int     // the task with the highest return
	fits     bool    // everybody gets what he needs
	feasible bool    // at least the hard jobs and the top one do
	worth    float64 // sum of the returns if everybody is in time
	stored   float64 // sum of the returns as last stored
}

func (p *libraSLA) reckon(now market.Time, rating float64, tasks []book.Task) reckoning {
	n := reckoning{now: now, rating: rating, top: -1}
	p.needs = p.needs[:0]
	best := math.Inf(-1)
	for i := range tasks {
		t := &tasks[i]
		share := needed(t, now, rating)
		p.needs = append(p.needs, share)
		n.total += share
		n.worth += t.Worth
		n.stored += t.Return
		if !t.Soft {
			n.kept += share
		}
		if t.Rank > best {
			n.top, best = i, t.Rank
		}
	}
	if n.top >= 0 && tasks[n.top].Soft {
		n.kept += p.needs[n.top]
	}
	n.fits = market.Share(n.total).Fits(1)
	// Where there is too little for all, those who come last must be left some:
	// a task with no share at all would never end.
	n.feasible = n.fits || 1-n.kept > float64(market.ShareSlack)
	return n
}

// needed is the share of a processor that a task needs: equation (3) of 001. A
// soft job can bear to get less, so it never needs more than there is.
func needed(t *book.Task, now market.Time, rating float64) float64 {
	left, period := t.LeftAt(now), t.Due-now
	if period <= 0 || left <= 0 {
		return 1
	}
	share := float64(left) / float64(period) / rating
	if t.Soft {
		return min(1, share)
	}
	return share
}

// squeezed is what a soft job other than the top one gets where there is too
// little for all: what the others leave, in proportion to the needs.
func (p *libraSLA) squeezed(n *reckoning, i int) float64 {
	return max(0, 1-n.kept) * p.needs[i] / (n.total - n.kept)
}

// returnOf is what the i-th task brings: equation (5) of 001, with the delay it
// will have at the share it gets.
func (p *libraSLA) returnOf(n *reckoning, tasks []book.Task, i int) float64 {
	t := &tasks[i]
	if n.fits || !t.Soft || i == n.top {
		return t.Worth
	}
	speed := p.squeezed(n, i) * n.rating
	finish := n.now + market.Time(float64(t.LeftAt(n.now))/speed)
	return t.Worth - float64(float64(max(0, finish-t.Due))*t.Fine)
}

// granted is the share that the i-th task gets.
func (p *libraSLA) granted(n *reckoning, tasks []book.Task, i int) float64 {
	first := i == n.top || !tasks[i].Soft
	switch {
	case n.fits && i == n.top:
		return p.needs[i] + max(0, 1-n.total)
	case n.fits, n.feasible && first:
		return p.needs[i]
	case n.feasible:
		return p.squeezed(n, i)
	case !first:
		return 0
	}
	// The hard jobs and the top one need more than there is, for instance
	// because some run late: the hard ones first, the top one gets the rest.
	hard := n.kept - p.needs[n.top]
	if i == n.top {
		return min(p.needs[i], max(0, 1-hard))
	}
	return p.needs[i] / max(1, hard)
}

// Plan sets the shares on every processor whose tasks changed, and where a job
// was accepted also what the tasks there are now expected to bring.
func (p *libraSLA) Plan(v book.View, d *book.Draft) {
	for _, touched := range v.Touched() {
		proc := int(touched)
		tasks := v.Tasks(proc)
		n := p.reckon(v.Now(), v.Rating(proc), tasks)
		joined := v.Touch(proc)&book.Joined != 0
		for i := range tasks {
			if joined {
				d.Appraise(proc, i, p.returnOf(&n, tasks, i))
			}
			d.TaskSpeed(proc, i, p.granted(&n, tasks, i)*n.rating)
		}
	}
}

var _ Policy = (*libraSLA)(nil)
