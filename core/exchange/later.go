package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// errLater is the answer to who wants a price for a job that is not to begin now.
var errLater = market.Wrong("begin_ms", "none, and no hold, with a quote: it is for a job that can begin now")

// never is why a job that begins later will not be taken then, as far as that can be known
// now: there is not what it asks for, or its deadline is too short even alone.
func (x *door) never(j *underway.Job) (reason, why string) {
	if x.cluster == nil {
		return "", ""
	}
	r := j.Request // it is not known yet which nodes are reserved then
	switch why := x.price.whyNot(j, r); {
	case why == market.CannotMeetResources, r.DeadlineMS > 0 && r.Alone(x.nodes) > r.DeadlineMS && why == market.CannotMeetDeadline:
		return x.price.refusal(j, why)
	}
	return "", ""
}

// beginDue lets those begin whose time has come, if they wait for nothing else.
func (x *door) beginDue() {
	for _, id := range x.jobs.TakeBegins(x.now) {
		x.beginIfReady(x.jobs.Find(id), false)
	}
}

func (x *door) beginIfReady(j *underway.Job, let bool) {
	if j != nil && j.State == trade.Held && j.Ready(x.now) && !x.jobs.KeptOut(j, x.nodes, x.now, let) {
		x.floor.touched.Job(j.ID, journal.Whole)
		x.floor.todo = append(x.floor.todo, followUp{job: j, next: begins, let: let})
	}
}

// begin lets a job begin that its user held back, or as soon as it may.
func (x *door) begin(by trade.Identity, b *trade.Begin) (trade.Outcome, error) {
	j := x.jobs.Find(b.Job)
	switch {
	case j == nil || by.Role != trade.RoleOwner && j.Owner != by.User:
		return trade.Outcome{}, fmt.Errorf("job %d: %w, or it has ended", b.Job, trade.ErrUnknown)
	case by.Role != trade.RoleOwner && j.Account != "" && !x.accounts.Of(by.User).May(j.Account): // any more
		return trade.Outcome{}, fmt.Errorf("job %d: account %s: %w: cancel it", b.Job, j.Account, trade.ErrForbidden)
	case !j.OnHold && !(b.Let && x.jobs.Wants(j.ID)):
		return trade.Outcome{}, fmt.Errorf("job %d: %w: it is not on hold", b.Job, trade.ErrConflict)
	}
	j.OnHold = false
	x.floor.touched.Job(j.ID, journal.Whole)
	x.floor.changed(j)
	x.beginIfReady(j, b.Let)
	if err := x.followUp(); err != nil {
		return trade.Outcome{}, err
	}
	return trade.Told(x.tell.view(j)), nil
}
