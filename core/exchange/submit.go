package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// submit takes in a job, or says why not.
func (x *door) submit(by trade.Identity, s *trade.Submit) (trade.Outcome, error) {
	if s.Quote != "" {
		return x.submitOnQuote(by, s)
	}
	return x.submitNew(by, s.Request, s.Settled)
}

// submitNew is a submission without a quote.
func (x *door) submitNew(by trade.Identity, r trade.Request, settled []trade.Settled) (trade.Outcome, error) {
	// 1. Check what is asked for, who pays, and whom it waits for: until here, nothing
	// has happened.
	if err := x.validate(&r); err != nil {
		return trade.Outcome{}, err
	}
	account, err := x.bank.payer(by, r.Account)
	if err != nil {
		return trade.Outcome{}, err
	}
	follows, err := x.jobs.Follow(by, &r, settled, x.now)
	if err != nil {
		return trade.Outcome{}, err
	}
	if err := x.price.sized(&r); err != nil {
		return trade.Outcome{}, err
	}
	// 2. Number it: from here on it is part of the history, taken or not.
	j := x.newJob(by, r, account)

	// 3. Refuse what need not be shown to the cluster.
	if reason, why := x.hopeless(j, follows.Broken); reason != "" {
		return x.refuse(j, reason, why), nil
	}

	// 4. Let it wait for others, or for its time, or ask the cluster.
	if r.Later() {
		if reason, why := x.never(j); reason != "" {
			return x.refuse(j, reason, why), nil
		}
	}
	if x.jobs.Waits(&r, &follows, x.now) {
		return x.waitForOthers(j, &follows)
	}
	return x.admit(j)
}

// hopeless is why no cluster could take a job: one that it waits for has failed, it
// asks for what the policy does not know, or nobody could pay for it.
func (x *door) hopeless(j *underway.Job, failed string) (reason, why string) {
	if failed != "" {
		return trade.ReasonDependency, failed
	}
	if why = x.price.onlyPrecise(&j.Request); why != "" {
		return trade.ReasonImprecise, why
	}
	if j.Request.Budget == nil && j.Account != "" { // what it costs is not known yet
		return "", ""
	}
	return x.bank.cannotHold(j.Account, x.price.mostCost(&j.Request, 0, nil, 0))
}

// newJob numbers a job. It is not under way yet.
func (x *door) newJob(by trade.Identity, r trade.Request, account string) *underway.Job {
	id := x.next
	x.next++
	r.NameOutputs()
	j := &underway.Job{Job: trade.Job{
		ID: id, Owner: by.User, Account: account, Name: r.Name, Request: r, SubmittedUS: x.now, Policy: x.epoch().Policy,
	}}
	if r.DeadlineMS > 0 {
		j.DueUS = x.now + (r.BeginMS+r.DeadlineMS)*1000
	}
	if j.Name == "" {
		j.Name = r.Called()
	}
	return j
}

// refuse says no to a job at the door, with what would be taken instead. The
// refusal is kept: it is part of the history.
func (x *door) refuse(j *underway.Job, reason, detail string) trade.Outcome {
	if j.State == "" {
		detail = underway.Refused(j, detail)
	}
	r := &trade.Refusal{Reason: reason, Detail: detail, Offers: x.offers(j, reason), Job: j.ID}
	if j.State == "" {
		j.State, j.Reason, j.Detail, j.EndedUS = trade.Rejected, reason, detail, x.now
		x.floor.over(j)
	}
	v := j.Job
	return trade.Outcome{Job: &v, Refusal: r}
}

