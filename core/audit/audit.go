package audit

import (
	"fmt"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/trade"
)

// Audit holds the books against the jobs that they are about: a chain of
// transactions may be whole and still say that a job was paid more than it cost. It
// is a fold: show it all transactions, then ask about jobs.
type Audit struct {
	last int64
	sums map[int64]booked
}

// booked is what the transactions of one job come to.
type booked struct{ charged, penalty market.Money }

// New is one that has seen nothing.
func New() *Audit { return &Audit{sums: map[int64]booked{}} }

// Tx takes the next transaction in.
func (a *Audit) Tx(tx *ledger.Tx) {
	a.last = tx.Seq
	if tx.Kind != ledger.KindCharge && tx.Kind != ledger.KindPenalty {
		return
	}
	sum := a.sums[tx.Job]
	for _, p := range tx.Postings {
		switch {
		case p.Account != ledger.Owner:
		case tx.Kind == ledger.KindCharge:
			sum.charged += p.Amount
		default:
			sum.penalty -= p.Amount
		}
	}
	a.sums[tx.Job] = sum
}

// Job says what is wrong with how a job was billed: its transactions come to what
// its receipt says, and it was not paid more than the rules allow under which it was
// billed. One that has not ended, or only since, has nothing to say.
func (a *Audit) Job(j *trade.Job) error {
	if !j.State.Final() {
		return nil
	}
	sum := a.sums[j.ID]
	if r := j.Receipt; r != nil {
		for _, seq := range r.TxSeqs {
			if seq > a.last {
				return nil
			}
		}
		if r.Charged != j.Charged || r.Penalty != j.Penalty {
			return fmt.Errorf("job %d: its receipt says %s charged and %s paid back, the job %s and %s", j.ID,
				market.Money(r.Charged), market.Money(r.Penalty), market.Money(j.Charged), market.Money(j.Penalty))
		}
	}
	if sum.charged != market.Money(j.Charged) || sum.penalty != market.Money(j.Penalty) {
		return fmt.Errorf("job %d: it was charged %s and paid back %s, its transactions come to %s and %s", j.ID,
			market.Money(j.Charged), market.Money(j.Penalty), sum.charged, sum.penalty)
	}
	if most, bounded := mostPenalty(j); bounded && sum.penalty > most {
		return fmt.Errorf("job %d: a penalty of %s for a charge of %s and a price of %s: %s at most", j.ID,
			sum.penalty, sum.charged, market.Money(j.Price), most)
	}
	return nil
}

// mostPenalty is what a job that has ended can have been paid back, where the rules
// on its receipt bound it.
func mostPenalty(j *trade.Job) (market.Money, bool) {
	if j.Receipt == nil {
		return 0, j.State == trade.Rejected
	}
	ruled := (&trade.EpochView{Settings: j.Receipt.Settings}).Rules()
	if !ruled.Paid() || ruled.PenaltyCap == rules.None {
		return 0, false
	}
	if j.State == trade.Lost {
		return market.Money(j.Price), true
	}
	return bill.Proportion(market.Money(j.Charged), int64(ruled.PenaltyCap), int64(rules.Whole)), true
}
