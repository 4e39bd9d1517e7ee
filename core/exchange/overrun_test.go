package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Each piece that is asked for is twice the last one. Where no more than a little can be
// sold, before a deadline, they are asked for again and again: what is asked for is
// bounded by what there can be, or the market would break on it.
func TestSellingALittleForLong(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	id := f.submit(alice, trade.Request{EstimateMS: 1_000, DeadlineMS: 340_000}).Job.ID
	for s := range 339 {
		f.wait(1)
		f.used(task.Key{Job: id}, float64(s+1))
	}
	f.end(task.Key{Job: id}, 339, 0)
	if j := f.job(id); j.State != trade.Completed || len(j.Extensions) < 60 {
		t.Errorf("%s after %d pieces: %s", j.State, len(j.Extensions), j.Detail)
	}
}
