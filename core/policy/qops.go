package policy

import (
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/pricing"
)

// qops guarantees deadlines to parallel jobs (Islam, Balaji, Sadayappan and
// Panda, QoPS: A QoS Based Scheme for Parallel Job Scheduling, JSSPP 2003; with
// tolerance of delay, CLUSTER 2004): a job is accepted only if there is a
// schedule in which it and all accepted before it are done in time. The slack
// factor is the delay after its deadline that a job bears, as part of the
// deadline, so that more urgent ones can be taken in later (001, section 2).
//
// The schedule is not kept, it follows from the book: who waits starts in the
// order of the queue, nobody before the one in front (see forecast). In that
// order every promise is kept at admission, and goes on being kept if jobs end
// early. Who comes later in it may still go first where all others, in that
// order, keep their promises: jobs with time to spare wait for those without.
// A new job is tried in the place of its deadline and then at the head; the
// paper tries more places, and its successor kills and restarts.
//
// Jobs without a deadline come last and are promised nothing. What has become
// late all the same, by wrong estimates or lost nodes, runs as soon as it can
// and is not made later still. The price is that of the other queues: QoPS
// has none, and no budgets.
//
// A pass looks at the whole queue once for every job that could start: fine for
// queues of hundreds, which is what its admission leaves.
type qops struct {
	tariff
	base  float64
	slack float64

	// Scratch.
	now    forecast // the cluster as it is
	with   forecast
	less   forecast // without
	limits []market.Time
}

func newQoPS() *qops { return &qops{tariff: newTariff(), base: 1} }

func (p *qops) settings() []Setting {
	return []Setting{
		number("pbase", &p.base, "price of a second of estimated runtime"),
		number("slack", &p.slack, "slack factor: delay after the deadline that every job bears, in deadlines"),
		p.tariff.setting(),
		p.tariff.counted(),
	}
}

// Admit accepts the job if the schedule with it keeps all promises.
func (p *qops) Admit(v book.View, j *market.Job, a *Answer) {
	if !v.CouldHold(j) {
		a.refuse(market.CannotMeetResources)
		return
	}
	promise := j.Submit + market.Time(float64(j.SLA.Deadline)*(1+p.slack))
	waiting, rank, ahead := v.InOrder(), byDue(j), 0
	for ahead < len(waiting) && v.Entry(waiting[ahead]).Terms.Rank <= market.Number(rank) {
		ahead++
	}
	if !p.feasible(v, waiting, ahead, j, promise) {
		if ahead == 0 || !p.feasible(v, waiting, 0, j, promise) {
			a.refuse(market.CannotMeetDeadline)
			return
		}
		rank = float64(v.Entry(waiting[0]).Terms.Rank) - 1
	}
	a.queue(book.Terms{
		Price: p.tariff.of(v, pricing.Static(market.Price(p.base), j.Estimate), j), Finish: promise, Firm: promise.Finite(),
		Rank: market.Number(rank), Latest: market.Never,
	})
}

// feasible plays the queue forward with the job behind so many others, and
// without it.
func (p *qops) feasible(v book.View, waiting []book.Slot, ahead int, j *market.Job, promise market.Time) bool {
	speed := slowest(v)
	p.less.reset(v)
	for i, s := range waiting[:ahead] {
		first := &v.Entry(s).Job
		p.less.start(p.width(v, first, &p.less, i == 0), length(first, speed))
	}
	p.with.copyOf(&p.less)
	own := length(j, speed)
	if (p.with.start(p.width(v, j, &p.with, ahead == 0), own) + own).After(promise) {
		return false
	}
	for i, s := range waiting[ahead:] {
		e := v.Entry(s)
		own := length(&e.Job, speed)
		before := p.less.start(p.width(v, &e.Job, &p.less, ahead+i == 0), own) + own
		if after := p.with.start(p.width(v, &e.Job, &p.with, false), own) + own; after.After(limit(e, before)) {
			return false
		}
	}
	return true
}

// limit is how late a job may be: as promised, or as it would be anyway.
func limit(e *book.Entry, otherwise market.Time) market.Time {
	if otherwise.After(e.Terms.Finish) {
		return otherwise
	}
	return e.Terms.Finish
}

// Plan starts those whose turn it is, then those who keep nobody waiting beyond
// what was promised to him.
func (p *qops) Plan(v book.View, d *book.Draft) {
	if _, blocked := startHeads(v, d); !blocked || v.Idle() == 0 {
		return
	}
	waiting, speed := v.InOrder(), slowest(v)
	p.now.reset(v)
	p.with.copyOf(&p.now)
	p.limits = p.limits[:0]
	for _, s := range waiting {
		e := v.Entry(s)
		own := length(&e.Job, speed)
		p.limits = append(p.limits, limit(e, p.with.start(p.width(v, &e.Job, &p.with, false), own)+own))
	}
	for i := 1; i < len(waiting) && v.Idle() > 0; {
		if j := &v.Entry(waiting[i]).Job; !v.HasIdle(j, int(j.Width)) || !p.bearable(v, waiting, i, speed) {
			i++
			continue
		}
		d.Start(waiting[i])
		p.now.reset(v)
		waiting, p.limits = slices.Delete(waiting, i, i+1), slices.Delete(p.limits, i, i+1)
	}
}

// bearable reports whether the others stay within their limits if the n-th of
// the waiting jobs starts now.
func (p *qops) bearable(v book.View, waiting []book.Slot, n int, speed float64) bool {
	p.with.copyOf(&p.now)
	j := &v.Entry(waiting[n]).Job
	p.with.start(int(j.Width), length(j, speed))
	for i, s := range waiting {
		if i == n {
			continue
		}
		j := &v.Entry(s).Job
		own := length(j, speed)
		if (p.with.start(p.width(v, j, &p.with, false), own) + own).After(p.limits[i]) {
			return false
		}
	}
	return true
}

// width is how many processors a job is planned with. Where one with room for
// it will be free is not in a forecast, so a job for which not every one will do is
// planned with the whole cluster, unless it is next and there is room for it
// now; and with more than that, which is never, if what is up and not set aside could not
// hold it even empty. It starts earlier if it can.
func (p *qops) width(v book.View, j *market.Job, f *forecast, next bool) int {
	if !v.Choosy(j) || next && v.HasIdle(j, int(j.Width)) {
		return int(j.Width)
	}
	up := f.processors()
	if (up < v.Processors() || v.Aside()) && roomUp(v, j) < int(j.Width) {
		return v.Processors() + 1
	}
	return max(int(j.Width), up)
}

// roomUp counts the processors that the nodes which are up, if they were empty,
// could give a job for which not every one will do.
func roomUp(v book.View, j *market.Job) int {
	room, tasks := 0, 0
	for proc := range v.Processors() {
		if proc == 0 || v.NodeOf(proc) != v.NodeOf(proc-1) {
			tasks = 0
		}
		if tasks++; v.Up(proc) && tasks <= roomEver(v, proc, j) && j.Whole(tasks) == tasks {
			room += int(max(1, j.Threads))
		}
	}
	return room
}

func roomEver(v book.View, proc int, j *market.Job) int {
	_, ever := v.RoomOn(proc, j)
	return ever
}

// length is how long a job is planned to take. Which processors it gets is
// known only when it starts; a promise must hold for the slowest.
func length(j *market.Job, speed float64) market.Time {
	return market.Time(float64(j.Estimate) / speed)
}

// slowest is the rating of the slowest processor.
func slowest(v book.View) float64 {
	if v.Ratings() == nil {
		return 1
	}
	return slices.Min(v.Ratings())
}

var _ Policy = (*qops)(nil)
