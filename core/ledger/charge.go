package ledger

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// Charge takes the charge for a job from what is held for it, in the order of
// the parts, gives it to the owner and the rest back to those it came from. The
// charge may be nothing, but not more than is held. Nothing is left of the
// hold, so that a job can be charged once.
func (l *Ledger) Charge(at, job int64, charge market.Money) (Tx, error) {
	h, there := l.holds[job]
	if !there {
		return Tx{}, fmt.Errorf("%w: %d", ErrNoHold, job)
	}
	if charge < 0 {
		return Tx{}, fmt.Errorf("%w: charge of %s (want 0 or more)", market.ErrAmount, charge)
	}
	if held := total(h.parts); charge > held {
		return Tx{}, fmt.Errorf("%w: charge of %s for job %d, held %s", ErrBeyondHold, charge, job, held)
	}
	return l.closeHold(Tx{At: at, Kind: KindCharge, Job: job}, h, charge)
}

// Rent takes for room that was kept and not used what it costs from what is held
// for it, and gives the rest back, as [Ledger.Charge] does for a job.
func (l *Ledger) Rent(at, job int64, rent market.Money, memo string) (Tx, error) {
	h, there := l.holds[job]
	if !there {
		return Tx{}, fmt.Errorf("%w: %d", ErrNoHold, job)
	}
	if held := total(h.parts); rent < 0 || rent > held {
		return Tx{}, fmt.Errorf("%w: rent of %s for %d, held %s", ErrBeyondHold, rent, job, held)
	}
	return l.closeHold(Tx{At: at, Kind: KindRent, Job: job, Memo: memo}, h, rent)
}

// Release gives all that is held for a job back.
func (l *Ledger) Release(at, job int64) (Tx, error) {
	h, there := l.holds[job]
	if !there {
		return Tx{}, fmt.Errorf("%w: %d", ErrNoHold, job)
	}
	return l.closeHold(Tx{At: at, Kind: KindRelease, Job: job}, h, 0)
}

func (l *Ledger) closeHold(tx Tx, h hold, charge market.Money) (Tx, error) {
	tx.Account = h.payer.Path
	tx.Postings = make([]Posting, 0, 2*len(h.parts)+1)
	left := charge
	for _, p := range h.parts {
		charged := min(left, p.Amount)
		left -= charged
		tx.Postings = append(tx.Postings, Posting{Account: p.Account, Side: Held, Amount: -p.Amount})
		if rest := p.Amount - charged; rest > 0 {
			tx.Postings = append(tx.Postings, Posting{Account: p.Account, Side: Free, Amount: rest})
		}
	}
	if charge > 0 {
		tx.Postings = append(tx.Postings, Posting{Account: Owner, Side: Free, Amount: charge})
	}
	return l.enter(tx)
}

// checkSettle asks for all parts of the hold to leave the held side, for no
// more to come back to an account than it had set aside, and for the owner to
// get what does not, if it is a capture.
func (l *Ledger) checkSettle(tx *Tx, c *change) error {
	h, there := l.holds[tx.Job]
	if !there {
		return fmt.Errorf("%w: %d", ErrNoHold, tx.Job)
	}
	if h.payer.Path != tx.Account {
		return fmt.Errorf("%w: %s for job %d of %s by %s", ErrForm, tx.Kind, tx.Job, h.payer.Path, tx.Account)
	}
	left := tx.Postings
	for _, part := range h.parts {
		if len(left) == 0 || left[0].Account != part.Account || left[0].Side != Held {
			return fmt.Errorf("%w: %s of job %d without the part of %s", ErrForm, tx.Kind, tx.Job, part.Account)
		}
		if left[0].Amount < -part.Amount {
			return fmt.Errorf("%w: %s of job %d takes %s, %s has set %s aside",
				ErrBeyondHold, tx.Kind, tx.Job, -left[0].Amount, part.Account, part.Amount)
		}
		if left[0].Amount != -part.Amount {
			return fmt.Errorf("%w: %s of job %d leaves some of the part of %s", ErrForm, tx.Kind, tx.Job, part.Account)
		}
		left = left[1:]
		if len(left) > 0 && left[0].Account == part.Account {
			if left[0].Side != Free || left[0].Amount < 0 || left[0].Amount > part.Amount {
				return fmt.Errorf("%w: %s of job %d gives %s back to %s", ErrForm, tx.Kind, tx.Job, left[0].Amount, part.Account)
			}
			left = left[1:]
		}
	}
	if len(left) > 0 && tx.Kind != KindRelease && left[0].Account == Owner && left[0].Side == Free && left[0].Amount > 0 {
		c.spent = left[0].Amount
		left = left[1:]
	}
	if len(left) > 0 {
		if _, known := l.accounts[left[0].Account]; !known {
			return fmt.Errorf("%w: %q", ErrUnknown, left[0].Account)
		}
		return fmt.Errorf("%w: %s of job %d posts to %s", ErrForm, tx.Kind, tx.Job, left[0].Account)
	}
	c.payer, c.reserved = h.payer, -total(h.parts)
	return nil
}
