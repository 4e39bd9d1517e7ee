package policy

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// Policy is the contract between those who decide and the cluster, which makes
// it true.
type Policy interface {
	// Admit answers a job at the door. It only reads.
	Admit(v book.View, j *market.Job, a *Answer)
	// Plan writes what should change from now on.
	Plan(v book.View, d *book.Draft)
}

// Verdict is what a policy says to a job at the door.
type Verdict uint8

// The verdicts.
const (
	Refuse Verdict = iota // Answer.Reason says why
	Queue                 // wait on Answer.Terms; a plan will start or drop it
	Run                   // run from now on on Answer.Procs
)

// Answer is what Admit says. The cluster reuses it from job to job.
type Answer struct {
	Verdict Verdict
	Reason  market.Reason
	Terms   book.Terms
	Procs   market.Procs
	Working Working // of the price, where the job and the settings do not say it all
	Passing bool    // what is said holds now, and can not be kept for later

	// Where the policy knows optional parts: what the cluster gains with the
	// job, and when its mandatory part is done if nothing else arrives.
	Gain     market.Price
	Expected market.Time
}

func (a *Answer) refuse(why market.Reason) {
	a.Verdict, a.Reason = Refuse, why
}

func (a *Answer) queue(t book.Terms) {
	a.Verdict, a.Reason, a.Terms = Queue, market.NoReason, t
}

// run is said with Procs already filled in.
func (a *Answer) run(t book.Terms) {
	a.Verdict, a.Reason, a.Terms, a.Passing = Run, market.NoReason, t, false
}

// ChargesOffer reports whether a policy charges what a job offers, for further work too.
func ChargesOffer(p Policy) bool {
	o, does := p.(interface{ chargesOffer() bool })
	return does && o.chargesOffer()
}
