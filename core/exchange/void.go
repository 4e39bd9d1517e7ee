package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// void ends a job whatever state it is in: it owes nothing and is owed nothing.
// Nobody is waited for. Nodes that still run it hear that it should not run.
func (x *door) void(by trade.Identity, v *trade.Void) (trade.Outcome, error) {
	j := x.jobs.Find(v.Job)
	switch {
	case by.Role != trade.RoleOwner:
		return trade.Outcome{}, fmt.Errorf("job %d: %w: the owner of the market voids jobs", v.Job, trade.ErrForbidden)
	case !trade.Printable(v.Reason, trade.MaxReason):
		return trade.Outcome{}, market.Wrong("reason", fmt.Sprintf("at most %d printable characters", trade.MaxReason))
	case j == nil:
		return trade.Outcome{}, fmt.Errorf("job %d: %w, or it has ended", v.Job, trade.ErrUnknown)
	}
	detail := "voided by " + by.User
	if v.Reason != "" {
		detail += ": " + v.Reason
	}
	j.End, j.Reason, j.Detail = trade.Cancelled, trade.ReasonVoided, detail
	if err := x.leave(j); err != nil {
		return trade.Outcome{}, err
	}
	if err := x.followUp(); err != nil {
		return trade.Outcome{}, err
	}
	ended := x.tell.view(j)
	return trade.Outcome{Job: &ended}, nil
}

// patienceUS is how long, after the grace, a node may take to say that a job which
// was told to end has ended. After that its user need not wait for it.
const patienceUS = 30_000_000

// unheard reports whether nobody will say, or has said in time, that a job which
// is under way has ended: it has no task, or its nodes do not answer.
func (x *door) unheard(j *underway.Job) bool {
	switch {
	case x.again: // the first version waited for ever
		return false
	case j.State != trade.Running && j.State != trade.Stopping:
		return false
	case j.Placed() == 0:
		return true
	default:
		return j.State == trade.Stopping && x.now >= j.StopUS+j.Request.Grace()*1000+patienceUS
	}
}

// abandon ends a job that was cancelled without hearing from its nodes: what they
// measured until now counts.
func (x *door) abandon(j *underway.Job, detail string) error {
	if j.State == trade.Running {
		j.End, j.Reason, j.Detail = trade.Cancelled, market.ByUser.String(), detail
	} else {
		j.Detail += "; its node did not say that it has ended"
	}
	return x.leave(j)
}

// leave takes a job off the cluster, if it is there, and ends it as it was told to.
func (x *door) leave(j *underway.Job) error {
	if x.cluster != nil {
		if _, here := x.cluster.Status(market.JobID(j.ID), x.time()); here {
			if err := x.floor.step(market.Event{Kind: market.Cancelled, Job: market.JobID(j.ID)}); err != nil {
				return err
			}
		}
	}
	x.floor.end(j, j.End, j.Reason, j.Detail) // unless it has by now
	return nil
}
