package controller_test

import (
	"context"
	"testing"
	"time"

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
		if id := f.submit("", job).Job.ID; id < c.least || id > c.least+5*60*trade.SkippedSecond {
			t.Errorf("generation %q: job %d, want %d or a little more", c.generation, id, c.least)
		}
	}
	f.verify()
}

// A backup that is restored a second time gives out no number that was given out after
// the first: nodes may still run that job.
func TestABackupIsRestoredTwice(t *testing.T) {
	w := &watches{}
	f := open(t, w.wear)
	f.stop()
	<-f.Done()
	market := store.NewMemory("first")
	f.start(market.Open())
	f.do(trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "open", To: "lab/alice", User: "alice"}}, "")
	f.money("grant", "lab/alice", 1_000_000)
	f.hello("n1", 4)
	job := trade.Request{EstimateMS: 1000, DeadlineMS: 60_000}
	given := map[int64]string{f.submit("", job).Job.ID: "first"}
	f.stop()
	<-f.Done()
	for _, generation := range []string{"second", "third", "fourth"} {
		w.pass(time.Second)
		f.start(market.Copy(generation).Open())
		for range 10 {
			id := f.submit("", job).Job.ID
			if other, twice := given[id]; twice {
				t.Errorf("job %d of generation %q has the number of one of %q", id, generation, other)
			}
			given[id] = generation
		}
		f.stop()
		<-f.Done()
	}
}
