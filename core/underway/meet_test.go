package underway

import (
	"slices"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// Together goes through as many jobs as there are, in their order, without those that are not
// under way, and no further than it is asked to; what a job does not have yet is not looked at.
func TestTogether(t *testing.T) {
	b := NewBook()
	var ids, want []int64
	for id := int64(100); id > 0; id-- {
		ids = append(ids, id)
		if id%7 == 0 {
			continue // it has ended
		}
		want = append(want, id)
		j := &Job{}
		j.ID = id
		if id%2 == 0 {
			j.Ranks = make([]Rank, 2) // without specs
		}
		b.Add(j)
	}
	for _, most := range []int{1, 30, len(want), 1000} {
		var got []int64
		for j := range b.Together(ids) {
			if got = append(got, j.ID); len(got) == most {
				break
			}
		}
		if !slices.Equal(got, want[:min(most, len(want))]) {
			t.Errorf("of at most %d: %v", most, got)
		}
	}
	for range b.Together(nil) {
		t.Error("there is a job among none")
	}
}

// Meet finds the jobs that are given shares, each at the place of its event.
func TestMeet(t *testing.T) {
	b := NewBook()
	for id := int64(1); id <= 2; id++ {
		j := &Job{Ranks: make([]Rank, id-1)}
		j.ID = id
		b.Add(j)
	}
	met := b.Meet([]market.Event{{Kind: market.Granted, Job: 2}, {Kind: market.Completed, Job: 1}, {Kind: market.Granted, Job: 9}, {Kind: market.Granted, Job: 1}})
	if len(met) != 4 || met[0] != b.Find(2) || met[1] != nil || met[2] != nil || met[3] != b.Find(1) {
		t.Errorf("%v", met)
	}
	again := []market.Event{{Kind: market.Granted, Job: 2, Slot: 3}}
	for range 2 { // the second time without looking it up
		if met := b.Meet(again); met[0] != b.Find(2) {
			t.Errorf("on its slot is %v", met[0])
		}
	}
	if met := b.Meet([]market.Event{{Kind: market.Granted, Job: 1, Slot: 3}}); met[0] != b.Find(1) {
		t.Errorf("who has another's slot is %v", met[0])
	}
	b.Meet(again)
	left := b.Left()
	if b.Remove(2); b.Left() == left {
		t.Error("nobody would notice that one is gone")
	}
	if met := b.Meet(again); met[0] != nil {
		t.Error("one that is gone is on its slot still")
	}
}
