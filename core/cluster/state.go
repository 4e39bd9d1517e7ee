package cluster

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

// State is all that a cluster will ever say depends on, beside its nodes and
// its policy, as plain data that JSON carries exactly.
type State struct {
	Policy   string     `json:"policy"` // as policy.Describe puts it
	Punctual bool       `json:"punctual,omitempty"`
	Book     book.State `json:"book"`
}

// State writes the cluster down as it is between two steps.
func (c *Cluster) State() State {
	return State{Policy: policy.Describe(c.policy), Punctual: c.Punctual, Book: c.draft.State()}
}

// Facts writes down how some jobs and processors stand after a step: see
// [book.Draft.Facts].
func (c *Cluster) Facts(changed, moved, used []market.JobID, procs []int) book.Facts {
	return c.draft.Facts(changed, moved, used, procs)
}

// Restore makes a cluster that says from then on, event for event, what the
// one whose state was written down would have said. A state that no cluster
// can be in is an error.
//
// Nodes may have joined: they come after the old ones, whose processors and
// ratings are as they were, and are up. And the policy may be another one: jobs
// keep their terms. After either the next step plans afresh. Policies of
// another family (space-shared, proportional share, LibraSLA) know nothing of
// the jobs that these have placed; whoever changes between them waits until
// Live is 0. The policy is this cluster's own: it serves no other.
func Restore(nodes []market.Node, p policy.Policy, s State) (*Cluster, error) {
	each := market.Each(nodes)
	if err := validate(each); err != nil {
		return nil, err
	}
	draft, err := book.Restore(each, &s.Book)
	if err != nil {
		return nil, err
	}
	c := &Cluster{Punctual: s.Punctual, book: draft.Book(), draft: draft, policy: p, nodes: each.Len(), apart: policy.EventByEvent(p)}
	if s.Policy != policy.Describe(p) {
		c.book.Note(book.NodesChanged)
	}
	return c, nil
}
