package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// The log may lag behind the speed of a job by a hundredth. What is written of it for
// another reason, a measurement say, does not begin another hundredth.
func TestTheLogLagsBehindASpeedOnce(t *testing.T) {
	f := openLive(t, "libra", 1, nil)
	id := f.submit(alice, trade.Request{EstimateMS: 100_000, DeadlineMS: 200_000}).Job.ID
	f.submit(alice, trade.Request{EstimateMS: 1_000, DeadlineMS: 500_000}) // 0.4 % slower
	f.used(task.Key{Job: id}, 0)
	f.submit(alice, trade.Request{EstimateMS: 2_000, DeadlineMS: 500_000}) // and 0.8 % more
	f.compare()
}
