package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/trade"
)

// A policy says of itself whether jobs that it takes may wait for processors: what is promised of
// time beside the market's, by licences and reservations, depends on it.
func TestWhoLetsJobsWait(t *testing.T) {
	for _, kind := range policy.Kinds() {
		if kind.Name == "hol-optimal" {
			continue // it admits by chance, and none of these
		}
		f := open(t, kind.Name, 2)
		waited := false
		for i := range 40 {
			o := f.submit(alice, trade.Request{EstimateMS: 100_000, DeadlineMS: 150_000 + 50_000*int64(i), Budget: budget(200 + 10*float64(i%7)), Processors: 1 + i%2})
			waited = waited || o.Job != nil && o.Job.State == trade.Queued
		}
		if waited != kind.LetsWait() {
			t.Errorf("%s: a job waits: %v, and it says: %v", kind.Name, waited, kind.LetsWait())
		}
	}
}
