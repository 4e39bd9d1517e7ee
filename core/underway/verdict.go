package underway

import (
	"fmt"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Verdict is how a job that ran to its end has fared, by how its tasks did.
func (j *Job) Verdict() (state trade.State, reason, detail string) {
	spoiled := ""
	for i := range j.Ranks {
		s := j.Ranks[i].Status
		if s == nil || s.Good() || j.Ranks[i].Stop != task.GoOn {
			continue
		}
		who := ""
		if j.Placed() > 1 {
			who = fmt.Sprintf("rank %d: ", i/j.Threads())
		}
		if j.Ranks[i].Refining { // what was promised is done
			_, why := misfortune(s)
			spoiled = who + "its optional part: " + why
			continue
		}
		if s.Cancelled { // as if the market had been asked
			return trade.Cancelled, market.ByUser.String(), who + s.Error
		}
		reason, detail = misfortune(s)
		return trade.Failed, reason, who + detail
	}
	return trade.Completed, "", spoiled
}

// misfortune says why a task did not end well.
func misfortune(s *task.Status) (reason, detail string) {
	switch {
	case s.State == task.Refused:
		return trade.ReasonRefused, s.Error
	case s.OOM:
		if s.Limit == task.LimitMemory {
			return trade.ReasonOOM, s.Error
		}
		return trade.ReasonOOM, "used more memory than it asked for"
	case s.Limit == task.LimitOutput:
		return trade.ReasonOutput, s.Error
	case s.Limit == task.LimitDisk:
		return trade.ReasonDisk, s.Error
	case s.Limit == task.LimitTime:
		return trade.ReasonTime, s.Error
	case s.Signal != "":
		return trade.ReasonSignal, "ended by " + s.Signal
	case s.Exit != 0 && s.Part == task.OptionalPart && s.Error != "":
		return trade.ReasonExit, s.Error // it never began
	case s.Exit != 0:
		for _, e := range s.Elements {
			if e.Error != "" {
				return trade.ReasonExit, fmt.Sprintf("element %d: %s", e.Index, e.Error)
			}
			if e.Exit != 0 || e.Signal != "" {
				break // the first that did not end well is how it ended
			}
		}
		return trade.ReasonExit, fmt.Sprintf("exit status %d", s.Exit)
	}
	for _, e := range s.Elements {
		if e.Signal != "" {
			return trade.ReasonSignal, fmt.Sprintf("element %d ended by %s", e.Index, e.Signal)
		}
		if e.Exit != 0 {
			return trade.ReasonExit, fmt.Sprintf("element %d: exit status %d", e.Index, e.Exit)
		}
	}
	return trade.ReasonExit, s.Error
}

// EndsIn is the state in which a job under way would end by itself, or is told to.
func (j *Job) EndsIn() trade.State {
	if j.State == trade.Stopping {
		return j.End
	}
	return trade.Completed
}

// Way is how a job has ended, as bills have it.
func (j *Job) Way() bill.Way {
	if j.Reason == trade.ReasonVoided {
		return bill.Voided
	}
	return WayOf(j.State)
}

// WayOf is how a job has ended that is in a state.
func WayOf(s trade.State) bill.Way {
	switch s {
	case trade.Completed, trade.Failed:
		return bill.Ended
	case trade.Stopped:
		return bill.Stopped
	case trade.Cancelled:
		return bill.Cancelled
	case trade.Expired:
		return bill.Expired
	case trade.Lost:
		return bill.Lost
	default:
		return bill.Refused
	}
}
