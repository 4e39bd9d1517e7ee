package underway

import (
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/trade"
)

// TakeOut takes elements out of an array that waits, for its user: it is priced without them, and ends as
// the others do. What is not in it is passed over. One element has to be left: who wants none cancels the
// job. That of an array that runs was sold with the rest.
func (j *Job) TakeOut(elements []int) error {
	a := j.Request.Array
	if a == nil || j.State != trade.Held {
		return fmt.Errorf("job %d: %w: it is no array that waits", j.ID, trade.ErrConflict)
	}
	drop := slices.Sorted(slices.Values(elements))
	var left, out []int
	for i := range a.Len() {
		if _, is := slices.BinarySearch(drop, a.Index(i)); is {
			out = append(out, a.Index(i))
		} else {
			left = append(left, a.Index(i))
		}
	}
	switch {
	case len(left) == 0:
		return fmt.Errorf("job %d: %w: nothing would be left of it; cancel it", j.ID, trade.ErrConflict)
	case len(out) > 0: // the log says so, too
		j.Request.Array, j.Logged = a.Only(left), false
		j.TakenOut = slices.Sorted(slices.Values(slices.Concat(j.TakenOut, out)))
	}
	return nil
}
