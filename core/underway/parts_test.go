package underway

import (
	"testing"

	"github.com/libra-market/libra/core/trade"
)

// Jobs with an optional part are known apart, in order, and who has to end first.
func TestInParts(t *testing.T) {
	b := NewBook()
	for id := int64(9); id > 0; id-- {
		j := &Job{}
		j.ID, j.State, j.DueUS = id, trade.Running, 100-10*id
		if id%3 == 0 {
			j.Request.Optional = &trade.Optional{}
		}
		if id != 9 { // which is not done with the rest
			j.MandatoryUS = 1
		}
		b.Add(j)
	}
	if in := b.InParts(); len(in) != 3 || in[0].ID != 3 || in[1].ID != 6 || in[2].ID != 9 {
		t.Errorf("%d are in parts", len(in))
	}
	if due, some := b.NextDue(); !some || due != 40 {
		t.Errorf("the first has to end at %d: %v", due, some)
	}
	b.Remove(6)
	if due, _ := b.NextDue(); due != 70 || len(b.InParts()) != 2 {
		t.Errorf("then the first has to end at %d", due)
	}
	b.Remove(3)
	if _, some := b.NextDue(); some {
		t.Error("one that is not done with the rest has to end")
	}
}
