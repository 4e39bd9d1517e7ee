package broker

import (
	"fmt"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/estimate"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/wish"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/wire"
)

// trip is one job on its way to a cluster:
//
//  1. ask for quotes, and put them in the order of the objective;
//  2. write down who shall have it, under which key;
//  3. hand it over; who did not answer is asked again, with the same key, until
//     it is known whether it has the job;
//  4. write down that it has, with the answer to the user; or go on with the next.
type trip struct {
	b   *Broker
	f   *flight
	key api.Key

	w      *want
	e      *entry // nil: nothing is written down yet
	quote  string // of the broker's, that the user takes
	nos    []no
	waited bool // somebody had to be waited for, so the quotes of the others are old
}

// begin places a new job.
func (t *trip) begin(by trade.Identity, s v1.SubmitRequest) (o api.Outcome, again bool, err error) {
	// Whoever had the key before may have ended a moment ago.
	if o, again, err = t.b.answered(t.b.ctx, t.key); again || err != nil {
		return o, again, err
	}
	t.b.mu.Lock()
	before := t.b.unplaced[keyName(&t.key)]
	t.b.mu.Unlock()
	if before != nil && t.key.Given() { // it was begun, and could not be written to its end
		if !before.flying.CompareAndSwap(false, true) {
			return o, false, trade.ErrUnavailable
		}
		t.e = before
		o, err = t.resume()
		return o, false, err
	}
	if s.Quote != "" {
		o, err = t.submitOnQuote(by, s)
		return o, false, err
	}
	if err = wire.Validate(&s.Request); err != nil {
		return o, false, err
	}
	if t.w, err = t.b.prepare(t.b.ctx, by, s.Request, false); err != nil {
		return o, false, err
	}
	if t.w.broken != "" {
		t.nos = []no{{reason: v1.ReasonDependency, detail: t.w.broken}}
		o, err = t.refuse()
		return o, false, err
	}
	o, err = t.run(nil)
	return o, false, err
}

// resume goes on with a job that was written down.
func (t *trip) resume() (api.Outcome, error) {
	known := t.e.now()
	request, err := t.b.request(t.b.ctx, t.e.id)
	if err != nil {
		return api.Outcome{}, err
	}
	request.DeadlineMS = t.left(&known, request.DeadlineMS)
	by := trade.Identity{User: known.Job.Owner, Role: trade.RoleUser}
	if t.w, err = t.b.prepare(t.b.ctx, by, request, false); err != nil {
		return t.lose("it cannot be placed any more: " + err.Error())
	}
	if known.Cluster == "" {
		return t.run(known.Tried)
	}
	t.w.account, t.w.follow, t.w.request.DeadlineMS = known.Account, known.follows(), known.Deadline
	s := t.b.seller(known.Cluster)
	if s == nil || s.login(by.User) == nil {
		return t.lose(fmt.Sprintf("it was handed to %s, which is not behind this broker any more", known.Cluster))
	}
	taken, err := t.deliver(s.login(by.User), true)
	if taken || err != nil {
		return t.f.out, err
	}
	if known.Fixed {
		return t.refuse()
	}
	t.nos = nil
	return t.run(known.Tried)
}

// left is what is left of the deadline of a job that goes to another cluster.
// Where nothing is left, its user still wants it: it gets the whole again.
func (t *trip) left(known *facts, deadline int64) int64 {
	if deadline == 0 || len(known.Tried) == 0 {
		return deadline
	}
	if rest := (known.Job.DueUS - t.b.now()) / 1000; rest > 0 {
		return rest
	}
	return deadline
}

// run asks and hands over until somebody has the job or nobody wants it.
func (t *trip) run(skip []string) (api.Outcome, error) {
	for range 2 {
		t.waited = false
		ask, nos := t.w.candidates(skip)
		t.nos = nos
		taken, err := t.round(ask)
		if taken || err != nil {
			return t.f.out, err
		}
		if !t.waited {
			break
		}
	}
	return t.refuse()
}

// round asks each once.
func (t *trip) round(ask []*login) (taken bool, err error) {
	if t.w.follow.any() { // a quote is for a job that can begin now
		for _, l := range ask {
			if taken, err := t.hand(&bid{from: l}); taken || err != nil {
				return taken, err
			}
		}
		return false, nil
	}
	call := t.w.binding(quoteLife)
	if t.w.order.wish == wish.First {
		for _, l := range ask {
			bids, nos := t.b.gather(t.b.ctx, []*login{l}, true, call)
			t.nos = append(t.nos, nos...)
			if taken, err := t.each(bids); taken || err != nil {
				return taken, err
			}
		}
		return false, nil
	}
	bids, nos := t.b.gather(t.b.ctx, ask, true, call)
	t.nos = append(t.nos, nos...)
	rank(t.w.order.wish, bids)
	return t.each(bids)
}

// each hands the job to the best, and to the next where that one will not have
// it after all.
func (t *trip) each(bids []bid) (taken bool, err error) {
	for i := range bids {
		taken, err := t.hand(&bids[i])
		bids[i].from.release()
		if taken || err != nil {
			t.b.release(bids[i+1:])
			return taken, err
		}
	}
	return false, nil
}

// hand writes down who shall have the job, and hands it over.
func (t *trip) hand(to *bid) (taken bool, err error) {
	set := func(f *facts) bool {
		if f.Job.State.Final() { // its user was faster
			return false
		}
		f.Cluster, f.Nonce, f.Remote, f.HandedUS = to.from.seller.name, newNonce(), 0, t.b.now()
		f.Quote, f.Quoted, f.Optional = to.quote.ID, -1, to.quote.OptionalMost
		if to.quote.Firm && to.quote.ID != "" {
			f.Quoted = to.quote.Price
		}
		f.Account, f.Deadline = t.w.account, t.w.request.DeadlineMS
		f.setFollow(t.w.follow)
		f.Job.Account = t.w.by.User + "/" + to.from.seller.name + t.w.below
		f.Job.State, f.Job.Price, f.Job.Width, f.Job.Policy = v1.Queued, to.quote.Price, to.quote.Width, clipped(to.quote.Policy)
		return true
	}
	if t.e == nil {
		f := t.facts()
		set(&f)
		if t.e, err = t.b.enter(f, &t.w.request, nil); err != nil {
			return false, closed(err)
		}
	} else if err = t.b.change(t.e, set); err != nil {
		return false, closed(err)
	} else if t.over() {
		return t.givenUp()
	}
	return t.deliver(to.from, false)
}

// facts are what is known of a job that was just asked for.
func (t *trip) facts() facts {
	now, r := t.b.now(), &t.w.request
	f := facts{Key: t.key, Fixed: t.w.named || t.quote != "" || t.w.follow.any(), Resubmit: t.w.order.resubmit}
	f.Job = v1.Job{
		Owner: t.w.by.User, Account: t.w.by.User, Name: jobName(r), Program: estimate.Program(r.Argv, r.Script != "", r.Env), State: v1.Queued, Request: lean(r), SubmittedUS: now, Quote: t.quote,
	}
	if r.DeadlineMS > 0 {
		f.Job.DueUS = now + r.DeadlineMS*1000
	}
	return f
}

// over reports whether the user has given the job up meanwhile.
func (t *trip) over() bool {
	f := t.e.now()
	return f.Job.State.Final()
}

// givenUp ends the trip of a job that its user has cancelled.
func (t *trip) givenUp() (taken bool, err error) {
	t.f.out = api.Outcome{Job: t.b.view(t.e)}
	return true, nil
}
