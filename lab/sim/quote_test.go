package sim_test

import (
	"fmt"
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/workload"
)

// asking is a cluster that somebody asks for a quote before every step.
type asking struct {
	*cluster.Cluster

	about []workload.Arrival
	steps int
}

func (a *asking) Step(at market.Time, happened []market.Event) ([]market.Event, error) {
	if j := a.about[a.steps%len(a.about)].Job; j.ID == 0 {
		a.Quote(at, j) //nolint:errcheck // whatever it is told
	}
	a.steps++
	return a.Cluster.Step(at, happened)
}

// Who only asks changes nothing.
func TestQuotesChangeNothing(t *testing.T) {
	for _, kind := range policy.Kinds() {
		arrivals := drawnArrivals(7, 300)
		log := func(asked bool) []string {
			p, err := kind.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			c, err := cluster.New(siteNodes, p)
			if err != nil {
				t.Fatal(err)
			}
			var world sim.World = c
			if asked {
				world = &asking{Cluster: c, about: drawnArrivals(8, 100)}
			}
			var lines []string
			see := func(r *market.Record) {
				lines = append(lines, fmt.Sprintf("%v %v %d %d %v %v %v %v", r.At, r.Kind, r.Job, r.Slot, r.Start, r.Finish, r.Speed, r.Slices))
			}
			if err := sim.Run(t.Context(), world, workload.FromSlice(arrivals), sim.Options{See: see}); err != nil {
				t.Fatalf("%s: %v", kind.Name, err)
			}
			return lines
		}
		quiet, asked := log(false), log(true)
		for i := range quiet {
			if i >= len(asked) || quiet[i] != asked[i] {
				t.Errorf("%s: event %d is %q, and if quotes are asked for %q", kind.Name, i, quiet[i], asked[min(i, len(asked)-1)])
				break
			}
		}
	}
}
