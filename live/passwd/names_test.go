package passwd

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Whoever has a number without a name, and asks with it again and again, at once and for as
// long as they like, does not have the host asked each time; and one who is given a name is
// known soon.
func TestANumberWithoutAName(t *testing.T) {
	now, asked := time.Unix(1_700_000_000, 0), atomic.Int64{}
	names, known := NewNames(func() time.Time { return now }), atomic.Bool{}
	answer := make(chan struct{})
	names.ask = func(context.Context, int) (string, error) {
		asked.Add(1)
		<-answer
		if known.Load() {
			return "eve", nil
		}
		return "", errors.New("nobody")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := names.Of(gone, 100_001); !errors.Is(err, context.Canceled) { // who hangs up takes nothing along
		t.Error(err)
	}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if _, err := names.Of(t.Context(), 100_001); err == nil || errors.Is(err, context.Canceled) {
				t.Errorf("a stranger: %v", err)
			}
		})
	}
	close(answer)
	all.Wait()
	if n := asked.Load(); n != 1 {
		t.Errorf("the host was asked %d times", n)
	}
	known.Store(true)
	now = now.Add(strangersLast)
	for range 3 {
		if name, err := names.Of(t.Context(), 100_001); name != "eve" || err != nil {
			t.Errorf("%q, %v", name, err)
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("the host was asked %d times", n)
	}
}
