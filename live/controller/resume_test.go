package controller_test

import (
	"context"
	"testing"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/store"
)

// putBack is a store that was put back from a backup.
type putBack struct {
	store.Store
	generation string
}

func (p putBack) Generation(context.Context) (string, error) { return p.generation, nil }

// A job that is submitted after a restore has a number that no job had which was
// submitted after the backup: nodes may still run that, and know it by its number.
func TestNumbersAreNotGivenOutAgainAfterARestore(t *testing.T) {
	f := open(t, nil)
	job := trade.Request{EstimateMS: 1000, DeadlineMS: 60_000}
	first := f.submit("", job).Job.ID
	for _, c := range []struct {
		generation string
		least      int64
	}{{"", first + 1}, {"second", first + trade.Skipped}, {"second", first + trade.Skipped}, {"third", first + 2*trade.Skipped}} {
		f.stop()
		<-f.Done()
		if c.generation == "" {
			f.start(f.store)
		} else {
			f.start(putBack{f.store, c.generation})
		}
		if id := f.submit("", job).Job.ID; id < c.least || id > c.least+10 {
			t.Errorf("generation %q: job %d, want %d or a little more", c.generation, id, c.least)
		}
	}
	f.verify()
}
