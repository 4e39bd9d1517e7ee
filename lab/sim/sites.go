package sim

import (
	"errors"
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/report"
)

// Sites is a world of several equal clusters behind one door (004, figure 1). A
// job is offered to the clusters, and goes to the best of those that would take it;
// each keeps its own book, and no job runs at two.
//
// To those outside it is one large cluster. The processors of a site begin at a
// multiple of 64, so that sets of them need no more than another index, and the
// slots of all sites are interleaved.
type Sites struct {
	Choice Choice

	clusters []*cluster.Cluster
	nodes    int // of each
	stride   int // from the first processor of a site to that of the next

	home    map[market.JobID]errand // of jobs that live
	charge  []float64               // by site: work handed over and not done
	living  []int32                 // by site: jobs that live
	taken   []int64                 // by site: jobs so far
	marred  []bool                  // by site: a node of it has failed once
	wakes   agenda
	told    market.Time // when the door asked to be woken
	asked   int64
	forward int64

	said   copied
	inbox  [][]market.Event // scratch, by site
	called []int32          // scratch: sites with something in their inbox
	bids   []bid            // scratch
}

// errand is where a job lives, and what it was said to need.
type errand struct {
	site int32
	work float64
}

// NewSites puts clusters of as many nodes and processors each behind one door.
func NewSites(clusters []*cluster.Cluster, nodes market.Nodes) (*Sites, error) {
	if len(clusters) == 0 {
		return nil, errors.New("there is no cluster behind the door")
	}
	processors := nodes.Processors()
	s := &Sites{
		clusters: clusters, nodes: nodes.Len(), stride: (processors + 63) &^ 63,
		home: map[market.JobID]errand{}, told: market.Never,
		charge: make([]float64, len(clusters)), living: make([]int32, len(clusters)), taken: make([]int64, len(clusters)),
		marred: make([]bool, len(clusters)),
		inbox:  make([][]market.Event, len(clusters)),
	}
	if all := s.stride * len(clusters); all > maxSitesProcessors {
		return nil, fmt.Errorf("%d clusters of %d processors are more than a run can number (%d)", len(clusters), processors, maxSitesProcessors)
	}
	return s, nil
}

// maxSitesProcessors is how many processors can be numbered.
const maxSitesProcessors = 1 << 30

// NodeOf is the node of a processor, all sites' nodes being counted through.
func (s *Sites) NodeOf(within func(proc int) int) func(proc int) int {
	return func(proc int) int { return proc/s.stride*s.nodes + within(proc%s.stride) }
}

// Step is what happens at one instant: what ended and who woke is told to its
// site, then those who arrive find a place one after the other.
func (s *Sites) Step(at market.Time, happened []market.Event) ([]market.Event, error) {
	s.said.clear()
	for i := range happened {
		switch e := &happened[i]; e.Kind {
		case market.Submitted:
			if len(s.clusters) == 1 { // there is nothing to choose
				s.post(0, *e)
			}
		case market.Woken:
			s.told = market.Never
			for s.wakes.first() <= at {
				s.post(s.wakes.pop(), *e)
			}
		default:
			if err := s.forwardTo(*e); err != nil {
				return nil, err
			}
		}
	}
	if err := s.deliver(at); err != nil {
		return nil, err
	}
	if len(s.clusters) > 1 {
		for i := range happened {
			if happened[i].Kind != market.Submitted {
				continue
			}
			s.post(s.choose(at, happened[i].Spec), happened[i])
			if err := s.deliver(at); err != nil {
				return nil, err
			}
		}
	}
	if first := s.wakes.first(); first != s.told {
		s.told = first
		s.said.events = append(s.said.events, market.Event{Kind: market.Wake, Finish: first})
	}
	return s.said.events, nil
}

// post puts an event into the inbox of a site.
func (s *Sites) post(site int32, e market.Event) {
	if len(s.inbox[site]) == 0 {
		s.called = append(s.called, site)
	}
	s.inbox[site] = append(s.inbox[site], e)
}

// forwardTo posts what happened to a job or a node, in the numbers of its site.
func (s *Sites) forwardTo(e market.Event) error {
	if e.Kind == market.NodeDown || e.Kind == market.NodeUp {
		site := int(e.Node) / s.nodes
		if e.Node < 0 || site >= len(s.clusters) {
			return fmt.Errorf("%s %d: %w", e.Kind, e.Node, cluster.ErrUnknownNode)
		}
		e.Node = market.Int32(int(e.Node) % s.nodes)
		s.marred[site] = true
		s.post(market.Int32(site), e)
		return nil
	}
	home, lives := s.home[e.Job]
	if !lives {
		return fmt.Errorf("%s %d: %w", e.Kind, e.Job, cluster.ErrUnknownJob)
	}
	if e.Proc >= 0 {
		e.Proc = market.Int32(int(e.Proc) % s.stride)
	}
	s.post(home.site, e)
	return nil
}

// deliver lets the sites that have something in their inbox step, in their order.
func (s *Sites) deliver(at market.Time) error {
	slices.Sort(s.called)
	for _, site := range s.called {
		events, err := s.clusters[site].Step(at, s.inbox[site])
		s.inbox[site] = s.inbox[site][:0]
		if err != nil {
			return fmt.Errorf("cluster %d: %w", site, err)
		}
		for i := range events {
			s.hear(site, &events[i])
		}
	}
	s.called = s.called[:0]
	return nil
}

// hear takes in what a site says, and says it on in the numbers of all.
func (s *Sites) hear(site int32, e *market.Event) {
	switch e.Kind {
	case market.Wake:
		s.wakes.set(site, e.Finish)
		return
	case market.Queued, market.Accepted:
		if _, lives := s.home[e.Job]; !lives { // else its node was lost, and it stays with its site
			work := float64(e.Spec.Estimate) * float64(e.Spec.Width)
			s.home[e.Job] = errand{site, work}
			s.charge[site] += work
			s.living[site]++
			s.taken[site]++
		}
	case market.Completed, market.Stopped, market.Rejected:
		if home, lived := s.home[e.Job]; lived { // else it was refused at the door
			s.charge[site] -= home.work
			if s.living[site]--; s.living[site] == 0 {
				s.charge[site] = 0 // and no rounding is left
			}
			delete(s.home, e.Job)
		}
	default: // changes nothing of where a job lives
	}
	s.said.add(e, site, market.Int32(len(s.clusters)), market.Int32(s.stride))
}

// Dealt says how the door dealt with what came.
func (s *Sites) Dealt() report.Dealt {
	return report.Dealt{
		Clusters: len(s.clusters), Wish: string(s.Choice.Wish), Asked: s.asked, Forwarded: s.forward,
		Fewest: slices.Min(s.taken), Most: slices.Max(s.taken),
	}
}
