package workload

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// Reading ahead gives what the source gives, however long it is, and can be
// given up at any time.
func TestReadAhead(t *testing.T) {
	for _, n := range []int{0, 1, aheadBatch - 1, aheadBatch, aheadBatch + 1, 10 * aheadBatch} {
		arrivals := make([]Arrival, n)
		for i := range arrivals {
			arrivals[i].Number = int64(i)
		}
		ahead := NewReadAhead(FromSlice(arrivals))
		got, err := Load(ahead)
		if err != nil || len(got) != n || n > 0 && got[n-1].Number != int64(n-1) {
			t.Errorf("%d arrivals: got %d, %v", n, len(got), err)
		}
		if err := ahead.Next(new(Arrival)); !errors.Is(err, io.EOF) {
			t.Errorf("after the end: %v", err)
		}
		ahead.Stop()
		ahead = NewReadAhead(FromSlice(arrivals))
		_ = ahead.Next(new(Arrival)) // whatever it says, then no more
		ahead.Stop()
	}
	ahead := NewReadAhead(panicking{})
	defer ahead.Stop()
	if err := ahead.Next(new(Arrival)); err == nil || !strings.Contains(err.Error(), "internal error") {
		t.Errorf("a source that breaks: %v", err)
	}
}

type panicking struct{}

func (panicking) Next(*Arrival) error { panic("broken") }
