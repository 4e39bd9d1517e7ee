package exchange

import (
	"container/heap"
	"errors"
	"fmt"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// heldQuote is a quote somebody may come back to. A binding and firm one holds room
// in the cluster under the job number that it will have.
type heldQuote struct {
	Quote

	Account  string       `json:"account"`
	Job      int64        `json:"job"` // number of the reservation
	Reserved bool         `json:"reserved"`
	Refused  string       `json:"refused,omitempty"`
	Owed     market.Price `json:"owed"`
	Working  Working      `json:"working"`
	Procs    market.Procs `json:"procs,omitempty"`
}

// Bounds on quotes.
const (
	DefaultTTL = 60_000  // milliseconds
	MaxTTL     = 600_000 // milliseconds
	MaxQuotes  = 16      // open ones of one user
)

// quote gives a price that binds until it expires.
func (x *Exchange) quote(by Identity, a *AskQuote) (Outcome, error) {
	r := a.Request
	err := x.validateTerms(&r)
	if err == nil && r.HasProgram() {
		err = r.validateProgram()
	}
	if err != nil {
		return Outcome{}, err
	}
	if a.TTLMS < 0 || a.TTLMS > MaxTTL {
		return Outcome{}, bad("ttl_ms", fmt.Sprintf("at most %d", MaxTTL))
	}
	account, err := x.payer(by, r.Account)
	if err != nil {
		return Outcome{}, err
	}
	if n := x.quotesOf(by.User); n >= MaxQuotes {
		return Outcome{}, fmt.Errorf("%w: %d quotes are open; take or cancel one first", ErrConflict, n)
	}
	ttl := a.TTLMS
	if ttl == 0 {
		ttl = DefaultTTL
	}
	j := x.newJob(by, withProgram(r), account)
	if why := x.onlyPrecise(&r); why != "" {
		return x.refuseQuote(j, ReasonImprecise, why), nil
	}
	if x.cluster == nil {
		return x.refuseQuote(j, market.CannotMeetResources.String(), "no node has joined the cluster yet"), nil
	}
	asked := x.fitting(j)
	j.Width = int(asked.Width)
	q := &heldQuote{Account: account, Job: j.ID, Quote: Quote{
		ID: fmt.Sprintf("q%d", j.ID), Owner: by.User, Request: r, Binding: true, MadeUS: x.now, ExpiresUS: x.now + ttl*1000,
		Width: int(asked.Width), Policy: x.epoch().Policy,
	}}
	core, err := x.cluster.Quote(x.time(), asked)
	if rejected := (*market.Rejection)(nil); errors.As(err, &rejected) {
		return x.refuseQuote(j, rejected.Reason.String(), refusalText(rejected.Reason)), nil
	} else if err != nil {
		return Outcome{}, err
	}
	x.prepareWorking(j, &asked)
	q.Working = j.Working
	if !core.Price.Limited() {
		return x.refuseQuote(j, market.CannotMeetBudget.String(), nameBudget(x.epoch().Policy)), nil
	}
	x.fill(q, &asked, core)
	if reason, why := x.cannotPromise(&r, market.Money(q.Price), q.Width, 0); reason != "" {
		return x.refuseQuote(j, reason, why), nil
	}
	if reason, why := x.cannotHold(account, x.mostCost(&r, market.Money(q.Price), q.Width)); reason != "" {
		return x.refuseQuote(j, reason, why), nil
	}
	if core.Firm {
		q.Reserved = true
		x.quotes[q.ID], x.reserved[q.Job] = q, q
		if err := x.step(market.Event{Kind: market.Reserved, Job: asked.ID, Spec: &asked}); err != nil {
			x.removeQuote(q)
			return Outcome{}, err
		}
		if q.Refused != "" {
			x.removeQuote(q)
			return x.refuseQuote(j, q.Refused, "the market has moved"), nil
		}
	}
	x.quotes[q.ID] = q
	x.touched.quote(q.ID)
	x.expiry.push(q.ExpiresUS, q.ID)
	v := q.Quote
	return Outcome{Quote: &v}, nil
}

// nameBudget says what is wrong with a job that names no budget where that is
// the price.
func nameBudget(policy string) string {
	return "under " + policy + " a job costs what it is worth: name a budget"
}

// withProgram lets a request without a program be numbered like any other.
func withProgram(r Request) Request {
	if !r.HasProgram() {
		r.Argv = []string{"?"}
	}
	return r
}

func (x *Exchange) refuseQuote(j *activeJob, reason, detail string) Outcome {
	return Outcome{Refusal: &Refusal{Reason: reason, Detail: detail, Offers: x.offers(j, reason)}}
}

// fill completes a quote with what the core answered.
func (x *state) fill(q *heldQuote, asked *market.Job, core market.Quote) {
	q.Firm, q.Owed, q.Procs = core.Firm, core.Price, core.Procs
	if price, err := x.inPieces(&q.Request, q.Width, core.Price).Money(); err == nil {
		q.Price = int64(max(0, price))
	}
	if core.Firm {
		q.FinishUS = x.unix(core.Finish)
	}
	if d := asked.SLA.Deadline; d.Finite() && d > 0 && core.Firm {
		q.Share = min(1, float64(asked.Estimate)/float64(d))
	}
	q.PredictedUS = x.predict(asked, core)
	q.Odds, _ = x.record.odds(core.Firm)
	q.Formula = q.Working.Formula
	if gain, err := core.Gain.Money(); err == nil {
		q.Gain = int64(gain)
	}
	q.OptionalMost = int64(q.Request.optionalTerms().Most())
}

// reservation is the quote that holds room under a job number.
func (x *state) reservation(job int64) *heldQuote {
	if len(x.quotes) == 0 {
		return nil
	}
	q := x.reserved[job]
	if q == nil || !q.Reserved {
		return nil
	}
	return q
}

// applyToQuote notes what the core says of a job that nobody has taken yet.
func (x *Exchange) applyToQuote(q *heldQuote, e *market.Event) {
	switch e.Kind {
	case market.Rejected, market.Stopped:
		q.Refused, q.Reserved = e.Reason.String(), false
	case market.Accepted:
		q.Owed = e.Price
		q.Procs = append(q.Procs[:0], e.Procs...)
	default: // it holds room and runs nowhere
	}
}

// submitOnQuote submits a job on a quote.
func (x *Exchange) submitOnQuote(by Identity, s *Submit) (Outcome, error) {
	q := x.quotes[s.Quote]
	if q == nil || q.Owner != by.User {
		return Outcome{}, fmt.Errorf("quote %s: %w, or it has expired: ask for a new one", s.Quote, ErrUnknown)
	}
	r, err := merge(q.Request, s.Request)
	if err != nil {
		return Outcome{}, err
	}
	if err := x.validate(&r); err != nil {
		return Outcome{}, err
	}
	if !q.Reserved {
		x.removeQuote(q)
		o, err := x.submitNew(by, r, s.Settled)
		if o.Job != nil {
			o.Job.Quote = s.Quote
		}
		return o, err
	}
	if len(r.After) > 0 {
		return Outcome{}, bad("after", "none with a quote: it is for a job that can begin now")
	}
	j := x.newJob(by, r, q.Account)
	x.next--
	j.QuotedUS, j.Era, j.Policy = q.MadeUS, x.eraAt(q.MadeUS)+1, q.Policy
	j.ID, j.Quote, j.Owed, j.Width, j.Working = q.Job, q.ID, q.Owed, q.Width, q.Working
	if reason, why := x.cannotHold(q.Account, x.mostCost(&r, market.Money(q.Price), q.Width)); reason != "" {
		return Outcome{Refusal: &Refusal{Reason: reason, Detail: why, Offers: []Offer{}}}, nil // the quote stands
	}
	x.removeQuote(q)
	x.jobs[j.ID] = j
	if err := x.step(market.Event{Kind: market.Confirmed, Job: market.JobID(j.ID)}); err != nil {
		return Outcome{}, err
	}
	return x.reserveFunds(j)
}

// merge puts a program to the terms of a quote. Terms that differ are refused:
// they are not what was quoted.
func merge(quoted, given Request) (Request, error) {
	terms := given
	r := quoted
	if given.HasProgram() {
		r.Argv, r.Script, r.Dir, r.Env, r.Output, r.Error = given.Argv, given.Script, given.Dir, given.Env, given.Output, given.Error
	}
	if given.Optional != nil && quoted.Optional != nil {
		r.Optional = given.Optional // the same terms, with a program
	}
	if given.Name != "" {
		r.Name = given.Name
	}
	if given.Overrun != "" {
		r.Overrun = given.Overrun
	}
	r.NoRestart = r.NoRestart || given.NoRestart
	if len(given.Tags) > 0 {
		r.Tags = given.Tags
	}
	if given.GraceMS != 0 {
		r.GraceMS = given.GraceMS
	}
	if len(given.After) > 0 {
		r.After = given.After
	}
	for _, f := range []struct {
		name    string
		differs bool
	}{
		{"estimate_ms", terms.EstimateMS != 0 && terms.EstimateMS != quoted.EstimateMS},
		{"deadline_ms", terms.DeadlineMS != 0 && terms.DeadlineMS != quoted.DeadlineMS},
		{"budget_micros", terms.Budget != nil && (quoted.Budget == nil || *terms.Budget != *quoted.Budget)},
		{"threads", terms.Threads != 0 && terms.threads() != quoted.threads()},
		{"processors", terms.Processors != 0 && terms.Procs() != quoted.Procs()},
		{"penalty_micros_per_s", terms.PenaltyMicros != 0 && terms.PenaltyMicros != quoted.PenaltyMicros},
		{"memory_mb", terms.MemoryMB != 0 && terms.MemoryMB != quoted.MemoryMB},
		{"disk_mb", terms.DiskMB != 0 && terms.DiskMB != quoted.DiskMB},
		{"account", terms.Account != "" && terms.Account != quoted.Account},
		{"optional", terms.Optional != nil && !terms.Optional.sameTerms(quoted.Optional)},
		{"array", terms.Array != nil && (quoted.Array == nil || *terms.Array != *quoted.Array)},
	} {
		if f.differs {
			return Request{}, bad(f.name, "what the quote says, or nothing")
		}
	}
	return r, nil
}

// cancelQuote cancels a quote.
func (x *Exchange) cancelQuote(by Identity, id string) (Outcome, error) {
	q := x.quotes[id]
	if q == nil || by.Role != RoleOwner && q.Owner != by.User {
		return Outcome{}, fmt.Errorf("quote %s: %w, or it has expired", id, ErrUnknown)
	}
	v := q.Quote
	return Outcome{Quote: &v}, x.expireQuote(id)
}

// expireQuote ends a quote that nobody took.
func (x *Exchange) expireQuote(id string) error {
	q := x.quotes[id]
	if q == nil {
		return nil
	}
	if !q.Reserved || x.cluster == nil {
		x.removeQuote(q)
		return nil
	}
	err := x.step(market.Event{Kind: market.Cancelled, Job: market.JobID(q.Job)})
	x.removeQuote(q)
	return err
}

// removeQuote forgets a quote.
func (x *Exchange) removeQuote(q *heldQuote) {
	x.touched.quote(q.ID)
	delete(x.quotes, q.ID)
	delete(x.reserved, q.Job)
}

// Quote finds an open quote.
func (x *state) Quote(id string) (Quote, bool) {
	if q := x.quotes[id]; q != nil {
		return q.Quote, true
	}
	return Quote{}, false
}

// quotesOf counts the binding quotes that a user has open.
func (x *state) quotesOf(user string) int {
	n := 0
	for _, q := range x.quotes {
		if q.Owner == user && q.Binding {
			n++
		}
	}
	return n
}

// expiries is a queue of quotes by the time at which they expire.
type expiries struct{ soonest expiryHeap }

type expiry struct {
	At int64  `json:"at"`
	ID string `json:"id"`
}

type expiryHeap []expiry

func (h expiryHeap) Len() int { return len(h) }
func (h expiryHeap) Less(i, k int) bool {
	if h[i].At != h[k].At {
		return h[i].At < h[k].At
	}
	return strings.Compare(h[i].ID, h[k].ID) < 0
}
func (h expiryHeap) Swap(i, k int) { h[i], h[k] = h[k], h[i] }
func (h *expiryHeap) Push(v any)   { *h = append(*h, v.(expiry)) }
func (h *expiryHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func (e *expiries) push(at int64, id string) { heap.Push(&e.soonest, expiry{At: at, ID: id}) }

func (e *expiries) first() (int64, bool) {
	if len(e.soonest) == 0 {
		return 0, false
	}
	return e.soonest[0].At, true
}

// pop takes out a quote that expires by a time.
func (e *expiries) pop(by int64) (string, bool) {
	if at, some := e.first(); !some || at > by {
		return "", false
	}
	return heap.Pop(&e.soonest).(expiry).ID, true
}
