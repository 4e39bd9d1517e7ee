package book

import (
	"testing"

	"github.com/libra-market/libra/core/market"
)

// A job of which more is left than was thought does not hide the next whose estimate is
// used up: what is kept in order says what would be made of the entries anew.
func TestWhatIsMeasuredFindsItsPlace(t *testing.T) {
	b := New(market.Alike(market.Plain(), 2))
	b.now = 0
	d := NewDraft(b)
	var slots []Slot
	for i := range 2 {
		j := market.Job{ID: market.JobID(i + 1), Width: 1, Estimate: 10, SLA: market.SLA{Deadline: 100}}
		s := b.Add(&j)
		b.Place(s, Terms{Claim: 0.1, Finish: 100, Firm: true}, market.ProcsOf(i))
		d.Ask(s)
		d.Pace(s, 1)
		slots = append(slots, s)
	}
	b.now = 10 // both are used up now
	b.Measure(slots[0], market.AllTasks, 5, true)
	b.View().Risen(nil)
	kept := b.View().NextUsedUp()
	b.pace = nil
	b.View().Risen(nil)
	if anew := b.View().NextUsedUp(); kept != anew || kept != 15 {
		t.Errorf("the next is used up at %v, made anew at %v, want 15", kept, anew)
	}
}
