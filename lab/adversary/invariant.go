package adversary

import (
	"fmt"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/trade"
)

// fail notes that an invariant does not hold.
func (w *world) fail(which, what string, args ...any) {
	w.broken = append(w.broken, fmt.Sprintf("(%s) at %.3f s: ", which, float64(w.now-start)/1e6)+fmt.Sprintf(what, args...))
}

// check is what must hold after every command.
func (w *world) check(c *trade.Command, fx *exchange.Effects) {
	if total := w.x.LedgerTotal(); total != 0 {
		w.fail("books", "the books sum to %s after %s", total, c.Kind())
	}
	for i := range fx.Jobs {
		if j := &fx.Jobs[i]; j.State == trade.Lost {
			w.amends[j.ID] = j.Penalty
		}
	}
	w.checkMoney(c)
	w.checkQuotes()
	for i := range fx.Jobs {
		if j := &fx.Jobs[i]; j.State.Final() && j.State != trade.Rejected {
			w.checkBill(j)
		}
	}
}

// checkMoney: (a) users have no more than owners granted, but for what is owed to
// whose job went down with its node; no account is below its floor.
func (w *world) checkMoney(c *trade.Command) {
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
	amends := int64(0)
	for _, paid := range w.amends {
		amends += paid
	}
	if have > w.granted+amends {
		w.fail("a", "users have %s, were granted %s and paid %s for lost jobs, after %s", market.Money(have), market.Money(w.granted), market.Money(amends), c.Kind())
	}
}

// checkBill is what must hold for a job that has just ended.
func (w *world) checkBill(j *trade.Job) {
	most := j.Charged
	if j.State == trade.Lost {
		most = j.Price
	}
	if j.Penalty > most {
		w.fail("b", "job %d of %s (%s): a penalty of %s for a charge of %s", j.ID, j.Owner, j.State, market.Money(j.Penalty), market.Money(j.Charged))
	}
	if j.State == trade.Lost || j.Attempt > 0 || w.faulty[j.ID] {
		return // what it took before its node was lost is nobody's bill
	}
	if w.honest[j.Owner] {
		w.checkHonest(j)
	}
	if least := int64(w.took[j.ID]*w.floor()+w.stored(w.kept[j.ID])) - w.tolerance(j.ID); j.Charged < least {
		w.fail("c", "job %d of %s (%s) took %.3f processor seconds and held %.0f MB seconds and is charged %s, less than %s", j.ID, j.Owner, j.State,
			w.took[j.ID], w.kept[j.ID], market.Money(j.Charged), market.Money(least))
	}
}

// checkHonest: the bill of an honest user is what was agreed, by what the job
// used of it, whatever others do; only lateness, which is not its doing, makes it
// less.
func (w *world) checkHonest(j *trade.Job) {
	estimate := float64(j.Request.EstimateMS) / 1e3
	used := min(1, w.took[j.ID]/float64(j.Width)/estimate)
	unused := float64(w.trade.Unused) / float64(rules.Whole)
	want := float64(j.WorkPrice()) * (used + float64(unused*(1-used)))
	slack := float64(w.tolerance(j.ID)) + float64(j.Price)*0.002/estimate // work is counted in milliseconds
	if m := j.Storage; m != nil {                                         // by the time it was held, which counts from the moment it was placed
		const moment = 2000.
		held := w.kept[j.ID] / float64(j.Request.MemoryMB) / float64(j.Width) * 1e3 / float64(m.TimeMS)
		want += float64(m.Price) * (held + float64(unused*max(0, 1-held)))
		slack += float64(m.Price) * moment / float64(m.TimeMS)
	}
	if got := float64(j.Charged); got > want+slack || got < want-slack {
		w.fail("honest", "job %d of %s: agreed for %s, used %.4f of it, charged %s and not %.6f", j.ID, j.Owner, market.Money(j.Price), used, market.Money(j.Charged), want/1e6)
	}
}

// checkWidths: (d) a job of n processors costs what n jobs of one cost at the same
// moment.
func (w *world) checkWidths(widest int) {
	price := func(width int) int64 {
		v := wish{work: 10, deadline: 40, width: width}
		return w.quoted(ask(&v, v.work))
	}
	one := price(1)
	for n := 2; n <= widest; n++ {
		if got := price(n); got < int64(n)*(one-1) || got > int64(n)*(one+1) {
			w.fail("d", "one processor costs %s, %d cost %s", market.Money(one), n, market.Money(got))
		}
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
