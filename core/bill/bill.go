package bill

import (
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
)

// Version names the formulas by which bills are made under rules, of jobs with memory
// and disk that are paid by the time they are held or of others, with parts of a unit
// rounded up or down; it changes when one of them does.
func Version(r *rules.Rules, stored bool) string {
	switch {
	case stored && r.Paid() && r.Up():
		return "5"
	case r.Paid() && r.Up():
		return "4"
	case stored && r.Paid():
		return "3"
	case r.Paid():
		return "2"
	default:
		return "1"
	}
}

// Job is what was agreed with a job.
type Job struct {
	Price      market.Money // as agreed, for the work of the estimate
	Formula    string       // how that price came about, for people
	Storage    *Storage     // memory and disk beside it; nil: they have no price of their own
	Held       market.Money // kept for it: it is never charged more
	EstimateMS int64        // on each processor
	Due        market.Time  // Never: no deadline
	Promised   bool         // that it will be done by then
	Penalty    market.Money // a second after that
	Extensions []Extension
	Optional   *Optional // nil: it has no optional part
}

// Extension is work sold beyond the estimate.
type Extension struct {
	WorkMS int64        // on each processor
	Price  market.Money // for all of it; what is not used is not charged
}

// Optional is what a job may do beside what it must, paid for by what was
// executed (003).
type Optional struct {
	WorkMS     int64 // at most, on each processor
	Processors int
	Rate       market.Money // a second
}

// Way is how a job came to its end.
type Way uint8

// The ways.
const (
	Refused   Way = iota // never taken in
	Ended                // by itself, well or not
	Stopped              // over-ran its estimate and could get no more
	Cancelled            // by its user or the owner
	Expired              // waited in vain
	Lost                 // by no fault of its own
	Voided               // by the owner of the market, as if it had not been
)

// Ending is how a job ended, or would.
type Ending struct {
	Way        Way
	At         market.Time
	Since      market.Time // when it got its place
	Told       market.Time // when it was told to end; Never: it was not
	Begun      bool        // it had processors, and something of it ran
	Never, Of  int         // so many of its parts never began, by the word of their nodes: they owe nothing
	ByUser     bool        // its user ended it, without asking the market
	DeclinedMS int64       // of the time it was offered on each processor, what it did not want
	Gone       bool        // lost: with its node, or because nobody heard of it for longer than its lease, and too late to begin it anew
	// Most is what a loss may cost at most, because of what others on that node have
	// cost. nil: any.
	Most       *market.Money
	WorkMS     int64       // done on each of them; of a job with two parts, of the mandatory one
	OptionalMS int64       // executed of the optional part, on all of them
	Mandatory  market.Time // when its mandatory part was done; Never: it was not, or it has but one part
	UsedUp     market.Time // when it had used up its estimate and could get no more; Never: it had not

	// Fine is what the policy itself owes for lateness, where it is liable by its
	// own rules (001, 004).
	Fine market.Price
}

// Bill is what is owed.
type Bill struct {
	Charge   market.Money // by the user
	Penalty  market.Money // to the user
	Lines    []Line
	UsedMS   []int64      // of each extension that was charged
	Optional market.Money // what was executed of the optional part is worth
	Postings []Posting
}

// Net is what the job cost in the end.
func (b *Bill) Net() market.Money { return b.Charge - b.Penalty }

// Line is one amount of a receipt.
type Line struct {
	What    string       `json:"what"`
	Formula string       `json:"formula"` // with the numbers, so that it can be worked out by hand
	Amount  market.Money `json:"amount_micros"`
}

// Posting is what the ledger has to carry out.
type Posting struct {
	Kind   Kind
	Amount market.Money
}

// Kind is the kind of a posting.
type Kind uint8

// The kinds.
const (
	TakeHeld   Kind = iota // to the owner, from what is held for the job; the rest goes back
	PayPenalty             // from the owner, to the account that pays for the job
)

// Owed is the bill of a job.
func Owed(r *rules.Rules, j *Job, e *Ending) Bill {
	var b Bill
	if r.Paid() {
		b = chargeUsed(r, j, e)
	} else {
		b = charge(r, j, e)
	}
	if b.Charge > j.Held { // never more than was agreed to
		if r.Paid() {
			b.Lines = append(b.Lines, Line{What: "no more than was held for it", Formula: j.Held.String(), Amount: j.Held - b.Charge})
		}
		b.Charge = j.Held
	}
	b.Postings = append(b.Postings, Posting{Kind: TakeHeld, Amount: b.Charge})
	amount, late := Penalty(r, j, e, b.Charge)
	if amount > 0 {
		b.Penalty = amount
		b.Lines = append(b.Lines, penaltyLine(r, j, e, amount, late))
		b.Postings = append(b.Postings, Posting{Kind: PayPenalty, Amount: amount})
	} else if why := unpaid(r, j, e); why != "" {
		b.Lines = append(b.Lines, Line{What: unpaidWord + why, Formula: "0"})
	}
	return b
}
