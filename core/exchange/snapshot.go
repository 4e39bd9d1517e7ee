package exchange

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/trade"
)

// Snapshot is all of an exchange, as plain data: what a snapshot holds.
type Snapshot struct {
	Origin  int64             `json:"origin"`
	Now     int64             `json:"now"`
	Epochs  []trade.EpochView `json:"epochs"`
	Rates   trade.Rates       `json:"rates"`
	Nodes   []*node           `json:"nodes"`
	Cluster *cluster.State    `json:"cluster,omitempty"`
	Ledger  ledger.State      `json:"ledger"`
	People  []accounts.Person `json:"people,omitempty"` // who are bound to accounts
	Bound   bool              `json:"bound,omitempty"`  // false: by their names, as in the first versions

	Generation string       `json:"generation,omitempty"` // of the store
	Next       int64        `json:"next"`
	Jobs       []*activeJob `json:"jobs"`
	Quotes     []*heldQuote `json:"quotes"`
	Wake       market.Time  `json:"wake"`
	Record     trade.Track  `json:"record"`
}

// Snapshot is the exchange as it is between two commands. What commands change is
// copied: to encode it takes ten times as long, and need not be done before the
// next command.
func (x *state) Snapshot() Snapshot {
	s := Snapshot{
		Origin: x.origin, Now: x.now, Epochs: slices.Clone(x.epochs), Rates: x.rates, Ledger: x.ledger.State(),
		Next: x.next, Wake: x.wake, Record: x.record, Bound: x.bound, Generation: x.generation,
	}
	for _, n := range x.nodes {
		one := *n
		s.Nodes = append(s.Nodes, &one)
	}
	if x.bound {
		s.People = x.accounts.All()
	}
	if x.cluster != nil {
		c := x.cluster.State()
		s.Cluster = &c
	}
	jobs := make([]activeJob, len(x.jobs))
	for i, id := range x.active() {
		jobs[i] = x.jobs[id].copied()
		s.Jobs = append(s.Jobs, &jobs[i])
	}
	for _, q := range x.quotes.all() {
		one := *q
		one.Procs = slices.Clone(q.Procs)
		s.Quotes = append(s.Quotes, &one)
	}
	return s
}

// copied is a job of which nothing changes any more.
func (j *activeJob) copied() activeJob {
	c := *j
	c.Ranks, c.Waits = slices.Clone(j.Ranks), slices.Clone(j.Waits)
	c.Timeline, c.Extensions, c.Tasks = slices.Clone(j.Timeline), slices.Clone(j.Extensions), slices.Clone(j.Tasks)
	return c
}

// Restore is an exchange that goes on where another one was.
func Restore(version string, encoded []byte) (*Exchange, error) {
	var s Snapshot
	if err := json.Unmarshal(encoded, &s); err != nil {
		return nil, fmt.Errorf("state of the exchange: %w", err)
	}
	return open(version, &s)
}

// open is the exchange of a snapshot.
func open(version string, s *Snapshot) (*Exchange, error) {
	x := New(version)
	x.floor.touched.epochs = len(s.Epochs)
	x.origin, x.now, x.rates, x.nodes = s.Origin, s.Now, s.Rates, s.Nodes
	x.setEpochs(s.Epochs)
	x.next, x.wake, x.record = s.Next, s.Wake, s.Record
	var err error
	if x.ledger, err = ledger.Restore(s.Ledger); err != nil {
		return nil, err
	}
	x.bound, x.generation = s.Bound, s.Generation
	people := s.People
	if !x.bound {
		x.ledger.Rule = ledger.RuleFirst
		people = accounts.ByName(pathsOf(x.ledger))
	}
	for _, p := range people {
		x.accounts.Put(p)
	}
	for i, n := range x.nodes {
		if n == nil {
			return nil, fmt.Errorf("state of the exchange: node %d is missing", i)
		}
		if !n.Retired {
			x.byName[n.Node] = i
		}
	}
	for _, j := range s.Jobs {
		x.jobs[j.ID] = j
		j.logged = true
		j.noteSpeed()
		for i := range j.Ranks {
			if k := j.Ranks[i].Node; k < 0 || k >= len(x.nodes) {
				return nil, fmt.Errorf("state of the exchange: job %d is on node %d of %d", j.ID, k, len(x.nodes))
			}
			x.nodes[j.Ranks[i].Node].addTenant(j)
		}
		for _, id := range j.Waits {
			x.waits[id] = append(x.waits[id], j.ID)
		}
	}
	for _, q := range s.Quotes {
		x.quotes.add(q)
	}
	if len(x.epochs) == 0 {
		return x, nil
	}
	return x, x.yard.restoreCluster(s.Cluster)
}

func (x *yard) restoreCluster(s *cluster.State) error {
	e := x.epoch()
	kind, err := policy.Find(e.Policy)
	if err != nil {
		return err
	}
	x.kind = kind
	if s == nil {
		return nil
	}
	p, err := kind.New(e.PolicySettings())
	if err != nil {
		return err
	}
	x.cluster, err = cluster.Restore(x.nodes.core(e.Rates), p, *s)
	if err == nil {
		x.cluster.Punctual = true
	}
	return err
}
