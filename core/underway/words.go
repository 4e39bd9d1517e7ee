package underway

import (
	"fmt"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Outlook says of a job that runs what it needs, if anything helps.
func Outlook(j *Job, e *trade.Explanation, late bool) string {
	switch {
	case j.DueUS == 0:
		return ", without a deadline"
	case late:
		return "; it is late"
	case j.Void:
		return ", without a promise"
	case e.Need == 0:
		return "; its estimate is used up"
	case e.Need < 0.0005:
		return "; it needs less than 0.1 % to be in time"
	default:
		return fmt.Sprintf("; it needs %.1f %% to be in time", e.Need*100)
	}
}

// Unpromised says of a job that waits that nothing is promised to it, and, if it is late
// under a policy that pays for broken promises alone, that nothing is owed for that.
func Unpromised(j *Job, policy string, late bool) []string {
	words := []string{policy + " gives processors whole and promises no finish before a job starts"}
	if late && j.DueUS > 0 && j.PromisedUS == 0 && j.Request.PenaltyMicros > 0 {
		words = append(words, "it is late, and no penalty is owed: nothing was promised to it")
	}
	return words
}

// Beside reports whether two jobs have a processor in common.
func Beside(j, other *Job) bool {
	for i := range j.Ranks {
		for k := range other.Ranks {
			if j.Ranks[i].Proc == other.Ranks[k].Proc {
				return true
			}
		}
	}
	return false
}

// WaitsFor is what a job that is kept back waits for.
func (b *Book) WaitsFor(j *Job, now int64) string {
	var words []string
	if len(j.Waits) > 0 {
		words = append(words, jobs(j.Waits))
	}
	if j.BeginUS > now {
		words = append(words, "its time to begin, in "+market.Span((j.BeginUS-now+999)/1000))
	}
	if j.OnHold {
		words = append(words, fmt.Sprintf("its user (libra release %d)", j.ID))
	}
	if len(words) == 0 {
		return b.awaited(j)
	}
	return strings.Join(words, " and ")
}

// CancelledBy says who has cancelled a job.
func CancelledBy(j *Job, user string) string {
	if user == j.Owner {
		user = "its user"
	}
	return "cancelled by " + user
}

// Runs says since when the deadline of a job that is kept back runs, if it has one.
func Runs(j *Job, now int64) string {
	switch {
	case j.DueUS == 0:
		return ""
	case j.DueUS <= now:
		return "; its deadline has passed"
	case j.Request.BeginMS > 0:
		return "; its deadline runs from then"
	}
	return "; its deadline runs from its submission"
}

// jobs names some.
func jobs(ids []int64) string {
	text := "job"
	if len(ids) > 1 {
		text = "jobs"
	}
	for i, id := range ids {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %d", id)
	}
	return text
}
