package sim_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/workload"
)

// recorder is a cluster whose log is kept: what happened, and what was said.
type recorder struct {
	*cluster.Cluster
	log  []sim.Step
	said []string
}

func (r *recorder) Step(at market.Time, happened []market.Event) ([]market.Event, error) {
	step := sim.Step{At: at, Happened: slices.Clone(happened)}
	for i := range step.Happened {
		if e := &step.Happened[i]; e.Spec != nil {
			spec := *e.Spec
			e.Spec = &spec
		}
	}
	r.log = append(r.log, step)
	said, err := r.Cluster.Step(at, happened)
	r.said = append(r.said, inWords(at, said))
	return said, err
}

// inWords is every field of what was said.
func inWords(at market.Time, said []market.Event) string {
	var b strings.Builder
	for i := range said {
		e := said[i]
		if e.Spec != nil {
			fmt.Fprintf(&b, "%+v ", *e.Spec)
			e.Spec = nil
		}
		fmt.Fprintf(&b, "%v %+v\n", at, e)
	}
	return b.String()
}

func steps(log []sim.Step) iter.Seq2[sim.Step, error] {
	return func(yield func(sim.Step, error) bool) {
		for _, s := range log {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// A log is all there is to know: the same steps say the same again.
func TestALogReplays(t *testing.T) {
	m := workload.NewLublin()
	m.Jobs, m.Nodes = 300, 64
	arrivals := must(workload.Load(must(m.Source(7))(t)))(t)
	if err := must(workload.NewModel("libra-plus"))(t).Apply(arrivals, 7); err != nil {
		t.Fatal(err)
	}
	changes := []sim.NodeChange{{At: arrivals[100].Job.Submit, Node: 3, Down: true}, {At: arrivals[200].Job.Submit, Node: 3}}
	for _, kind := range policy.Kinds() {
		open := func() *cluster.Cluster {
			return must(cluster.New(market.PlainNodes(m.Nodes), must(kind.New(nil))(t)))(t)
		}
		r := &recorder{Cluster: open()}
		if err := sim.Run(context.Background(), r, workload.FromSlice(arrivals), sim.Options{Changes: changes}); err != nil {
			t.Fatalf("%s: %v", kind.Name, err)
		}
		var again []string
		err := sim.Replay(open(), steps(r.log), func(at market.Time, said []market.Event) { again = append(again, inWords(at, said)) })
		if err != nil || !slices.Equal(again, r.said) {
			t.Errorf("%s: the log of %d steps goes differently (%v)", kind.Name, len(r.log), err)
		}
	}
}

// What cannot be read, or makes no sense to this cluster, ends a replay.
func TestAReplayEndsWhereTheLogMakesNoSense(t *testing.T) {
	kind := must(policy.Find("fifo"))(t)
	c := must(cluster.New(market.PlainNodes(1), must(kind.New(nil))(t)))(t)
	torn := errors.New("torn")
	seen := 0
	see := func(market.Time, []market.Event) { seen++ }
	err := sim.Replay(c, func(yield func(sim.Step, error) bool) {
		_ = yield(sim.Step{At: 1}, nil) && yield(sim.Step{}, torn)
	}, see)
	if !errors.Is(err, torn) || seen != 1 {
		t.Errorf("after %d steps: %v", seen, err)
	}
	err = sim.Replay(c, steps([]sim.Step{{At: 2, Happened: []market.Event{{Kind: market.Finished, Job: 5}}}}), nil)
	if !errors.Is(err, cluster.ErrUnknownJob) {
		t.Error(err)
	}
}
