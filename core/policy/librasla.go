package policy

import (
	"math"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// libraSLA is LibraSLA of 001: hard and soft deadlines, penalties, and
// admission only where it does not lower what a node is expected to bring.
//
// The tasks of a parallel job advance independently on their nodes, and a node
// reckons anew only at its own events: a task accepted on it, a task gone.
type libraSLA struct {
	least reserve

	// Scratch.
	needs    []float64   // share needed by each task of one processor
	returns  []float64   // what each of them brings
	tasks    []book.Task // those of one processor and the one at the door
	outlooks []outlook   // by processor; a cache, good while its version is
	choices  []candidate
	ahead    prospects
	turns    branches
	best     []float64 // returns of the best so far, the smallest first: a heap
}

func newLibraSLA() *libraSLA { return &libraSLA{} }

func (p *libraSLA) settings() []Setting { return []Setting{p.least.setting()} }

// Admit is Algorithm 1 of 001.
func (p *libraSLA) Admit(v book.View, j *market.Job, a *Answer) { p.admit(v, j, a, (*libraSLA).list) }

// list lists the processors that are worthwhile, at least those that may be chosen.
func (p *libraSLA) list(v book.View, j *market.Job, added *book.Task) {
	if p.inOrder(v, j, added) {
		p.askTheBest(v, added, int(j.Width))
	} else {
		p.askAll(v, j, added)
	}
}

func (p *libraSLA) admit(v book.View, j *market.Job, a *Answer, list func(*libraSLA, book.View, *market.Job, *book.Task)) {
	if !j.SLA.Deadline.After(market.Time(j.Estimate)) {
		a.refuse(market.CannotMeetDeadline)
		return
	}
	if !v.CouldHold(j) {
		a.refuse(market.CannotMeetResources)
		return
	}
	if p.least.unmet(v, j, j.SLA.Budget) {
		a.refuse(market.CannotMeetBudget)
		return
	}
	estimate, deadline := float64(j.Estimate), float64(j.SLA.Deadline)
	terms := book.Terms{
		Price: j.SLA.Budget, Finish: j.Due(), Claim: market.Share(estimate / deadline),
		Worth: market.Number(float64(j.SLA.Budget) / estimate / deadline), Fine: market.Number(float64(j.SLA.Penalty) / estimate / deadline),
		Liable: true, Independent: true, Firm: !j.SLA.Soft,
	}
	added := book.NewTask(j, terms, v.Now())
	list(p, v, j, &added)
	p.choices = together(v, j, p.choices)
	if len(p.choices) < int(j.Width) {
		a.refuse(market.NotWorthIt)
		return
	}
	p.bestFirst(v, &added, int(j.Width))
	a.Procs = procsOf(p.choices[:j.Width], a.Procs)
	a.run(terms)
}

// askAll lists the processors that are worthwhile.
func (p *libraSLA) askAll(v book.View, j *market.Job, added *book.Task) {
	everywhere, processors := v.AllRoom(j), v.Processors()
	p.choices = p.choices[:0]
	for proc := range processors {
		if len(p.choices)+processors-proc < int(j.Width) {
			break // too few are left to ask
		}
		if !everywhere && !v.Room(proc, j) {
			continue
		}
		if worth, ok := p.worthwhile(v, proc, added); ok {
			p.choices = append(p.choices, candidate{rank: -worth, proc: market.Int32(proc)})
		}
	}
}

// bestFirst brings the n choices of the highest return to the front: returns
// are compared after rounding, and of equals the lowest number is first. Only
// where the last one taken and the first one left out are equal but for
// rounding is a closer look worth its time.
func (p *libraSLA) bestFirst(v book.View, added *book.Task, n int) {
	if len(p.choices) == n {
		return
	}
	firstOnes(p.choices, n)
	cut := math.Inf(-1)
	for _, c := range p.choices[:n] {
		cut = max(cut, c.rank)
	}
	tied := func(c candidate) bool { return c.rank == cut || knifeEdge(c.rank-cut, cut) }
	if !slices.ContainsFunc(p.choices[n:], tied) {
		return
	}
	for i, c := range p.choices {
		switch {
		case tied(c):
			worth, _ := p.worthwhileClosely(v, int(c.proc), added)
			p.choices[i].rank = -market.RoundSignificant(worth)
		case c.rank < cut:
			p.choices[i].rank = math.Inf(-1)
		default:
			p.choices[i].rank = math.Inf(1)
		}
	}
	firstOnes(p.choices, n)
}

// worthwhile is the return of a processor with one task more, and whether that
// is feasible and no less than what the processor is now expected to bring.
//
// It is Algorithm 2 without a look at every task's delay. Where there is too
// little for all, the soft jobs but the top one get their needs divided by the
// same factor, others/rest, and each takes that many times its period: the
// fines for it are linear in the factor and add up beforehand.
func (p *libraSLA) worthwhile(v book.View, proc int, added *book.Task) (float64, bool) {
	return p.worthwhileBy(v, proc, p.outlookOn(v, proc), v.Pile(proc), added)
}

// worthwhileBy is worthwhile by what is known of the processor.
func (p *libraSLA) worthwhileBy(v book.View, proc int, o *outlook, pile *book.Pile, added *book.Task) (float64, bool) {
	now, rating := v.Now(), v.Rating(proc)
	period := float64(added.Due - now)
	need := float64(added.Left) / period
	if now >= o.until || need >= rating {
		return p.worthwhileClosely(v, proc, added)
	}
	if o.topRank == math.Inf(-1) {
		return added.Worth, true // nobody is there
	}
	leads := added.Rank > o.topRank
	demoted := leads && o.topSoft // the top job of before is one of the others now
	kept, others := o.hard.need(now), 0.0
	if top := o.top.need(now); demoted {
		others += top
	} else {
		kept += top
	}
	if leads || !added.Soft {
		kept += need
	} else {
		others += need
	}
	if kept > rating && !knifeEdge(kept-rating, rating) {
		return 0, false
	}
	others += o.soft.need(now)
	value, spare, rest := pile.Worth+added.Worth, rating-kept-others, rating-kept
	edge := knifeEdge(spare, rating) || knifeEdge(rest, rating)
	if !edge && spare < 0 {
		fines := o.soft.fines(o.at, now)
		if demoted {
			fines += o.top.fines(o.at, now)
		}
		if !leads && added.Soft {
			fines += float64(added.Fine * period)
		}
		value -= float64((others/rest - 1) * fines)
	}
	if edge || knifeEdge(value-pile.Return, pile.Worth+added.Worth) {
		return p.worthwhileClosely(v, proc, added)
	}
	return value, value >= pile.Return
}

// knifeEdge reports whether a difference is so small that rounding decides its
// sign: then the sums are taken as the paper writes them.
func knifeEdge(difference, scale float64) bool {
	return math.Abs(difference) <= 1e-8*math.Abs(scale)
}

// isAtLeast compares sums of returns, allowing for the rounding of what was summed: where
// the late cost as much as the others bring, nothing is left but that.
func isAtLeast(value, stored, summed float64) bool {
	return value >= stored || value >= stored-1e-12*max(math.Abs(stored), summed)
}

// outlookOn is the outlook of a processor, drawn up anew if anything changed
// there.
func (p *libraSLA) outlookOn(v book.View, proc int) *outlook {
	if len(p.outlooks) < v.Processors() {
		p.outlooks = make([]outlook, v.Processors())
	}
	o := &p.outlooks[proc]
	if version := v.Version(proc); o.version != version {
		o.version = version
		o.draw(v.Tasks(proc), v.Pile(proc).Top, v.Rating(proc), v.Now())
	}
	return o
}

// worthwhileClosely is worthwhile with a look at every task, for the time when
// some of them run late.
func (p *libraSLA) worthwhileClosely(v book.View, proc int, added *book.Task) (float64, bool) {
	pile := v.Pile(proc)
	p.tasks = append(append(p.tasks[:0], v.Tasks(proc)...), *added)
	top := pile.Top
	if top < 0 || added.Rank > p.tasks[top].Rank {
		top = len(p.tasks) - 1
	}
	n := p.reckon(v.Now(), v.Rating(proc), p.tasks, top)
	if !n.feasible {
		return 0, false
	}
	value, summed := 0.0, 0.0
	for i := range p.tasks {
		brings := p.returnOf(&n, &p.tasks[i], i)
		value += brings
		summed += math.Abs(brings)
	}
	return value, isAtLeast(value, pile.Return, summed)
}

// reckoning is what Algorithm 2 of 001 finds out about the tasks of one
// processor at one instant. Its line 11 is printed the wrong way round.
type reckoning struct {
	now      market.Time
	rating   float64
	total    float64 // share needed by all
	kept     float64 // share needed by the hard jobs and the top one
	squeeze  float64 // what part of their needs the others get
	top      int     // the task with the highest return
	fits     bool    // everybody gets what he needs
	feasible bool    // at least the hard jobs and the top one do
}

func (p *libraSLA) reckon(now market.Time, rating float64, tasks []book.Task, top int) reckoning {
	n := reckoning{now: now, rating: rating, top: top}
	needs := roomFor(p.needs, len(tasks))
	total, kept := 0.0, 0.0
	for i := range needs {
		t := &tasks[i]
		share := needed(t, now, rating)
		needs[i] = share
		total += share
		kept += onlyIf(share, one(!t.Soft)|one(i == top))
	}
	p.needs = needs
	n.total, n.kept = total, kept
	n.fits = market.Share(total).Fits(1)
	// Where there is too little for all, those who come last must be left some:
	// a task with no share at all would never end.
	n.feasible = n.fits || 1-kept > float64(market.ShareSlack)
	if !n.fits && n.feasible {
		n.squeeze = (1 - kept) / (total - kept)
	}
	return n
}

// roomFor is room for so many, in the old space if that is large enough.
func roomFor(old []float64, n int) []float64 {
	if cap(old) < n {
		return make([]float64, 2*n)[:n]
	}
	return old[:n]
}

// onlyIf is a number if is is 1, and 0 if that is 0: without a branch, where it is anybody's guess.
func onlyIf(x float64, is int) float64 {
	return math.Float64frombits(math.Float64bits(x) & -market.Bits(is))
}

// needed is the share of a processor that a task needs: equation (3) of 001. A
// soft job can bear to get less, so it never needs more than there is. One to
// which nothing is promised any more needs nothing, also past its estimate.
func needed(t *book.Task, now market.Time, rating float64) float64 {
	if t.BestEffort {
		return 0
	}
	left, period := t.LeftAt(now), t.Due-now
	if period <= 0 || left <= 0 {
		return 1
	}
	share := float64(left) / (float64(period) * rating)
	if t.Soft && share > 1 {
		return 1
	}
	return share
}

// returnOf is what the i-th task brings: equation (5) of 001, with the delay it
// will have at the share it gets.
func (p *libraSLA) returnOf(n *reckoning, t *book.Task, i int) float64 {
	if n.fits || !t.Soft || t.BestEffort || i == n.top {
		return t.Worth
	}
	finish := n.now + market.Time(float64(t.LeftAt(n.now))/(p.needs[i]*n.squeeze*n.rating))
	if finish <= t.Due {
		return t.Worth
	}
	return t.Worth - float64(float64(finish-t.Due)*t.Fine)
}

// returnsOf is what each task brings.
func (p *libraSLA) returnsOf(n *reckoning, tasks []book.Task) []float64 {
	p.returns = roomFor(p.returns, len(tasks))
	for i := range p.returns {
		p.returns[i] = p.returnOf(n, &tasks[i], i)
	}
	return p.returns
}

// Plan sets the shares on every processor whose tasks changed, and where a job
// was accepted also what the tasks there are now expected to bring.
func (p *libraSLA) Plan(v book.View, d *book.Draft) {
	if p.ahead.made {
		p.ahead.sync(v)
	}
	for _, touched := range v.Touched() {
		proc := int(touched)
		tasks := v.Tasks(proc)
		n := p.reckon(v.Now(), v.Rating(proc), tasks, v.Pile(proc).Top)
		switch {
		case v.Touch(proc)&book.Joined == 0:
		case n.fits:
			d.AppraiseInTime(proc)
		default:
			d.Appraise(proc, p.returnsOf(&n, tasks))
		}
		d.Share(proc, p.speeds(&n, tasks))
	}
}

// speeds turns the needs of the tasks on a processor into what they get.
func (p *libraSLA) speeds(n *reckoning, tasks []book.Task) []float64 {
	needs := p.needs
	switch {
	case len(tasks) == 0:
	case n.fits:
		needs[n.top] += max(0, 1-n.total)
	case n.feasible:
		factors := [2]float64{1, n.squeeze}
		for i := range needs {
			needs[i] *= factors[one(tasks[i].Soft)&one(i != n.top)]
		}
	default:
		p.cut(n, tasks)
	}
	if n.rating != 1 {
		for i := range p.needs {
			p.needs[i] *= n.rating
		}
	}
	return p.needs
}

// cut is for when the hard jobs and the top one need more than there is, for
// instance because some run late: the hard ones first, the top one gets what
// they leave, the others nothing.
func (p *libraSLA) cut(n *reckoning, tasks []book.Task) {
	hard := n.kept - p.needs[n.top]
	for i := range tasks {
		switch {
		case i == n.top:
			p.needs[i] = min(p.needs[i], max(0, 1-hard))
		case tasks[i].Soft:
			p.needs[i] = 0
		case hard > 1:
			p.needs[i] /= hard
		}
	}
}

var _ Policy = (*libraSLA)(nil)
