package adversary

import (
	"fmt"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/market"
)

// quoteSeen is an open quote as it was made.
type quoteSeen struct {
	quote exchange.Quote
}

// fail notes that an invariant does not hold.
func (w *world) fail(which, what string, args ...any) {
	w.broken = append(w.broken, fmt.Sprintf("(%s) at %.3f s: ", which, float64(w.now-start)/1e6)+fmt.Sprintf(what, args...))
}

// check is what must hold after every command.
func (w *world) check(c *exchange.Command, fx *exchange.Effects) {
	if total := w.x.LedgerTotal(); total != 0 {
		w.fail("books", "the books sum to %s after %s", total, c.Kind())
	}
	w.checkMoney(c)
	for i := range fx.Jobs {
		if j := &fx.Jobs[i].Job; j.State.Final() && j.State != exchange.Rejected {
			w.checkBill(j)
		}
	}
}

// checkMoney: (a) users have no more than owners granted; no account is below its
// floor.
func (w *world) checkMoney(c *exchange.Command) {
	have := int64(0)
	for _, a := range w.x.Accounts("") {
		if a.Path[0] == '@' {
			continue
		}
		have += a.Free + a.Held
		if a.Free < -a.Credit || a.Held < 0 {
			w.fail("floor", "%s has %s free and %s held after %s", a.Path, market.Money(a.Free), market.Money(a.Held), c.Kind())
		}
	}
	if have > w.granted {
		w.fail("a", "users have %s and were granted %s, after %s", market.Money(have), market.Money(w.granted), c.Kind())
	}
}

// checkBill is what must hold for a job that has just ended.
func (w *world) checkBill(j *exchange.Job) {
	most := j.Charged
	if j.State == exchange.Lost {
		most = j.Price
	}
	if j.Penalty > most {
		w.fail("b", "job %d of %s (%s): a penalty of %s for a charge of %s", j.ID, j.Owner, j.State, market.Money(j.Penalty), market.Money(j.Charged))
	}
	if j.State == exchange.Lost || w.faulty[j.ID] {
		return
	}
	if least := int64(w.took[j.ID]*w.floor()) - w.tolerance(j.ID); j.Charged < least {
		w.fail("c", "job %d of %s (%s) took %.3f processor seconds and is charged %s, less than %s", j.ID, j.Owner, j.State,
			w.took[j.ID], market.Money(j.Charged), market.Money(least))
	}
}

// finish is what must hold when nothing is under way any more.
func (w *world) finish() {
	if len(w.broken) > 0 {
		return
	}
	if n := w.x.Underway(); n > 0 {
		w.fail("end", "%d jobs are still under way: %v", n, w.x.Counts())
		return
	}
	for _, a := range w.x.Accounts("") {
		if a.Held != 0 {
			w.fail("end", "%s still has %s held", a.Path, market.Money(a.Held))
		}
	}
}
