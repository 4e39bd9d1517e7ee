package bill

import "github.com/libra-market/libra/core/market"

// Rules are what an owner may choose of how bills are made.
type Rules struct {
	Version string // changes when one of the formulas does

	// What work costs that was reserved and not used: of a job that ended by
	// itself or was stopped, and of one that its user cancelled.
	Unused, UnusedCancelled Part
}

// Part is a part of an amount, in millionths.
type Part int64

// Whole is all of an amount.
const Whole Part = 1_000_000

// Standard are the rules in force: a job that ran to its end owes its price
// whatever it used of it; one that was cancelled owes for what it had.
func Standard() Rules { return Rules{Version: "1", Unused: Whole, UnusedCancelled: 0} }

// Job is what was agreed with a job.
type Job struct {
	Price      market.Money // as agreed, for the estimate
	Formula    string       // how that price came about, for people
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
	Begun      bool        // it had processors
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
	What    string
	Formula string // with the numbers, so that it can be worked out by hand
	Amount  market.Money
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
func Owed(r Rules, j *Job, e *Ending) Bill {
	b := charge(r, j, e)
	b.Charge = min(b.Charge, j.Held) // never more than was agreed to
	b.Postings = append(b.Postings, Posting{Kind: TakeHeld, Amount: b.Charge})
	amount, late := Penalty(r, j, e)
	if amount > 0 {
		b.Penalty = amount
		b.Lines = append(b.Lines, penaltyLine(j, amount, late))
		b.Postings = append(b.Postings, Posting{Kind: PayPenalty, Amount: amount})
	}
	return b
}
