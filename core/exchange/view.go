package exchange

import (
	"iter"
	"slices"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// view is a job as it is now.
func (x *teller) view(j *underway.Job) trade.Job {
	v := j.Job
	if v.State.Final() {
		return v
	}
	v.Starting, v.Detail = x.starting(j), v.Detail+x.jobs.Told(j)
	v.Tasks = nil
	for rank := range j.Placed() {
		r := j.First(rank)
		if r.Status != nil {
			v.Tasks = append(v.Tasks, *r.Status)
		} else {
			s := task.Status{
				Key: task.Key{Job: j.ID, Rank: rank, Attempt: j.Attempt}, State: task.Running, CPUUS: r.CPUSeenUS(), StartedUS: j.StartedUS,
				DeclinedUS: j.DeclinedUS(r, x.nodes.At(r.Node).Speed), PeakBytes: r.PeakB,
			}
			if x.rulesOf(j).Paid() && !r.HasBegun() && r.SeenUS == 0 { // nobody has said so yet
				s.State, s.StartedUS = task.Starting, 0
			}
			v.Tasks = append(v.Tasks, s)
		}
	}
	v.Timeline = slices.Clone(j.Timeline)
	if len(v.Timeline) == 0 && j.Share > 0 { // the answer to the command that starts it: the point is noted after that
		v.Timeline = []trade.Point{{AtUS: x.now, Share: j.Share}}
	}
	if v.Extensions = slices.Clone(j.Extensions); len(v.Extensions) > 0 {
		for i, used := range x.owed.usedNow(j) {
			if i < len(v.Extensions) { // what it has taken beyond them is no extension yet
				v.Extensions[i].UsedMS = used
			}
		}
	}
	v.Penalty = int64(x.owed.penaltyNow(j))
	if j.Request.Optional != nil {
		v.OptionalMS, v.Optional = x.owed.optionalNow(j), int64(x.owed.owedNow(j).Optional)
	}
	v.Work = x.owed.workNow(j)
	return v
}

// starting reports whether a job was ordered to run and no node has said that it does.
func (x *teller) starting(j *underway.Job) bool {
	return j.State == trade.Running && x.rulesOf(j).Paid() && !j.HasBegun()
}

// Job is a job under way.
func (x *teller) Job(id int64) (trade.Job, bool) {
	if j := x.jobs.Find(id); j != nil {
		v := x.view(j)
		if !v.State.Final() { // it is not written down, for it is never the same
			v.CostNow = int64(x.owed.owedNow(j).Charge)
		}
		return v, true
	}
	return trade.Job{}, false
}

// glance is a job under way in a few numbers: all that a notice of it says.
func (x *teller) glance(j *underway.Job) trade.Job {
	return trade.Job{ID: j.ID, Owner: j.Owner, State: j.State, Starting: x.starting(j), Share: j.Share, Work: j.Work, Price: j.Price, Penalty: int64(x.owed.penaltyNow(j))}
}

// Counts are the jobs under way, by state.
func (x *teller) Counts() map[trade.State]int { return x.jobs.Counts() }

// SpeedOfAll is the work a second of all processors that belong to the market,
// whether or not they are up.
func (x *teller) SpeedOfAll() float64 { return x.nodes.SpeedOfAll() }

// Speed is the work a second of all processors that are up.
func (x *teller) Speed() float64 { return x.nodes.Speed() }

// Preview is what a request would be answered now, and one that begins later if it began
// now. Nothing changes.
func (x *teller) Preview(by trade.Identity, r trade.Request) (trade.Outcome, error) {
	if err := r.ValidateTerms(); err != nil {
		return trade.Outcome{}, err
	}
	r = r.AtOnce()
	account, err := x.bank.payer(by, r.Account)
	if err != nil {
		return trade.Outcome{}, err
	}
	if account == "" {
		account, _ = x.income.Awaits(by, x.ledger, x.accounts)
	}
	if err := x.price.sized(&r); err != nil {
		return trade.Outcome{}, err
	}
	j := &underway.Job{Job: trade.Job{Owner: by.User, Account: account, Request: r.WithProgram(), SubmittedUS: x.now}}
	no := func(reason, detail string) trade.Outcome {
		return trade.Outcome{Refusal: &trade.Refusal{Reason: reason, Detail: detail, Offers: x.price.counterOffers(j, reason)}}
	}
	if why := x.price.onlyPrecise(&r); why != "" {
		return no(trade.ReasonImprecise, why), nil
	}
	if x.cluster == nil {
		return no(market.CannotMeetResources.String(), "no node has joined the cluster yet"), nil
	}
	q, ok := x.price.ask(j, r)
	if !ok {
		reason := x.price.whyNot(j, r)
		if reason == market.NoReason {
			return no(market.CannotMeetBudget.String(), nameBudget(x.epoch().Policy)), nil
		}
		return no(x.price.refusal(j, reason)), nil
	}
	if reason, why := x.price.cannotPromise(&r, market.Money(q.Price), q.Storage, q.Width, 0); reason != "" {
		return no(reason, why), nil
	}
	if reason, why := x.bank.cannotHold(account, x.price.mostCost(&r, market.Money(q.Price), q.Storage, q.Width)); reason != "" {
		return no(reason, why), nil
	}
	return trade.Outcome{Quote: &q}, nil
}

// Usage is how much of the cluster is given and promised now.
func (x *teller) Usage() trade.Prices {
	e := x.epoch()
	p := trade.Prices{AtUS: x.now, Policy: e.Policy, Settings: e.Settings, Rates: e.Rates, Samples: []trade.PricePoint{}}
	for _, n := range x.nodes.All() {
		if !n.Retired {
			p.Processors += n.Processors
		}
	}
	p.Up = x.nodes.ProcessorsUp()
	if p.Up > 0 {
		n, keeps := x.quotes.Kept()
		p.Quotes, p.Quoted = n, keeps/float64(p.Up)
	}
	for _, l := range x.taken() {
		if x.nodes.At(l.node).Up {
			p.Utilization += min(1, l.Share) / float64(p.Up)
			p.Kept += min(1, l.Kept) / float64(p.Up)
		}
	}
	return p
}

// Prices is what the market asks now.
func (x *teller) Prices() trade.Prices {
	p := x.Usage()
	if x.cluster == nil {
		return p
	}
	for _, factor := range []float64{1, 1.5, 2, 3, 5, 8, 12, 24} {
		p.Samples = append(p.Samples, x.sample(factor))
	}
	return p
}

// sample is what a minute costs that may take so many. It is a quote without what
// is dear to find, such as when it would be done.
func (x *teller) sample(factor float64) trade.PricePoint {
	const minute = 60_000
	point := trade.PricePoint{Factor: factor, DeadlineMS: int64(factor * minute)}
	r := trade.Request{EstimateMS: minute, DeadlineMS: point.DeadlineMS, Partition: x.rates.Usual()}
	if least := x.price.leastBid(&r, 1); least > 0 { // who bids nothing is told nothing
		r.Budget, point.From = &least, true
	}
	asked := x.price.fitting(&underway.Job{Job: trade.Job{ID: x.next, Request: r}})
	core, err := x.price.quote(&r, asked)
	if err != nil || !core.Price.Limited() {
		point.Refused, point.From = refusalOf(err).String(), false
		return point
	}
	point.Price = x.price.quoted(&r, int(asked.Width), core.Price)
	return point
}

// Record is how well promises were kept so far.
func (x *teller) Record() trade.Track { return x.record }

// Live goes through the jobs under way, in no order. They are to be looked at and
// not kept.
func (x *teller) Live() iter.Seq[*trade.Job] {
	return func(yield func(*trade.Job) bool) {
		for j := range x.jobs.All() {
			if !yield(&j.Job) {
				return
			}
		}
	}
}

// Quote finds an open quote.
func (x *teller) Quote(id string) (trade.Quote, bool) {
	if q := x.quotes.Find(id); q != nil {
		return q.Quote, true
	}
	return trade.Quote{}, false
}
