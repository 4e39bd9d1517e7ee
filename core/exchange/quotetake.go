package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// submitOnQuote submits a job on a quote.
func (x *Exchange) submitOnQuote(by Identity, s *Submit) (Outcome, error) {
	q := x.quotes.find(s.Quote)
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
	j.QuotedUS, j.Era, j.Policy = q.MadeUS, x.eraOf(q)+1, q.Policy
	j.ID, j.Quote, j.Owed, j.Width, j.Working = q.Job, q.ID, q.Owed, q.Width, q.Working
	if !x.holds(q) { // what it holds becomes what is held for the job
		if reason, why := x.cannotHold(q.Account, x.mostCost(&r, market.Money(q.Price), q.Width)); reason != "" {
			return Outcome{Refusal: &Refusal{Reason: reason, Detail: why, Offers: []Offer{}}}, nil // the quote stands
		}
	}
	x.removeQuote(q)
	x.jobs[j.ID] = j
	if err := x.step(market.Event{Kind: market.Confirmed, Job: market.JobID(j.ID)}); err != nil {
		delete(x.jobs, j.ID)
		x.quotes.add(q)
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
