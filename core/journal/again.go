package journal

import (
	"fmt"
	"math"
	"slices"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/trade"
)

// Rebuild is the cluster that a record of the log speaks of: a new one, or one
// that goes on where another was.
func (r *Rebuilt) Rebuild(from *cluster.Cluster) (*cluster.Cluster, error) {
	kind, err := policy.Find(r.Policy)
	if err != nil {
		return nil, err
	}
	p, err := kind.New((&trade.EpochView{Settings: r.Settings}).PolicySettings())
	if err != nil {
		return nil, err
	}
	var c *cluster.Cluster
	if from == nil {
		c, err = cluster.New(r.Nodes, p)
	} else {
		c, err = cluster.Restore(r.Nodes, p, from.State())
	}
	if err == nil {
		c.Punctual = true
	}
	return c, err
}

// Agrees says how what a cluster said in a step differs from what the log has.
func (s *Step) Agrees(said []market.Event) error {
	if len(said) != s.N || Sum(said) != s.Sum {
		return fmt.Errorf("at %v: the cluster said %d events (sum %x), the log has %d (%x): %+v", s.At, len(said), Sum(said), s.N, s.Sum, s.Out)
	}
	return nil
}

// Differs says how a step differs from the same one of the log; "" where it does
// not, but for rounding: a state that was read back adds up in another order.
func (s *Step) Differs(log *Step) string {
	if s.N == log.N && s.Sum == log.Sum {
		return ""
	}
	got, want := decisions(s.Out), decisions(log.Out)
	for i := range min(len(got), len(want)) {
		if !got[i].alike(want[i]) {
			return fmt.Sprintf("the core says %s, the log has %s", got[i], want[i])
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("the core decides %d things, the log has %d", len(got), len(want))
	}
	return ""
}

// decisions are what was decided in a step; logs of before also have what follows from that.
func decisions(said []Event) []*Event {
	var some []*Event
	for i := range said {
		if k, known := market.KindOf(said[i].Kind); !known || decides(k) {
			some = append(some, &said[i])
		}
	}
	return some
}

func (e *Event) String() string {
	text := fmt.Sprintf("%s job %d", e.Kind, e.Job)
	if e.Reason != "" {
		text += " (" + e.Reason + ")"
	}
	if e.Price != nil {
		text += fmt.Sprintf(" at %v", float64(*e.Price))
	}
	if len(e.Procs) > 0 {
		text += fmt.Sprintf(" on %v", e.Procs)
	}
	return text
}

func (e *Event) alike(o *Event) bool {
	return e.Kind == o.Kind && e.Job == o.Job && e.Reason == o.Reason && e.Firm == o.Firm && e.Proc == o.Proc && e.Node == o.Node &&
		slices.Equal(e.Procs, o.Procs) && near(e.Work, o.Work) &&
		near(value(e.Start), value(o.Start)) && near(value(e.Finish), value(o.Finish)) && near(value(e.Price), value(o.Price))
}

func value[T ~float64](p *T) float64 {
	if p == nil {
		return 0
	}
	return float64(*p)
}

// near reports whether two numbers are the same but for rounding.
func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*max(1, min(math.Abs(a), math.Abs(b))) // never is near nothing else
}
