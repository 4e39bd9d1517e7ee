package journal

import (
	"slices"
	"testing"
)

// Each job is there once, with all that has changed of it, in order, however often and in
// whatever order that was said; and the next command begins with none.
func TestJobsAreTouchedOnce(t *testing.T) {
	var c Changes
	for range 3 {
		for id := int64(2000); id > 0; id-- { // more than there is room for at first
			c.Job(id, Speed)
		}
	}
	c.Job(7, Whole)
	c.Job(7, Reading)
	all := c.Jobs()
	if len(all) != 2000 || !slices.IsSortedFunc(all, func(a, b Touch) int { return int(a.ID - b.ID) }) {
		t.Fatalf("%d jobs were touched, want 2000 in order", len(all))
	}
	if got, want := all[6], (Touch{7, Speed | Whole | Reading}); got != want {
		t.Errorf("of job 7 %+v has changed, want %+v", got, want)
	}
	if cap(all) > 8192 {
		t.Errorf("there is room for %d, of 2000", cap(all))
	}
	next := c.Next(3)
	if len(next.Jobs()) != 0 || next.Epochs != 3 {
		t.Errorf("the next begins with %+v", next)
	}
}
