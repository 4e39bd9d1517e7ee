package exchange

import (
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// stop asks for the end of a job. Where it runs, its promise ends at once, so
// that it takes nothing from others while it winds up.
func (x *overseer) stop(j *underway.Job, how task.Stop, end trade.State, reason, detail string) error {
	switch j.State {
	case trade.Held:
		x.floor.end(j, end, reason, detail)
		return nil
	case trade.Queued:
		j.End, j.Reason, j.Detail = end, reason, detail
		return x.floor.step(market.Event{Kind: market.Cancelled, Job: market.JobID(j.ID)})
	case trade.Running:
		x.cut(j)
		j.State, j.End, j.Reason, j.Detail, j.Stop, j.Void, j.Firm = trade.Stopping, end, reason, detail, how, true, false
		j.StopUS = x.now
	case trade.Stopping:
		j.Stop = task.Kill // asked twice, it is urgent
	default:
		return nil
	}
	for i := range j.Ranks {
		x.nodes.Mark(j.Ranks[i].Node, roster.Tasks)
	}
	x.floor.changed(j)
	return x.floor.step(market.Event{Kind: market.Released, Job: market.JobID(j.ID)})
}