// admit hands a job to the cluster, and pays for it what the answer asks.
func (x *door) admit(j *underway.Job) (trade.Outcome, error) {
	if x.cluster == nil {
		return x.refuse(j, market.CannotMeetResources.String(), "no node has joined the cluster yet"), nil
	}
	// 1. Fit it to the cluster, under the rules of today.
	was := j.Request.Partition
	if !x.rates.Place(&j.Request) { // it has waited, and the partition is gone
		return x.refuse(j, market.CannotMeetResources.String(), "partition "+was+" is not sold any more"), nil
	}
	j.Logged = j.Logged && j.Request.Partition == was // where partitions came, or went, meanwhile the log says so too
	asked := x.price.fitting(j)
	if why := x.unreserved(&j.Request, &asked); why != "" {
		return x.refuse(j, market.CannotMeetResources.String(), why), nil
	}
	j.Width, j.Era, j.Policy, j.Storage = int(asked.Width), len(x.epochs), x.epoch().Policy, x.price.storage(&asked, nil)

	// 2. Let the cluster decide. It knows the job by then: what it says is made true.
	x.jobs.Add(j)
	if err := x.floor.step(market.Event{Kind: market.Submitted, Job: asked.ID, Spec: &asked}); err != nil {
		x.jobs.Remove(j.ID)
		return trade.Outcome{}, err
	}
	if j.State == trade.Rejected {
		j.Reason, j.Detail = x.price.refusal(j, market.ReasonOf(j.Reason))
		j.Detail = underway.Refused(j, j.Detail)
		x.floor.over(j) // its row says so too
		return x.refuse(j, j.Reason, j.Detail), nil
	}

	// 3. Note how the price came about, now that it is known where it is; hold the money.
	if on := j.Procs(); j.Storage != nil && len(on) > 0 {
		j.Storage = x.price.storage(&asked, on)
	}
	x.price.noteWorking(j, &asked)
	return x.reserveFunds(j)
}

// unreserved is why a job that is in a reservation has no place in it as its nodes are now:
// it would wait for what may never come, and under some policies keep all behind it waiting.
func (x *door) unreserved(r *trade.Request, j *market.Job) string {
	if r.Reservation == "" {
		return ""
	}
	switch room := roster.Room(x.nodes.All(), j); {
	case room == 0:
		return "no node that could hold it, and that it may be on, is set aside for reservation " + r.Reservation + " now (" + r.Places() + ")"
	case room < int(j.Width):
		return fmt.Sprintf("it asks for %d processors, and what is set aside for reservation %s now has %d that could hold it (%s)", j.Width, r.Reservation, room, r.Places())
	}
	return ""
}

// reserveFunds holds the most that a job taken in can cost; who cannot pay is put out
// again.
func (x *door) reserveFunds(j *underway.Job) (trade.Outcome, error) {
	if j.State.Final() { // it has come and gone in this very instant
		return trade.Told(j.Job), nil
	}
	reason, why := x.payable(j)
	if reason != "" {
		j.End, j.Reason, j.Detail = trade.Rejected, reason, why
		if err := x.floor.step(market.Event{Kind: market.Cancelled, Job: market.JobID(j.ID)}); err != nil {
			return trade.Outcome{}, err
		}
		return x.refuse(j, reason, why), nil
	}
	x.floor.changed(j)
	return trade.Told(x.tell.view(j)), nil
}

// payable prices a job and holds the money; it says why it cannot.
func (x *door) payable(j *underway.Job) (reason, detail string) {
	price, err := x.price.amount(&j.Request, j.Width, j.Owed)
	switch {
	case err != nil && j.Owed.Limited():
		return market.CannotMeetBudget.String(), trade.TooDear
	case err != nil:
		return market.CannotMeetBudget.String(), nameBudget(x.epoch().Policy)
	}
	price = max(0, price) + j.Storage.Amount()
	if j.Price = int64(price); j.Storage.Over(&j.Request, price) {
		return x.price.refusal(j, market.CannotMeetBudget)
	}
	if j.Quote == "" { // else it was promised with the quote
		if reason, detail = x.price.cannotPromise(&j.Request, price, j.Storage, j.Width, j.ID); reason != "" {
			return reason, detail
		}
	}
	if err := x.floor.holdFunds(j); err != nil {
		if reason, detail = shortage(err); reason == "" {
			reason, detail = trade.ReasonFunds, err.Error()
		}
	}
	return reason, detail
}
