package exchange

import (
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// dependencies sorts out for which of the jobs named a new one has to wait;
// broken says which of them has ended otherwise than it was to.
func (x *door) dependencies(by trade.Identity, r *trade.Request, settled []trade.Settled) (waits []int64, broken string, err error) {
	for _, id := range r.Follows() {
		if j := x.jobs.Find(id); j != nil && (by.Role == trade.RoleOwner || j.Owner == by.User) {
			if !slices.Contains(waits, id) {
				waits = append(waits, id)
			}
			continue
		}
		i := slices.IndexFunc(settled, func(s trade.Settled) bool { return s.Job == id })
		switch {
		case i < 0 || by.Role != trade.RoleOwner && settled[i].Owner != by.User:
			return nil, "", fmt.Errorf("after: job %d: %w", id, trade.ErrUnknown)
		case r.Broken(id, settled[i].State) != "":
			broken = r.Broken(id, settled[i].State)
		}
	}
	return waits, broken, nil
}

// waitForOthers keeps a job back until others have ended as it wants, its time to begin has
// come and its user lets it. Its budget is held, its deadline runs, nothing is promised.
func (x *door) waitForOthers(j *underway.Job, waits []int64) (trade.Outcome, error) {
	j.State, j.Waits, j.OnHold = trade.Held, waits, j.Request.Hold
	if j.Request.BeginMS > 0 {
		j.BeginUS = x.now + j.Request.BeginMS*1000
	}
	if j.Request.Budget != nil {
		if err := x.floor.holdFunds(j); err != nil {
			return trade.Outcome{}, err
		}
	}
	x.jobs.Add(j)
	x.floor.changed(j)
	v := x.tell.view(j)
	return trade.Outcome{Job: &v}, nil
}

// releaseDependents tells those who waited for a job how it ended.
func (x *floor) releaseDependents(ended *underway.Job) {
	for _, id := range x.jobs.TakeWaiting(ended.ID) {
		j := x.jobs.Find(id)
		if j == nil || j.State != trade.Held {
			continue
		}
		if detail := j.Request.Broken(ended.ID, ended.State); detail != "" {
			x.todo = append(x.todo, followUp{job: j, next: endsUnrun, detail: detail})
			continue
		}
		x.touched.Job(j.ID, journal.Whole)
		j.Waits = slices.DeleteFunc(j.Waits, func(w int64) bool { return w == ended.ID })
		if j.Ready(x.now) {
			x.todo = append(x.todo, followUp{job: j, next: begins})
		}
	}
}

// admitDependent hands a job to the cluster whose time has come. Nobody hears what would be
// taken instead of one that is not, and thousands may come at once: it is not looked for.
func (x *door) admitDependent(j *underway.Job) error {
	if j.State != trade.Held {
		return nil
	}
	x.alone = true
	defer func() { x.alone = false }()
	if j.Held > 0 {
		x.floor.releaseHold(j)
	}
	j.State, j.OnHold = "", false
	x.jobs.Remove(j.ID)
	if why := x.price.onlyPrecise(&j.Request); why != "" { // another policy came while it waited
		x.refuse(j, trade.ReasonImprecise, why)
		x.floor.releaseDependents(j)
		return nil
	}
	if j.Request.Budget != nil {
		if reason, why := x.bank.cannotHold(j.Account, x.price.mostCost(&j.Request, 0, nil, 0)); reason != "" {
			x.refuse(j, reason, why)
			x.floor.releaseDependents(j)
			return nil
		}
	}
	o, err := x.admit(j)
	if err == nil && o.Refusal != nil {
		x.floor.releaseDependents(j)
	}
	return err
}
