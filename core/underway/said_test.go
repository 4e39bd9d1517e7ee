package underway

import (
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// A node speaks of the elements of its own task: not of those of another, nor of one twice
// or of one that is not there, and not for ever.
func TestElementsOfOthers(t *testing.T) {
	j := &Job{Ranks: make([]Rank, 2)} // 10, 14, 18 and 12, 16
	j.Request.Array = &trade.Array{First: 10, Last: 18, Step: 2}
	long := strings.Repeat("é", mostWords)
	said := []task.Element{{Index: 12}, {Index: 14, Exit: 1}, {Index: 12, Exit: 1}, {Index: 16, Exit: 1 << 40, Signal: long, Error: long, StartedUS: -1, EndedUS: 1 << 60}, {Index: 20}, {Index: 13}, {Index: -2}, {Index: 8}}
	got := j.Bounded(&task.Status{Key: task.Key{Rank: 1}, Elements: said}).Elements
	want := []task.Element{{Index: 12}, {Index: 16, Exit: 255, Signal: long[:mostWords], Error: long[:mostWords], EndedUS: 1 << 53}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if got = j.Bounded(&task.Status{Elements: said}).Elements; !slices.Equal(got, []task.Element{{Index: 14, Exit: 1}}) {
		t.Errorf("%+v", got)
	}
	j.Ranks = nil // it is on no processors any more: somewhere it ran
	if got = j.Bounded(&task.Status{Key: task.Key{Rank: 1}, Elements: said[:2]}).Elements; len(got) != 2 {
		t.Errorf("%+v", got)
	}
	j.Request.Array = nil
	if got = j.Bounded(&task.Status{Elements: said}).Elements; got != nil {
		t.Errorf("what is no array has elements: %+v", got)
	}
}
