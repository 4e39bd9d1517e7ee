package main

import (
	"context"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
)

// fewNodes is a market that has some nodes.
type fewNodes struct {
	*floor
	nodes int
}

func (f *fewNodes) Preview(_ context.Context, _ trade.Identity, r trade.Request) (api.Outcome, error) {
	if r.Spread && r.Procs()/r.PerProgram() > f.nodes {
		return api.Outcome{Refusal: &v1.Refusal{Reason: market.CannotMeetResources.String(), Offers: []v1.Offer{}}}, nil
	}
	return api.Outcome{Quote: &v1.Quote{}}, nil
}

// -N 2-4 is the most nodes on which the market would take the job, and -N 2 is two.
func TestSbatchOnSomeNodes(t *testing.T) {
	for nodes, threads := range map[int]int{9: 3, 3: 4, 2: 6, 1: 6} {
		f := &fewNodes{newFloor(), nodes}
		open(t, f, v1.RoleUser)
		if r := libra(t, "sbatch", "-t", "1", "-Q", "-N", "2-4", "-n", "12", "--wrap", "true"); r.code != exitOK {
			t.Fatalf("%+v", r)
		}
		if got := f.last(t).Submit.Request; got.Threads != threads || !got.Spread || got.Processors != 12 {
			t.Errorf("%d nodes: %d processors in programs of %d, spread %t", nodes, got.Processors, got.Threads, got.Spread)
		}
	}
	f := &fewNodes{newFloor(), 9}
	open(t, f, v1.RoleUser)
	mustLibra(t, "sbatch", "-t", "1", "-Q", "-N", "2", "-n", "4", "--wrap", "true")
	if got := f.last(t).Submit.Request; got.Threads != 2 || !got.Spread || got.Processors != 4 {
		t.Errorf("two nodes: %+v", got)
	}
}
