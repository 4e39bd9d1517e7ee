package policy

import (
	"math"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// firstPrice is the greedy task service that Irwin, Grit and Chase start from
// (Balancing Risk and Reward in a Market-based Task Service, HPDC-13, 2004; it
// goes back to Chun and Culler's value per unit of running time): whenever
// processors are free, run the task of the highest yield per second of its
// remaining processing time. Nobody is turned away, nothing is preempted,
// nobody overtakes the best one while it does not fit.
//
// The yield falls with the delay, here from the deadline on at the penalty rate
// (equation (1) of 001), and is what the user pays; it can be less than
// nothing. A job without a deadline always brings its budget. One without a
// budget brings more than any other: it goes first, and has no cost.
type firstPrice struct {
	least reserve
	stand podium
}

func newFirstPrice() *firstPrice { return &firstPrice{} }

func (p *firstPrice) settings() []Setting { return []Setting{p.least.setting()} }

// Admit queues whatever the cluster could ever hold.
func (p *firstPrice) Admit(v book.View, j *market.Job, a *Answer) {
	if !v.CouldHold(j) {
		a.refuse(market.CannotMeetResources)
		return
	}
	if p.least.unmet(v, j, j.SLA.Budget) {
		a.refuse(market.CannotMeetBudget)
		return
	}
	a.queue(book.Terms{Price: j.SLA.Budget, Liable: true, Finish: market.Never, Latest: market.Never})
}

// Plan starts the best while they fit: those of the highest unit gain, their yield,
// if they were started now, over their processing time.
func (p *firstPrice) Plan(v book.View, d *book.Draft) {
	p.stand.sync(v, math.Inf(1))
	if v.Idle() == 0 || v.Waiting() == 0 {
		return
	}
	now, speed := v.Now(), fastest(v)
	for v.Idle() > 0 {
		s, ok := p.stand.best(v, func(j *market.Job) float64 {
			length := processing(j, speed)
			return market.RoundSignificant(yield(j, now+length) / float64(length))
		})
		if !ok {
			return
		}
		if j := &v.Entry(s).Job; !v.HasIdle(j, int(j.Width)) {
			return
		}
		d.Start(s)
	}
}

// startBest starts the waiting job of the highest worth, and again, until that
// one does not fit. Where worth changes with time and with who else waits, no
// index serves: a start costs a look at every waiting job. The jobs are scratch.
func startBest(
	v book.View, d *book.Draft, jobs []*market.Job, worth func(book.View, []*market.Job) []float64,
) []*market.Job {
	if v.Idle() == 0 || v.Waiting() == 0 {
		return jobs
	}
	waiting := v.InOrder()
	jobs = jobsOf(v, waiting, jobs)
	for len(waiting) > 0 && v.Idle() > 0 {
		best := first(worth(v, jobs))
		if j := jobs[best]; !v.HasIdle(j, int(j.Width)) {
			break
		}
		d.Start(waiting[best])
		waiting, jobs = slices.Delete(waiting, best, best+1), slices.Delete(jobs, best, best+1)
	}
	return jobs
}

func jobsOf(v book.View, slots []book.Slot, into []*market.Job) []*market.Job {
	into = into[:0]
	for _, s := range slots {
		into = append(into, &v.Entry(s).Job)
	}
	return into
}

// first is the place of the largest, the earliest of equals.
func first(worth []float64) int {
	best := 0
	for i, w := range worth {
		if w > worth[best] {
			best = i
		}
	}
	return best
}

// processing is the processing time of a job that has not begun (RPT), at a
// speed; not less than an instant, since worth is counted per second of it.
func processing(j *market.Job, speed float64) market.Time {
	return max(market.Time(float64(j.Estimate)/speed), market.TimeSlack)
}

// yield is what a job brings if it is done at a time: its utility, also where
// that time never comes.
func yield(j *market.Job, finish market.Time) float64 {
	if !j.SLA.Budget.Limited() || j.SLA.Penalty == 0 || !j.SLA.Deadline.Finite() {
		return float64(j.SLA.Budget)
	}
	return float64(j.Utility(finish))
}

var _ Policy = (*firstPrice)(nil)
