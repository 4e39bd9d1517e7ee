package exchange

import (
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// waitForOthers keeps a job back until others have ended as it wants, its time to begin has
// come and its user lets it. Its budget is held, its deadline runs, nothing is promised.
func (x *door) waitForOthers(j *underway.Job, f *underway.Following) (trade.Outcome, error) {
	j.State, j.Waits, j.OnHold, j.BeginUS = trade.Held, f.Waits, j.Request.Hold, f.BeginUS
	if j.Request.BeginMS > 0 {
		j.BeginUS = max(j.BeginUS, x.now+j.Request.BeginMS*1000)
	}
	if j.Request.Budget != nil {
		if err := x.floor.holdFunds(j); err != nil {
			return trade.Outcome{}, err
		}
	}
	x.jobs.Add(j)
	x.floor.changed(j)
	return trade.Told(x.tell.view(j)), nil
}

// release goes on with one who waited for a job that has begun, or ended; broken says why
// it will not run, if that is so.
func (x *floor) release(j *underway.Job, broken string) {
	if broken != "" {
		x.todo = append(x.todo, followUp{job: j, next: endsUnrun, detail: broken})
		return
	}
	x.touched.Job(j.ID, journal.Whole)
	if j.Ready(x.now) {
		x.todo = append(x.todo, followUp{job: j, next: begins})
	}
}

// admitDependent hands a job to the cluster whose time has come. Nobody hears what would be
// taken instead of one that is not, and thousands may come at once: it is not looked for.
func (x *door) admitDependent(j *underway.Job, let bool) error {
	if j.State != trade.Held || x.jobs.KeptOut(j, x.nodes, x.now, let) {
		return nil
	}
	x.alone = true
	defer func() { x.alone = false }()
	if j.Held > 0 {
		x.floor.releaseHold(j)
	}
	j.State, j.OnHold = "", false
	x.jobs.Remove(j.ID)
	if reason, why := x.hopeless(j, ""); reason != "" { // another policy came while it waited, or its money went
		x.refuse(j, reason, why)
		x.jobs.Ended(j, x.floor.release)
		return nil
	}
	o, err := x.admit(j)
	if err == nil && o.Refusal != nil {
		x.jobs.Ended(j, x.floor.release)
	}
	return err
}
