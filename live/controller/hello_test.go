package controller

import (
	"errors"
	"testing"

	"github.com/libra-market/libra/live/fair"
)

// A node that is another every time it comes would fill the log.
func TestANodeIsNotAnotherForEver(t *testing.T) {
	f := newFleet(nil)
	const hour = vainFor
	for i := range int64(mostNews) {
		if err := f.anew("n1", i); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	over, _ := errors.AsType[*fair.Over](f.anew("n1", hour-1))
	if over == nil || over.Limit != "hello" {
		t.Errorf("one more within the hour: %v", over)
	}
	if err := f.anew("n2", hour-1); err != nil {
		t.Errorf("another node: %v", err)
	}
	if err := f.anew("n1", hour); err != nil {
		t.Errorf("an hour after the first: %v", err)
	}
	if err := f.anew("n1", hour); err == nil {
		t.Error("two more, where one has left")
	}
}
