package journal

import (
	"reflect"
	"testing"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// What came in is left out where the book of the same entry has it as it came, and nowhere
// else; put back, the steps are what they were.
func TestWhatCameInIsWrittenOnce(t *testing.T) {
	came := func(id market.JobID, kind market.Kind, estimate market.Work) market.Event {
		return market.Event{Kind: kind, Job: id, Spec: &market.Job{ID: id, Estimate: estimate, Name: "j"}}
	}
	steps := func() []Step {
		return []Step{
			NewStep(1, []market.Event{came(1, market.Submitted, 10), came(2, market.Submitted, 20)}, nil),
			NewStep(2, []market.Event{came(3, market.Reserved, 30), came(4, market.Submitted, 40), {Kind: market.Finished, Job: 1}}, nil),
		}
	}
	facts := &Facts{Book: &book.Facts{Jobs: []book.JobState{
		{Job: market.Job{ID: 1, Estimate: 10, Name: "j"}},
		{Job: market.Job{ID: 2, Estimate: 21, Name: "j"}}, // other than it came
		{Job: market.Job{ID: 3, Estimate: 30, Name: "j"}},
	}}}
	got := steps()
	LeaveOut(got, facts)
	for _, e := range []struct {
		left bool
		Event
	}{{true, got[0].In[0]}, {false, got[0].In[1]}, {true, got[1].In[0]}, {false, got[1].In[1]}, {true, got[1].In[2]}} {
		if (e.Spec == nil) != e.left {
			t.Errorf("job %d (%s): left out is %v", e.Job, e.Kind, e.Spec == nil)
		}
	}
	PutBack(got, facts)
	if want := steps(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for _, none := range []*Facts{nil, {}} { // of the first version, or nothing came of it
		got := steps()
		LeaveOut(got, none)
		PutBack(got, none)
		if want := steps(); !reflect.DeepEqual(got, want) {
			t.Errorf("without a book: got %+v", got)
		}
	}
}

// How a price came about is in the first fact of a job, and in another when it came about
// anew; who reads them all knows it throughout.
func TestHowAPriceCameAboutIsWrittenOnce(t *testing.T) {
	working := func(e float64) trade.Working {
		return trade.Working{Formula: "E", Inputs: []market.Input{{Name: "E", Value: e}}}
	}
	m := NewImage()
	j := &underway.Job{Job: trade.Job{ID: 1, Request: trade.Request{Argv: []string{"true"}, EstimateMS: 1}}}
	for i, now := range []struct {
		repriced, says bool
		e              float64
	}{{true, true, 1}, {false, false, 1}, {true, true, 2}, {false, false, 2}} {
		j.Working, j.Repriced = working(now.e), now.repriced
		f := FactOf(j)
		if says := len(f.Working.Inputs) > 0; says != now.says {
			t.Errorf("fact %d says %+v", i, f.Working)
		}
		if err := m.Apply(&Facts{Jobs: []underway.Job{f}}); err != nil {
			t.Fatal(err)
		}
		if got := m.jobs[1].Working; !reflect.DeepEqual(got, j.Working) {
			t.Errorf("after fact %d it is known by %+v", i, got)
		}
	}
}
