package trade

import (
	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
)

// Bounds on quotes.
const (
	DefaultTTL = 60_000  // milliseconds
	MaxTTL     = 600_000 // milliseconds
	MaxQuotes  = 16      // open ones of one user, where the rules name no other number
)

// Quote is a price and a promise. A binding one keeps room for the job until
// it expires: submitted before, the job is taken at this price, with its
// deadline counted from then.
type Quote struct {
	ID          string  `json:"id,omitempty"`
	Owner       string  `json:"owner"`
	Request     Request `json:"request"`
	Price       int64   `json:"price_micros"`
	Binding     bool    `json:"binding"`
	Firm        bool    `json:"firm"`                   // the finish is promised
	FinishUS    int64   `json:"finish_us,omitempty"`    // at the latest, if the job were submitted now
	PredictedUS int64   `json:"predicted_us,omitempty"` // when it would be done as things stand
	Odds        float64 `json:"odds"`                   // how sure the deadline is, 0 to 1, from the promises of the past
	Share       float64 `json:"share"`                  // of each processor that is kept for it
	Width       int     `json:"width"`
	MadeUS      int64   `json:"made_us"`
	ExpiresUS   int64   `json:"expires_us,omitempty"`
	Formula     string  `json:"formula"`
	Policy      string  `json:"policy"`

	// What a binding quote keeps until it is taken, expires or is dropped: of the
	// account, of the cluster's processors, and what that costs a minute if it is
	// not taken.
	Held  int64   `json:"held_micros,omitempty"`
	Keeps float64 `json:"keeps,omitempty"`
	Rent  int64   `json:"rent_micros_per_minute,omitempty"`
	// Storage is what of the price is for memory and disk, where the market sells them.
	Storage *Storage `json:"storage,omitempty"`
	// NotBinding says why a quote is priced anew when it is taken.
	NotBinding string `json:"not_binding,omitempty"`

	// Where the policy knows optional parts (003): what the cluster expects to
	// earn with the job less what it does without it.
	Gain int64 `json:"gain_micros,omitempty"`
	// OptionalMost is what the optional part costs beside the price if all of it
	// is executed.
	OptionalMost int64 `json:"optional_micros,omitempty"`
	// Worked says in one line why the price is what it is; "" where it is a bid.
	Worked string `json:"worked,omitempty"`
}

// Refusal is the answer no: why, and what would be taken instead.
type Refusal struct {
	Reason string  `json:"reason"` // programs switch on it
	Detail string  `json:"detail"` // people read it
	Offers []Offer `json:"offers"`
	Job    int64   `json:"job,omitempty"` // the number under which a refused submission is kept
}

// Offer is a request a little different from the one refused, that would be
// taken now.
type Offer struct {
	Change string `json:"change"` // deadline, budget, processors
	Detail string `json:"detail"` // "deadline 12m instead of 5m, for 3.20"
	Quote  Quote  `json:"quote"`
}

// Receipt is the bill of a job, with all that is needed to work it out again
// by hand.
type Receipt struct {
	Job      int64          `json:"job"`
	Policy   string         `json:"policy"`
	Settings []Setting      `json:"settings"` // those that were in force
	Version  string         `json:"version"`  // of the formulas
	Formula  string         `json:"formula"`
	Inputs   []market.Input `json:"inputs"`
	Lines    []bill.Line    `json:"lines"`
	Charged  int64          `json:"charged_micros"`
	Penalty  int64          `json:"penalty_micros"`
	Net      int64          `json:"net_micros"` // what the job cost in the end
	IssuedUS int64          `json:"issued_us"`
	TxSeqs   []int64        `json:"transactions"` // in the ledger
}

// Setting is a lever of a policy as it was set.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Explanation says how a job stands, in words and in numbers.
type Explanation struct {
	Job         int64    `json:"job"`
	State       State    `json:"state"`
	Summary     string   `json:"summary"`
	Because     []string `json:"because"`
	Share       float64  `json:"share"`
	Need        float64  `json:"need"` // the share it must have to be in time
	PredictedUS int64    `json:"predicted_us,omitempty"`
	DueUS       int64    `json:"due_us,omitempty"`
	Odds        float64  `json:"odds"`
	OddsFrom    string   `json:"odds_from"` // what the odds are reckoned from
	Ahead       int      `json:"ahead"`     // jobs before it in the queue
	PenaltyNow  int64    `json:"penalty_micros"`
	CostNow     int64    `json:"cost_micros"`   // if it ended now, by itself or as it was told to
	CancelNow   int64    `json:"cancel_micros"` // if it were cancelled now

	Part       task.Part `json:"part,omitempty"`            // of a job that has two: the one it is with
	OptionalMS int64     `json:"optional_ms,omitempty"`     // executed of the optional part so far, on all processors
	Optional   int64     `json:"optional_micros,omitempty"` // what that is worth; part of the cost
}
