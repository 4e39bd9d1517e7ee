package sim_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/workload"
)

// A job is in the partition that it names, or in the usual one; where there are none the name
// counts for nothing; and one that is nowhere is an error.
func TestInPartitions(t *testing.T) {
	parted := &trade.Rates{Partitions: map[string]int64{"fast": 2_000_000, "slow": trade.WholeFactor}, Partition: "slow"}
	for name, c := range map[string]struct {
		rates *trade.Rates
		where *market.Where
		want  *market.Where
	}{
		"anywhere":              {nil, nil, nil},
		"a name that is none":   {nil, &market.Where{Partition: "fast"}, nil},
		"beside a node":         {&trade.Rates{}, &market.Where{Partition: "fast", Nodes: "n1"}, &market.Where{Nodes: "n1"}},
		"the usual one":         {parted, nil, &market.Where{Partition: "slow"}},
		"the usual one's nodes": {parted, &market.Where{Nodes: "n1"}, &market.Where{Partition: "slow", Nodes: "n1"}},
		"by its name":           {parted, &market.Where{Partition: "fast"}, &market.Where{Partition: "fast"}},
	} {
		job := workload.Arrival{Job: market.Job{ID: 1, Width: 1, Where: c.where}}
		got, err := workload.Load(sim.InPartitions(workload.FromSlice([]workload.Arrival{job, job}), c.rates))
		if err != nil || len(got) != 2 {
			t.Fatalf("%s: %v", name, err)
		}
		for _, a := range got {
			if w := a.Job.Where; (w == nil) != (c.want == nil) || w != nil && *w != *c.want {
				t.Errorf("%s: in %+v, want %+v", name, w, c.want)
			}
		}
		if got[0].Job.Where != got[1].Job.Where {
			t.Errorf("%s: what two say is kept twice", name)
		}
	}
	lost := workload.Arrival{Job: market.Job{ID: 1, Width: 1, Where: &market.Where{Partition: "gone"}}}
	if _, err := workload.Load(sim.InPartitions(workload.FromSlice([]workload.Arrival{lost}), parted)); err == nil || !strings.Contains(err.Error(), "partition gone") {
		t.Errorf("nowhere: %v", err)
	}
}

// toldWorld notes what it is told.
type toldWorld struct{ told []market.Event }

func (w *toldWorld) Step(_ market.Time, happened []market.Event) ([]market.Event, error) {
	w.told = append(w.told, happened...)
	return nil, nil
}

// A world sells a partition at its own prices and is told what a job may cost in those; where all
// cost the same there is nothing to do.
func TestSellPartitions(t *testing.T) {
	if _, dearer := sim.SellPartitions(&toldWorld{}, nil); dearer {
		t.Error("without rates")
	}
	if _, dearer := sim.SellPartitions(&toldWorld{}, &trade.Rates{Partitions: map[string]int64{"slow": trade.WholeFactor}}); dearer {
		t.Error("at the market's own prices")
	}
	w := &toldWorld{}
	p, dearer := sim.SellPartitions(w, &trade.Rates{Partitions: map[string]int64{"fast": 2_000_000, "slow": trade.WholeFactor}})
	if !dearer {
		t.Fatal("one costs twice as much")
	}
	job := func(partition string) *market.Job {
		return &market.Job{Width: 1, Where: &market.Where{Partition: partition}, SLA: market.SLA{Budget: 10}}
	}
	plain := &market.Job{Width: 1, SLA: market.SLA{Budget: 10}}
	happened := []market.Event{
		{Kind: market.Submitted, Job: 1, Spec: job("fast")}, {Kind: market.Submitted, Job: 2, Spec: job("slow")}, {Kind: market.Submitted, Job: 3, Spec: plain}, {Kind: market.Cancelled, Job: 1},
	}
	if _, err := p.Step(0, happened); err != nil || len(w.told) != 4 {
		t.Fatal(err, len(w.told))
	}
	if w.told[0].Spec.SLA.Budget != 5 || w.told[1].Spec.SLA.Budget != 10 || w.told[2].Spec.SLA.Budget != 10 || happened[0].Spec.SLA.Budget != 10 {
		t.Errorf("told %v, %v and %v; asked %v", w.told[0].Spec.SLA.Budget, w.told[1].Spec.SLA.Budget, w.told[2].Spec.SLA.Budget, happened[0].Spec.SLA.Budget)
	}
	var shown []market.Record
	see := p.Seer(func(r *market.Record) { shown = append(shown, *r) })
	for _, id := range []market.JobID{1, 2, 1} { // the last after its end
		see(&market.Record{Event: &market.Event{Kind: market.Rejected, Job: id, Spec: &market.Job{SLA: market.SLA{Budget: 5}}}})
	}
	if len(shown) != 3 || shown[0].Spec.SLA.Budget != 10 || shown[1].Spec.SLA.Budget != 5 || shown[2].Spec.SLA.Budget != 5 {
		t.Errorf("shown %+v", shown)
	}
}
