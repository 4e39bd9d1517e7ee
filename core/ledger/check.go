package ledger

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// change is what a transaction that was found possible will do beside its
// postings.
type change struct {
	payer    *node        // whose limits count it, and those of all above
	within   *node        // but not from this one on: the money stays below it
	reserved market.Money // how much more is held for its jobs
	spent    market.Money // how much more it has spent
	given    bool         // away, and not for a job
	hold     hold         // that the job has afterwards
	touched  [maxPostings]*node
}

// check says whether the transaction can be made true now. Operations and
// recovery both come through here, so that neither can write what the other
// would refuse. It changes nothing.
func (l *Ledger) check(tx *Tx) (change, error) {
	var c change
	if err := tx.checkForm(); err != nil {
		return c, err
	}
	if tx.At < l.at {
		return c, fmt.Errorf("%w: %s is before %s, when the last one was", ErrTime, exactStamp(tx.At), exactStamp(l.at))
	}
	if err := l.checkKind(tx, &c); err != nil {
		return c, err
	}
	if err := l.checkPostings(tx, &c); err != nil {
		return c, err
	}
	return c, c.checkCounters(monthOf(tx.At))
}

func (l *Ledger) checkKind(tx *Tx, c *change) error {
	switch tx.Kind {
	case KindOpen:
		return l.checkOpen(tx)
	case KindLimit:
		return l.checkLimit(tx)
	case KindClose:
		return l.checkClose(tx)
	case KindGrant, KindIncome, KindTransfer, KindPenalty, KindRefund:
		return l.checkMove(tx, c)
	case KindHold, KindRaise:
		return l.checkHold(tx, c)
	case KindCharge, KindRent, KindRelease:
		return l.checkSettle(tx, c)
	default:
		return fmt.Errorf("%w: kind %q", ErrForm, tx.Kind)
	}
}

// checkPostings finds the accounts of the postings and whether they can bear
// them.
func (l *Ledger) checkPostings(tx *Tx, c *change) error {
	for i := range tx.Postings {
		p := &tx.Postings[i]
		n, err := l.find(p.Account)
		if err != nil {
			return err
		}
		c.touched[i] = n
		balance := n.Free
		if p.Side == Held {
			balance = n.Held
		}
		after, err := balance.Plus(p.Amount)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Account, err)
		}
		if floor, bounded := floorOf(n, p.Side, tx.Kind); p.Amount < 0 && bounded && after < floor {
			return &Shortage{Account: p.Account, Wanted: -p.Amount, Have: max(0, saturated(balance, -floor))}
		}
	}
	return nil
}

// floorOf is how low a side may fall by a transaction of that kind. Credit is
// for jobs, not for giving away.
func floorOf(n *node, side Side, kind Kind) (floor market.Money, bounded bool) {
	switch {
	case side == Held:
		return 0, true
	case n.Path == Mint || n.Path == Allowances:
		return 0, false
	case n.Path == Owner:
		return 0, kind != KindPenalty && kind != KindRefund
	case kind == KindHold || kind == KindRaise:
		return -n.Credit, true
	}
	return 0, true
}

// checkCounters says whether the counters behind the limits would overflow.
func (c *change) checkCounters(month int32) error {
	for n := c.payer; n != c.within; n = n.up {
		if _, err := n.Reserved.Plus(c.reserved); err != nil {
			return fmt.Errorf("%s: held: %w", n.Path, err)
		}
		if _, err := n.spentIn(month).Plus(c.spent); err != nil {
			return fmt.Errorf("%s: spent: %w", n.Path, err)
		}
	}
	return nil
}

// carry makes true what was checked. It cannot fail.
func (l *Ledger) carry(tx *Tx, c *change) {
	for i := range tx.Postings {
		if tx.Postings[i].Account == Allowances { // it may be the first time
			l.accounts[Allowances] = c.touched[i]
		}
		if p := &tx.Postings[i]; p.Side == Free {
			c.touched[i].Free += p.Amount
		} else {
			c.touched[i].Held += p.Amount
		}
	}
	month := monthOf(tx.At)
	for n := c.payer; n != c.within; n = n.up {
		n.Reserved += c.reserved
		if c.spent != 0 {
			if n.Month != month {
				n.Sent = 0
			}
			if c.given {
				n.Sent += c.spent
			}
			n.Spent, n.Month = n.spentIn(month)+c.spent, month
		}
	}
	switch tx.Kind {
	case KindOpen:
		l.open(tx.Account)
	case KindLimit:
		n := l.accounts[tx.Account]
		n.Limit, n.Credit = tx.Limit, tx.Credit
	case KindClose:
		l.close(tx.Account)
	case KindHold:
		c.payer.jobs++
		l.holds[tx.Job] = c.hold
	case KindRaise:
		l.holds[tx.Job] = c.hold
	case KindCharge, KindRent, KindRelease:
		c.payer.jobs--
		delete(l.holds, tx.Job)
	default: // postings and counters are all there is to it
	}
	l.seq, l.at, l.head = tx.Seq, tx.At, tx.Hash
}
