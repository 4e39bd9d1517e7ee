package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// At a rate of which a second is far less than the smallest unit of money, a job that
// ends before its estimate is charged all the same, and so is what it takes beyond it.
func TestNoRateIsSoLowThatWorkIsFree(t *testing.T) {
	for _, how := range []struct {
		name       string
		rounding   string
		took       []float64
		least      int64
		extensions bool
	}{
		{name: "before", rounding: "down", took: []float64{9.9}, least: 0},
		{name: "in time", rounding: "up", took: []float64{9.9}, least: 1},
		{name: "over", rounding: "up", took: []float64{9.99, 10.5}, least: 2, extensions: true},
	} {
		f := open(t, "libra", 1)
		f.do(trade.Command{By: owner, Epoch: &trade.Epoch{
			Policy: "libra", Settings: epoch.Complete("libra", map[string]string{"rounding": how.rounding}, epoch.LiveSettings()),
			Rates: &trade.Rates{ProcessorHour: 36}, // a hundredth of a micro-unit for a second
		}})
		o := f.submit(alice, trade.Request{EstimateMS: 10_000})
		if o.Refusal != nil {
			t.Fatalf("%+v", o.Refusal)
		}
		key := task.Key{Job: o.Job.ID}
		for _, s := range how.took[:len(how.took)-1] {
			f.wait(s)
			f.used(key, s)
		}
		f.wait(12)
		f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{Key: key, State: task.Ended, CPUUS: int64(how.took[len(how.took)-1] * 1e6)}}}})
		j := f.job(o.Job.ID)
		if j.Charged < how.least || how.least == 0 && j.Charged != 0 || how.extensions != (len(j.Extensions) > 0) {
			t.Errorf("%s: charged %d of %d, %+v", how.name, j.Charged, j.Price, j.Receipt.Lines)
		}
	}
}
