package ledger

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/libra-market/libra/core/market"
)

// Kind says what a transaction is for.
type Kind string

// The kinds of transactions. The first three have no postings; they are in the
// chain because what follows depends on them.
const (
	KindOpen     Kind = "open"      // an account, and those above it that are missing
	KindLimit    Kind = "limit"     // sets limit and credit of an account
	KindClose    Kind = "close"     // an empty account
	KindGrant    Kind = "grant"     // from the mint to an account
	KindIncome   Kind = "allowance" // from the market, to an account that has an allowance
	KindTransfer Kind = "transfer"  // free money from one account to another
	KindHold     Kind = "hold"      // sets money aside for a job
	KindRaise    Kind = "raise"     // sets more aside for a job
	KindCharge   Kind = "capture"   // takes the charge from a hold and gives back the rest
	KindRent     Kind = "rent"      // takes the rent of a quote that was not taken from its hold and gives back the rest
	KindRelease  Kind = "release"   // gives a hold back
	KindPenalty  Kind = "penalty"   // from the owner, for a broken promise
	KindRefund   Kind = "refund"    // from the owner, for a charge that was wrong
)

// Label is the kind in the word that people read for it everywhere. What is
// written, and chained by its hash, keeps the names above.
func (k Kind) Label() string {
	if k == KindCharge {
		return "charge"
	}
	return string(k)
}

// Quote is the quote whose rent a transaction is; "": it is none. The number of such
// a transaction is that which the job would have had, and no job has it. Before rents
// had a kind of their own they were charges with a memo, and jobs have none.
func (tx *Tx) Quote() string {
	if tx.Kind != KindRent && !(tx.Kind == KindCharge && tx.Memo != "") {
		return ""
	}
	return fmt.Sprintf("q%d", tx.Job)
}

// Side is one of the two pockets of an account.
type Side string

// The pockets: what can be spent, and what is set aside for jobs.
const (
	Free Side = "free"
	Held Side = "held"
)

// Posting adds an amount to one side of an account, or takes it away.
type Posting struct {
	Account market.Account `json:"account"`
	Side    Side           `json:"side"`
	Amount  market.Money   `json:"amount_micros"`
}

// NoJob is the job of a transaction that concerns none.
const NoJob int64 = -1

// NoLimit is the limit of an account that has none.
const NoLimit market.Money = -1

// Tx is one change of the ledger, whole or not at all.
type Tx struct {
	Seq      int64          `json:"seq"` // from 1, without gaps
	At       int64          `json:"at_us"`
	Kind     Kind           `json:"kind"`
	Job      int64          `json:"job"`     // NoJob: none
	Account  market.Account `json:"account"` // whom it concerns: who pays, gives or gets
	Memo     string         `json:"memo,omitempty"`
	Limit    market.Money   `json:"limit_micros,omitempty"`  // of KindLimit; NoLimit: none
	Credit   market.Money   `json:"credit_micros,omitempty"` // of KindLimit
	Rule     Rule           `json:"rule,omitempty"`          // of KindTransfer and KindPenalty
	Postings []Posting      `json:"postings,omitempty"`
	Hash     Hash           `json:"hash"` // of all this, and of the transaction before
}

// Rule is how a transaction counts in what was spent in a month. Each keeps the
// one under which it was made: added up again, it counts as it did.
type Rule int8

const (
	// RuleFirst is that of the first versions: what is given away is not spent, and
	// a penalty is taken off what was.
	RuleFirst Rule = 0
	// RuleGiven counts what is given away, so that a limit holds for it too, and
	// lets a penalty be: it does not make unspent what was spent.
	RuleGiven Rule = 1
)

const (
	maxPostings = 2*maxDepth + 1 // a capture from every account on the way up, and the owner
	maxMemo     = 1000           // bytes
)

// checkForm says what is wrong with a transaction whatever the ledger holds.
func (tx *Tx) checkForm() error {
	if err := checkTime(tx.At); err != nil {
		return err
	}
	if err := checkMemo(tx.Memo); err != nil {
		return err
	}
	if len(tx.Postings) > maxPostings {
		return fmt.Errorf("%w: %d postings (want at most %d)", ErrForm, len(tx.Postings), maxPostings)
	}
	if tx.Kind != KindLimit && (tx.Limit != 0 || tx.Credit != 0) {
		return fmt.Errorf("%w: %s with a limit", ErrForm, tx.Kind)
	}
	if tx.Rule != RuleFirst && (tx.Rule != RuleGiven || tx.Kind != KindTransfer && tx.Kind != KindPenalty) {
		return fmt.Errorf("%w: %s by rule %d", ErrForm, tx.Kind, tx.Rule)
	}
	var sum market.Money
	for _, p := range tx.Postings {
		if p.Amount == 0 || p.Side != Free && p.Side != Held {
			return fmt.Errorf("%w: %s to side %q of %s", ErrForm, p.Amount, p.Side, p.Account)
		}
		var err error
		if sum, err = sum.Plus(p.Amount); err != nil {
			return fmt.Errorf("%w: %w", ErrSum, err)
		}
	}
	if sum != 0 {
		return fmt.Errorf("%w: %s is left over", ErrSum, sum)
	}
	return tx.checkJob()
}

func (tx *Tx) checkJob() error {
	switch tx.Kind {
	case KindHold, KindRaise, KindCharge, KindRent, KindRelease:
		if tx.Job < 0 {
			return fmt.Errorf("%w: %d", ErrJob, tx.Job)
		}
	case KindPenalty, KindRefund:
		if tx.Job < NoJob {
			return fmt.Errorf("%w: %d", ErrJob, tx.Job)
		}
	case KindOpen, KindLimit, KindClose, KindGrant, KindIncome, KindTransfer:
		if tx.Job != NoJob {
			return fmt.Errorf("%w: %s for job %d", ErrForm, tx.Kind, tx.Job)
		}
	default:
		return fmt.Errorf("%w: kind %q", ErrForm, tx.Kind)
	}
	return nil
}

// checkMemo refuses what would not come back from a database or a JSON log as
// it went in: the hash would no longer match.
func checkMemo(memo string) error {
	if len(memo) > maxMemo {
		return fmt.Errorf("%w: %d bytes (want at most %d)", ErrMemo, len(memo), maxMemo)
	}
	if !utf8.ValidString(memo) {
		return fmt.Errorf("%w: %q is not UTF-8", ErrMemo, memo)
	}
	for _, r := range memo {
		if unicode.IsControl(r) {
			return fmt.Errorf("%w: %q has a control character in it", ErrMemo, memo)
		}
	}
	return nil
}
