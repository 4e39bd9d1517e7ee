package policy

import (
	"cmp"
	"math"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// firstReward weighs what a task brings against what it makes the others lose
// (Irwin, Grit and Chase, HPDC-13, 2004). With p the processing time of task i
// and d the decay of a task, its penalty rate:
//
//	PV_i     = yield_i / (1 + discount*p_i)                   present value
//	cost_i   = sum over the others of d_j*max(0, p_i-spare_j) opportunity cost
//	reward_i = (alpha*PV_i - (1-alpha)*cost_i) / p_i          decides who is next
//	slack_i  = (PV_i - cost_i) / d_i                          decides who is admitted
//
// The paper's tasks decay as soon as they are not running: its cost is the sum
// of d_j*p_i. Ours decay from the deadline on, as 001 says of the difference,
// so a task that can wait for spare_j seconds and still be in time loses that
// much less; where deadlines are the processing times, the two are the same.
// With alpha 1 and discount 0 the order is that of FirstPrice.
//
// A job without a deadline has no decay: it costs the others whatever it does,
// loses nothing, and is accepted if it brings at least what it costs. A job
// without a budget has an infinite present value: it is accepted and, unless
// only risk counts (alpha 0), goes first; it has no cost.
type firstReward struct {
	discount float64
	alpha    float64
	slack    float64
	least    reserve

	// Scratch.
	jobs    []*market.Job
	rewards []float64
	risks   []risk
	order   []int
	line    forecast
	trial   forecast
}

// The paper varies all three. One percent, even weights, and whoever is worth
// what he costs: the defaults are our choice.
func newFirstReward() *firstReward { return &firstReward{discount: 0.01, alpha: 0.5} }

func (p *firstReward) settings() []Setting {
	return []Setting{
		number("discount", &p.discount, "discount rate: what part of its value a second of processing time takes off a reward"),
		number("alpha", &p.alpha, "weight of reward against risk: 1 looks at the reward alone, 0 at the cost to others alone"),
		number("slack", &p.slack, "least slack to be accepted: seconds of delay after which a job would not be worth its cost"),
		p.least.setting(),
	}
}

// risk is what is at stake with a job that waits: after spare seconds it loses
// decay with each.
type risk struct {
	spare, decay float64
	decays       float64 // sum over this and those with less to spare
	spares       float64 // the same of decay*spare
}

// Admit puts the job into its place in the order of reward, plays that order
// forward, and accepts it if its slack there is enough. The cost is to those
// behind it.
func (p *firstReward) Admit(v book.View, j *market.Job, a *Answer) {
	if !v.CouldHold(j) {
		a.refuse(market.CannotMeetResources)
		return
	}
	if p.least.unmet(v, j, j.SLA.Budget) {
		a.refuse(market.CannotMeetBudget)
		return
	}
	p.jobs = append(jobsOf(v, v.InOrder(), p.jobs), j)
	value, cost := p.expect(v, len(p.jobs)-1)
	worth := cost.Within(value)
	if d := decay(j); d > 0 {
		worth = !market.Time(p.slack).After(market.Time(float64(value-cost) / d))
	}
	if !worth {
		a.refuse(market.NotWorthIt)
		return
	}
	a.queue(book.Terms{Price: j.SLA.Budget, Liable: true, Finish: market.Never, Latest: market.Never})
}

// expect is the present value of the n-th of the jobs when its turn comes, and
// what it costs those after it.
func (p *firstReward) expect(v book.View, n int) (value, cost market.Price) {
	rewards, speed := p.worth(v, p.jobs), fastest(v)
	p.order = p.order[:0]
	for i := range rewards {
		p.order = append(p.order, i)
	}
	slices.SortFunc(p.order, func(a, b int) int { return cmp.Or(cmp.Compare(rewards[b], rewards[a]), cmp.Compare(a, b)) })
	length, behind := processing(p.jobs[n], speed), false
	p.line.reset(v)
	for _, i := range p.order {
		j := p.jobs[i]
		if i == n {
			p.trial.copyOf(&p.line)
			value = p.present(j, p.trial.start(int(j.Width), length)+length, length)
			behind = true
			continue
		}
		own := processing(j, speed)
		if finish := p.line.start(int(j.Width), own) + own; behind && decay(j) > 0 {
			cost += market.Price(decay(j) * max(0, float64(length)-spare(j, finish)))
		}
	}
	return value, cost
}

// Plan starts the best while they fit.
func (p *firstReward) Plan(v book.View, d *book.Draft) { p.jobs = startBest(v, d, p.jobs, p.worth) }

// worth is the reward of each job, if it were started now and the others after
// it. Present value and cost are rounded, as all that ranks is, before they are
// set off against each other: the difference of equals is the same for all.
func (p *firstReward) worth(v book.View, jobs []*market.Job) []float64 {
	now, speed, alpha := v.Now(), fastest(v), min(p.alpha, 1)
	p.weigh(jobs, now, speed)
	p.rewards = p.rewards[:0]
	for _, j := range jobs {
		length := processing(j, speed)
		reward := 0.0
		if alpha > 0 { // else an infinite value would count, for nothing
			reward = alpha * market.RoundSignificant(float64(p.present(j, now+length, length))/float64(length))
		}
		reward -= float64((1 - alpha) * market.RoundSignificant(p.cost(j, now, length)/float64(length)))
		p.rewards = append(p.rewards, reward)
	}
	return p.rewards
}

// present is the present value of a job that is done at a time.
func (p *firstReward) present(j *market.Job, finish, length market.Time) market.Price {
	return market.Price(yield(j, finish) / (1 + float64(p.discount*float64(length))))
}

// weigh lists what is at stake with the jobs, by what they have to spare.
func (p *firstReward) weigh(jobs []*market.Job, now market.Time, speed float64) {
	p.risks = p.risks[:0]
	for _, j := range jobs {
		if d := decay(j); d > 0 {
			p.risks = append(p.risks, risk{spare: spare(j, now+processing(j, speed)), decay: d})
		}
	}
	slices.SortFunc(p.risks, func(a, b risk) int { return cmp.Compare(a.spare, b.spare) })
	decays, spares := 0.0, 0.0
	for i := range p.risks {
		r := &p.risks[i]
		decays += r.decay
		spares += float64(r.decay * r.spare)
		r.decays, r.spares = decays, spares
	}
}

// cost is what the others lose if all wait for this one: those with less to
// spare than it takes, but for itself.
func (p *firstReward) cost(j *market.Job, now, length market.Time) float64 {
	n, _ := slices.BinarySearchFunc(p.risks, float64(length), func(r risk, length float64) int { return cmp.Compare(r.spare, length) })
	if n == 0 {
		return 0
	}
	decays, spares := p.risks[n-1].decays, p.risks[n-1].spares
	if own, d := spare(j, now+length), decay(j); d > 0 && own < float64(length) {
		decays -= d
		spares -= float64(d * own)
	}
	return max(0, float64(decays*float64(length))-spares)
}

// spare is how long a job that would be done at a time can wait and still be in
// time, to six decimals: what waits just as long loses nothing, not rounding.
func spare(j *market.Job, finish market.Time) float64 {
	const units = 1e6 // of a rank, in a second
	return math.Max(0, (j.Due()-finish).Rank()/units)
}

// decay is what a job loses with each second of delay.
func decay(j *market.Job) float64 {
	if !j.SLA.Deadline.Finite() {
		return 0
	}
	return float64(j.SLA.Penalty)
}

var _ Policy = (*firstReward)(nil)
