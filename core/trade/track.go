package trade

import "fmt"

// Track is how well promises were kept so far: what odds are reckoned from.
type Track struct {
	Promised int64 `json:"promised,omitempty"` // firm promises that came due
	Kept     int64 `json:"kept,omitempty"`
	Hoped    int64 `json:"hoped,omitempty"` // deadlines without a promise
	Met      int64 `json:"met,omitempty"`
}

// Count adds a job with a deadline that has ended, and whether it was met: what
// was cancelled, stopped or never begun says nothing of that, nor does one that
// broke its own promise.
func (t *Track) Count(j *Job, void, met bool) {
	switch {
	case j.State != Completed && j.State != Failed && j.State != Lost:
	case void:
	case j.PromisedUS != 0:
		t.Promised++
		if met {
			t.Kept++
		}
	default:
		t.Hoped++
		if met {
			t.Met++
		}
	}
}

// Odds is how sure a deadline is, and what that is reckoned from: the promises
// of the past, with a few imagined ones beside them while there are few.
func (t *Track) Odds(firm bool) (odds float64, from string) {
	if firm {
		const imagined, of = 19, 20
		return float64(t.Kept+imagined) / float64(t.Promised+of), ratio(t.Kept, t.Promised, "promises that came due were kept", "no promise has come due yet")
	}
	const imagined, of = 2, 4
	return float64(t.Met+imagined) / float64(t.Hoped+of), ratio(t.Met, t.Hoped, "deadlines without a promise were met", "no deadline without a promise has come yet")
}

func ratio(n, of int64, what, none string) string {
	if of == 0 {
		return "a guess: " + none
	}
	return fmt.Sprintf("%d of %d %s", n, of, what)
}
