package ledger

import (
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// Part is what one account has set aside of a hold.
type Part struct {
	Account market.Account `json:"account"`
	Amount  market.Money   `json:"amount_micros"`
}

// Hold is what is set aside for a job.
type Hold struct {
	Job     int64          `json:"job"`
	Account market.Account `json:"account"` // who pays
	At      int64          `json:"at_us"`   // when it was first held
	Parts   []Part         `json:"parts"`   // whose money it is: the payer's first, then upwards
}

// Amount is all that is held for the job.
func (h Hold) Amount() market.Money { return total(h.Parts) }

func (h Hold) equal(other Hold) bool {
	return h.Job == other.Job && h.Account == other.Account && h.At == other.At && slices.Equal(h.Parts, other.Parts)
}

// hold is a Hold as the ledger keeps it. Its parts are never written to, only
// replaced.
type hold struct {
	payer *node
	at    int64
	parts []Part
}

func (h hold) show(job int64) Hold {
	return Hold{Job: job, Account: h.payer.Path, At: h.at, Parts: append([]Part{}, h.parts...)}
}

func total(parts []Part) (sum market.Money) {
	for _, p := range parts {
		sum += p.Amount // checked when the parts were put together
	}
	return sum
}

// Hold sets money aside for a job: the account's own first, then that of those
// above it, the nearest first, and only when all of that is gone their credit
// in the same order. Where it is not enough there is a [*Shortage], and where a
// limit of the account or of one above it stands against it, an [*OverLimit].
func (l *Ledger) Hold(at, job int64, account market.Account, amount market.Money) (Tx, error) {
	payer, err := l.findOrdinary(account)
	if err != nil {
		return Tx{}, err
	}
	if _, there := l.holds[job]; there {
		return Tx{}, fmt.Errorf("%w: %d", ErrHeld, job)
	}
	if amount < 0 {
		return Tx{}, fmt.Errorf("%w: %s of %s (want 0 or more)", market.ErrAmount, KindHold, amount)
	}
	return l.setAside(Tx{At: at, Kind: KindHold, Job: job, Account: account}, payer, amount)
}

// Raise sets more money aside for a job, found in the same way.
func (l *Ledger) Raise(at, job int64, more market.Money) (Tx, error) {
	h, there := l.holds[job]
	if !there {
		return Tx{}, fmt.Errorf("%w: %d", ErrNoHold, job)
	}
	if more <= 0 {
		return Tx{}, fmt.Errorf("%w: %s of %s (want more than 0)", market.ErrAmount, KindRaise, more)
	}
	return l.setAside(Tx{At: at, Kind: KindRaise, Job: job, Account: h.payer.Path}, h.payer, more)
}

func (l *Ledger) setAside(tx Tx, payer *node, amount market.Money) (Tx, error) {
	if err := checkTime(tx.At); err != nil {
		return Tx{}, err
	}
	if err := payer.checkLimits(monthOf(tx.At), amount, nil); err != nil {
		return Tx{}, err
	}
	taken, left := drawFrom(payer, amount)
	if left > 0 {
		return Tx{}, &Shortage{Account: payer.Path, Wanted: amount, Have: amount - left}
	}
	for i, n := 0, payer; n != nil; i, n = i+1, n.up {
		if taken[i] > 0 {
			tx.Postings = append(tx.Postings,
				Posting{Account: n.Path, Side: Free, Amount: -taken[i]},
				Posting{Account: n.Path, Side: Held, Amount: taken[i]})
		}
	}
	return l.enter(tx)
}

// drawFrom says how much of the amount each account gives, from the payer upwards,
// and how much nobody has.
func drawFrom(payer *node, amount market.Money) (taken [maxDepth]market.Money, left market.Money) {
	left = amount
	for i, n := 0, payer; n != nil && left > 0; i, n = i+1, n.up {
		taken[i] = min(left, max(0, n.Free))
		left -= taken[i]
	}
	// All money on the way up is gone: now, and not before, into debt.
	for i, n := 0, payer; n != nil && left > 0; i, n = i+1, n.up {
		more := min(left, n.credit())
		taken[i] += more
		left -= more
	}
	return taken, left
}

// checkHold asks for pairs of postings, from free to held, of accounts on the
// way up from the payer, each at most once.
func (l *Ledger) checkHold(tx *Tx, c *change) error {
	payer, err := l.findOrdinary(tx.Account)
	if err != nil {
		return err
	}
	h, there := l.holds[tx.Job]
	switch {
	case tx.Kind == KindHold && there:
		return fmt.Errorf("%w: %d", ErrHeld, tx.Job)
	case tx.Kind == KindHold:
		h = hold{payer: payer, at: tx.At}
	case !there:
		return fmt.Errorf("%w: %d", ErrNoHold, tx.Job)
	case h.payer != payer:
		return fmt.Errorf("%w: %s for job %d of %s by %s", ErrForm, tx.Kind, tx.Job, h.payer.Path, payer.Path)
	case len(tx.Postings) == 0:
		return fmt.Errorf("%w: %s of nothing", ErrForm, tx.Kind)
	}
	if len(tx.Postings)%2 != 0 {
		return fmt.Errorf("%w: %s with %d postings", ErrForm, tx.Kind, len(tx.Postings))
	}
	parts := make([]Part, 0, len(tx.Postings)/2)
	n := payer
	for i := 0; i < len(tx.Postings); i += 2 {
		from, to := &tx.Postings[i], &tx.Postings[i+1]
		if from.Side != Free || to.Side != Held || from.Account != to.Account || to.Amount < 0 || from.Amount != -to.Amount {
			return fmt.Errorf("%w: %s of %s", ErrForm, tx.Kind, from.Account)
		}
		for n != nil && n.Path != to.Account {
			n = n.up
		}
		if n == nil {
			if _, known := l.accounts[to.Account]; !known {
				return fmt.Errorf("%w: %q", ErrUnknown, to.Account)
			}
			return fmt.Errorf("%w: %s of money of %s, not next on the way up from %s", ErrForm, tx.Kind, to.Account, payer.Path)
		}
		n = n.up
		parts = append(parts, Part{Account: to.Account, Amount: to.Amount})
		if c.reserved, err = c.reserved.Plus(to.Amount); err != nil {
			return err
		}
	}
	if _, err := total(h.parts).Plus(c.reserved); err != nil {
		return fmt.Errorf("held for job %d: %w", tx.Job, err)
	}
	h.parts = merge(h.parts, parts)
	c.payer, c.hold = payer, h
	return nil
}

// merge puts the parts together in the order of the way up, which is that of
// the lengths of their paths.
func merge(before, more []Part) []Part {
	if len(before) == 0 {
		return more
	}
	merged := append(slices.Clone(before), more...)
	slices.SortStableFunc(merged, func(a, b Part) int { return len(b.Account) - len(a.Account) })
	kept := merged[:1]
	for _, p := range merged[1:] {
		if last := &kept[len(kept)-1]; last.Account == p.Account {
			last.Amount += p.Amount
		} else {
			kept = append(kept, p)
		}
	}
	return kept
}
