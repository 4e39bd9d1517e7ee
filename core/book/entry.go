package book

import "github.com/libra-market/libra/core/market"

// Entry is what the book says of one job while it lives. Policies read it. It is six lines
// of memory, and what is read together lies on one: of a queue that is too long for the
// nearest memory, a job that starts is waited for line by line.
type Entry struct {
	// What a plan reads of everybody.

	// Progress of a job that advances as one; see LeftAt.
	Left   market.Work // of the estimate, at Since
	Since  market.Time
	Speed  float64 // work per second on each processor
	houses []int32 // those it resides in

	state       state
	fresh       bool  // waits, but has no place in the indexes yet
	choosy      bool  // not every processor will do
	plain       bool  // asks for nothing but processors
	alone       bool  // holds its processors alone
	independent bool  // its tasks advance independently
	reserved    bool  // holds its processors and does not run yet
	bestEffort  bool  // its promise is void
	presumed    bool  // nobody has measured how far it is
	behind      bool  // it gets less than it needs
	guest       bool  // it shares processors and has no deadline
	astray      bool  // it was measured, and will end at another time than endsAt
	at          int32 // place in the list of running jobs

	// What is written when it starts.

	Procs     market.Procs
	Start     market.Time // when it first got processor time
	endsAt    market.Time
	tasks     int32       // of those that advance independently, how many still run
	alongside Slot        // next free slot
	worked    market.Work // by its finished tasks
	refined   market.Work // optional work of its finished tasks, together

	Terms Terms

	// Three lines, of which the last is read of few.

	Job    market.Job
	priced market.Work // the estimate that the price was agreed for
	_      [16]byte
}

// Terms is what was agreed when a job was taken in.
type Terms struct {
	Price       market.Price  `json:"price"`
	Finish      market.Time   `json:"finish_s"`           // promised; Never: nothing is
	Claim       market.Share  `json:"claim"`              // the least share of a processor kept for it
	Rank        market.Number `json:"rank,omitempty"`     // place in the queue: smaller first, then the smaller ID
	Latest      market.Time   `json:"latest_s,omitempty"` // when it has waited in vain
	Worth       market.Number `json:"worth,omitempty"`    // to the cluster, if it is in time
	Fine        market.Number `json:"fine,omitempty"`     // taken off Worth for each second of delay
	Liable      bool          `json:"liable,omitempty"`   // its penalty comes off the price when it is late
	Independent bool          `json:"apart,omitempty"`    // its tasks advance independently of each other
	Flat        bool          `json:"flat,omitempty"`     // the price is for its mandatory part, however long that takes
	Firm        bool          `json:"firm,omitempty"`
}

type state uint8

const (
	free state = iota
	waiting
	running
)

// Due is the instant at which the job must be finished.
func (e *Entry) Due() market.Time { return e.Job.Submit + e.Job.SLA.Deadline }

// Reserved reports whether the job only keeps its place: it does not advance,
// and its deadline has not begun.
func (e *Entry) Reserved() bool { return e.reserved }

// Priced is the estimate that the price was agreed for: the one it came with.
func (e *Entry) Priced() market.Work { return e.priced }

// BestEffort reports whether what was promised to the job is void.
func (e *Entry) BestEffort() bool { return e.bestEffort }

// LeftAt is the work left of the estimate at a time not before Since.
func (e *Entry) LeftAt(now market.Time) market.Work {
	return e.Left - market.Work(float64(float64(now-e.Since)*e.Speed))
}

// Cost is what the job costs if it finishes at the given time: its price, and
// what its finished tasks did of their optional parts.
func (e *Entry) Cost(finish market.Time) market.Price {
	price := e.Terms.Price + market.Price(float64(e.refined)*float64(e.Job.SLA.Bonus))
	if late := finish - e.Due(); e.Terms.Liable && late > 0 {
		return price - market.Price(float64(late)*float64(e.Job.SLA.Penalty))
	}
	return price
}
