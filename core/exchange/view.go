package exchange

import (
	"iter"
	"slices"

	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// view is a job as it is now.
func (x *state) view(j *activeJob) trade.Job {
	v := j.Job
	if v.State.Final() {
		return v
	}
	v.Tasks = nil
	for rank := range j.programs() {
		r := j.first(rank)
		if r.Status != nil {
			v.Tasks = append(v.Tasks, *r.Status)
		} else {
			v.Tasks = append(v.Tasks, task.Status{
				Key: task.Key{Job: j.ID, Rank: rank, Attempt: j.Attempt}, State: task.Running, CPUUS: r.cpuUS(), StartedUS: j.StartedUS,
			})
		}
	}
	v.Timeline = slices.Clone(j.Timeline)
	if len(v.Timeline) == 0 && j.Share > 0 { // the answer to the command that starts it: the point is noted after that
		v.Timeline = []trade.Point{{AtUS: x.now, Share: j.Share}}
	}
	v.Extensions = slices.Clone(j.Extensions)
	v.Penalty = int64(x.penaltyNow(j))
	if j.Request.Optional != nil {
		v.OptionalMS, v.Optional = x.optionalNow(j), int64(x.owedNow(j).Optional)
	}
	v.Work = x.workNow(j)
	return v
}

// Job is a job under way.
func (x *state) Job(id int64) (trade.Job, bool) {
	if j := x.jobs[id]; j != nil {
		return x.view(j), true
	}
	return trade.Job{}, false
}

// Notice is what there is to say of a job under way in a few numbers.
func (x *state) Notice(id int64) trade.JobNotice {
	j := x.jobs[id]
	if j == nil {
		return trade.JobNotice{ID: id}
	}
	return trade.JobNotice{ID: id, Owner: j.Owner, State: j.State, Share: j.Share, Work: j.Work, Price: j.Price, Penalty: int64(x.penaltyNow(j))}
}

// Counts are the jobs under way, by state.
func (x *state) Counts() map[trade.State]int {
	counts := map[trade.State]int{}
	for _, j := range x.jobs {
		counts[j.State]++
	}
	return counts
}

func (x *state) accountView(a ledger.Account) trade.Account {
	v := trade.Account{
		Path: string(a.Path), Free: int64(a.Free), Held: int64(a.Held), Spent: int64(a.SpentIn(x.now)), Used: int64(a.Used(x.now)),
		Credit: int64(a.Credit), Closed: a.Closed, Users: x.accounts.Users(string(a.Path)),
	}
	if a.Limit != ledger.NoLimit {
		limit := int64(a.Limit)
		v.Limit = &limit
	}
	return v
}

// Owned is what an account owns, and how much of that is held; with all below
// it, if asked.
func (x *state) Owned(path string, subtree bool) (owned, held market.Money) {
	for _, a := range x.ledger.Accounts(market.Account(path)) {
		if subtree || string(a.Path) == path {
			owned, held = owned+a.Free+a.Held, held+a.Held
		}
	}
	return owned, held
}

// SpeedOfAll is the work a second of all processors that belong to the market,
// whether or not they are up.
func (x *state) SpeedOfAll() float64 {
	sum := 0.0
	for _, n := range x.nodes {
		if !n.Retired {
			sum += n.Rating * float64(n.Processors)
		}
	}
	return sum
}

// Speed is the work a second of all processors that are up.
func (x *state) Speed() float64 {
	return x.nodes.speed()
}

// LedgerHead is where the chain of the ledger ends.
func (x *state) LedgerHead() (seq int64, hash ledger.Hash) { return x.ledger.Head() }

// LedgerTotal is the sum of all accounts: zero.
func (x *state) LedgerTotal() market.Money { return x.ledger.Total() }

// LedgerState is the ledger as it is, to be compared with its log.
func (x *state) LedgerState() ledger.State { return x.ledger.State() }

// standing is the rate of work that a job needs from now on to be in time.
func (x *state) standing(j *activeJob) (need float64, here bool) {
	if len(j.Ranks) == 0 { // it waits: its place in the queue is dear to find
		return 0, false
	}
	t := x.time()
	stand, here := x.cluster.Status(market.JobID(j.ID), t)
	if !here || !stand.Running {
		return 0, here
	}
	left, period := max(0, float64(stand.Left)), float64(stand.Due-t)
	if !stand.Due.Finite() || stand.Refining {
		return 0, true
	}
	if period <= 0 {
		return 1, true
	}
	return left / period, true
}

// Preview is what a request would be answered now. Nothing changes.
func (x *state) Preview(by trade.Identity, r trade.Request) (trade.Outcome, error) {
	if err := r.ValidateTerms(); err != nil {
		return trade.Outcome{}, err
	}
	account, err := x.payer(by, r.Account)
	if err != nil {
		return trade.Outcome{}, err
	}
	j := &activeJob{Job: trade.Job{Owner: by.User, Account: account, Request: withProgram(r), SubmittedUS: x.now}}
	no := func(reason, detail string) trade.Outcome {
		return trade.Outcome{Refusal: &trade.Refusal{Reason: reason, Detail: detail, Offers: x.counterOffers(j, reason)}}
	}
	if why := x.onlyPrecise(&r); why != "" {
		return no(trade.ReasonImprecise, why), nil
	}
	if x.cluster == nil {
		return no(market.CannotMeetResources.String(), "no node has joined the cluster yet"), nil
	}
	q, ok := x.ask(j, r)
	if !ok {
		reason := x.whyNot(j, r)
		if reason == market.NoReason {
			return no(market.CannotMeetBudget.String(), nameBudget(x.epoch().Policy)), nil
		}
		return no(reason.String(), trade.RefusalText(reason)), nil
	}
	if reason, why := x.cannotPromise(&r, market.Money(q.Price), q.Width, 0); reason != "" {
		return no(reason, why), nil
	}
	if reason, why := x.cannotHold(account, x.mostCost(&r, market.Money(q.Price), q.Width)); reason != "" {
		return no(reason, why), nil
	}
	return trade.Outcome{Quote: &q}, nil
}

// whyNot is the reason for which a request is refused now.
func (x *state) whyNot(j *activeJob, r trade.Request) market.Reason {
	trial := &activeJob{Job: trade.Job{ID: x.next, Owner: j.Owner, Request: r}}
	_, err := x.cluster.Quote(x.time(), x.fitting(trial))
	return refusalOf(err)
}

// refusalOf is the reason of a refusal, if an answer is one.
func refusalOf(answer error) market.Reason {
	if rejected, ok := answer.(*market.Rejection); ok { //nolint:errorlint // the cluster returns it as it is
		return rejected.Reason
	}
	return market.NoReason
}

// Usage is how much of the cluster is given and promised now.
func (x *state) Usage() trade.Prices {
	e := x.epoch()
	p := trade.Prices{AtUS: x.now, Policy: e.Policy, Settings: e.Settings, Rates: e.Rates, Samples: []trade.PricePoint{}}
	for _, n := range x.nodes {
		if !n.Retired {
			p.Processors += n.Processors
		}
	}
	p.Up = x.nodes.processorsUp()
	if p.Up > 0 {
		n, keeps := x.quotes.kept()
		p.Quotes, p.Quoted = n, keeps/float64(p.Up)
	}
	for _, l := range x.taken() {
		if x.nodes[l.node].Up {
			p.Utilization += min(1, l.Share) / float64(p.Up)
			p.Kept += min(1, l.Kept) / float64(p.Up)
		}
	}
	return p
}

// Prices is what the market asks now.
func (x *state) Prices() trade.Prices {
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
func (x *state) sample(factor float64) trade.PricePoint {
	const minute = 60_000
	point := trade.PricePoint{Factor: factor, DeadlineMS: int64(factor * minute)}
	r := trade.Request{EstimateMS: minute, DeadlineMS: point.DeadlineMS}
	asked := x.fitting(&activeJob{Job: trade.Job{ID: x.next, Request: r}})
	core, err := x.cluster.Quote(x.time(), asked)
	if err != nil || !core.Price.Limited() {
		point.Refused = refusalOf(err).String()
		return point
	}
	point.Price = x.quoted(&r, int(asked.Width), core.Price)
	return point
}

// Record is how well promises were kept so far.
func (x *state) Record() trade.Track { return x.record }

// loads is what those who are on some processors need of each.
func (x *state) loads(procs market.Procs) map[int]float64 {
	load, last := map[int]float64{}, -1
	for proc := range procs.All() {
		index := x.nodes.of(proc)
		if index == last { // processors come by node
			continue
		}
		last = index
		for _, j := range x.nodes[index].tenants {
			if !j.holds(procs) {
				continue
			}
			need, _ := x.standing(j)
			for i := range j.Ranks {
				if r := &j.Ranks[i]; r.Node == index {
					load[int(r.Proc)] += need / x.nodes[index].Rating
				}
			}
		}
	}
	return load
}

// holds reports whether a job is on one of some processors.
func (j *activeJob) holds(procs market.Procs) bool {
	for i := range j.Ranks {
		if procs.Has(int(j.Ranks[i].Proc)) {
			return true
		}
	}
	return false
}

// predict is when a job would be done as things stand: at the share it needs
// and its part of what nobody else needs.
func (x *state) predict(asked *market.Job, core market.Quote) int64 {
	if core.Procs.Len() == 0 {
		return 0
	}
	if core.Expected > 0 {
		return x.unix(core.Expected)
	}
	load := x.loads(core.Procs)
	t := x.time()
	slowest := 0.0
	for proc := range core.Procs.All() {
		rating := x.nodes[x.nodes.of(proc)].Rating
		share := 1.0
		if d := asked.SLA.Deadline; d.Finite() && d > 0 {
			need := float64(asked.Estimate) / float64(d) / rating
			share = need / max(need+load[proc], 1e-9)
		} else if load[proc] > 0 {
			share = max(1e-6, 1-load[proc])
		}
		slowest = max(slowest, float64(asked.Estimate)/(min(1, share)*rating))
	}
	return x.unix(t + market.Time(slowest))
}

// Live goes through the jobs under way, in no order. They are to be looked at and
// not kept.
func (x *state) Live() iter.Seq[*trade.Job] {
	return func(yield func(*trade.Job) bool) {
		for _, j := range x.jobs {
			if !yield(&j.Job) {
				return
			}
		}
	}
}
