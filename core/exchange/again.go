package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

// Rebuild is the cluster that a record of the log speaks of: a new one, or one
// that goes on where another was.
func (r *Rebuilt) Rebuild(from *cluster.Cluster) (*cluster.Cluster, error) {
	kind, err := policy.Find(r.Policy)
	if err != nil {
		return nil, err
	}
	p, err := kind.New(settingsOf(&EpochView{Settings: r.Settings}))
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
