package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/underway"
)

// Snapshot is the exchange as it is between two commands. What commands change is
// copied: to encode it takes ten times as long, and need not be done before the
// next command.
func (x *state) Snapshot() journal.Snapshot {
	s := journal.Snapshot{
		Origin: x.origin, Now: x.now, Epochs: slices.Clone(x.epochs), Rates: x.rates, Ledger: x.ledger.State(),
		Next: x.next, Wake: x.wake, Record: x.record, Bound: x.bound, Allowances: x.income.All(), Generation: x.generation, Watched: x.jobs.Watch().On(),
	}
	for _, n := range x.nodes.All() {
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
	jobs := make([]underway.Job, x.jobs.Len())
	for i, id := range x.jobs.IDs() {
		jobs[i] = x.jobs.Find(id).Copied()
		s.Jobs = append(s.Jobs, &jobs[i])
	}
	for _, q := range x.quotes.All() {
		one := *q
		one.Procs = slices.Clone(q.Procs)
		s.Quotes = append(s.Quotes, &one)
	}
	return s
}

// Restore is an exchange that goes on where another one was.
func Restore(version string, encoded []byte) (*Exchange, error) {
	var s journal.Snapshot
	if err := json.Unmarshal(encoded, &s); err != nil {
		return nil, fmt.Errorf("state of the exchange: %w", err)
	}
	return open(version, &s)
}

// open is the exchange of a snapshot.
func open(version string, s *journal.Snapshot) (*Exchange, error) {
	x := New(version)

	// 1. What time it is, and under which rules. What is known is in the log.
	x.floor.touched.Epochs = len(s.Epochs)
	x.origin, x.now, x.rates = s.Origin, s.Now, s.Rates
	x.readBack = s.Now
	x.setEpochs(s.Epochs)
	x.next, x.wake, x.record, x.generation = s.Next, s.Wake, s.Record, s.Generation
	x.jobs.SetWatched(s.Watched)

	// 2. Whose money is whose.
	if err := x.restoreMoney(s); err != nil {
		return nil, err
	}

	// 3. The nodes, the jobs that are on them, and the quotes.
	if err := x.restoreJobs(s); err != nil {
		return nil, fmt.Errorf("state of the exchange: %w", err)
	}
	for _, q := range s.Quotes {
		x.quotes.Add(q)
	}

	// 4. The cluster, under the policy of the last epoch.
	if len(x.epochs) == 0 {
		return x, nil
	}
	if err := x.yard.restoreCluster(s.Cluster); err != nil {
		return nil, err
	}

	// 5. When somebody has to be looked at again.
	for j := range x.jobs.All() {
		x.storeBy = min(x.storeBy, x.floor.owed.storeBy(j))
	}
	return x, nil
}

func (x *state) restoreMoney(s *journal.Snapshot) (err error) {
	if x.ledger, err = ledger.Restore(s.Ledger); err != nil {
		return err
	}
	x.bound = s.Bound
	people := s.People
	if !x.bound {
		x.ledger.Rule = ledger.RuleFirst
		people = accounts.ByName(x.ledger.Paths())
	}
	for _, p := range people {
		x.accounts.Put(p)
	}
	for _, a := range s.Allowances {
		x.income.Put(a)
	}
	return nil
}

func (x *state) restoreJobs(s *journal.Snapshot) (err error) {
	if x.nodes, err = roster.Restore(s.Nodes); err != nil {
		return err
	}
	for _, j := range s.Jobs {
		x.jobs.Add(j)
		j.Logged = true
		j.NoteSpeed()
		if k, fits := j.Fits(x.nodes.Len()); !fits {
			return fmt.Errorf("job %d is on node %d of %d", j.ID, k, x.nodes.Len())
		}
		for i := range j.Ranks {
			x.nodes.At(j.Ranks[i].Node).AddTenant(j.ID)
		}
		if j.Leaving != nil {
			x.leaving[j.ID] = true
		}
	}
	return nil
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
	x.cluster, err = cluster.Restore(x.nodes.Core(e.Base()), p, *s)
	if err == nil {
		x.cluster.Punctual = true
	}
	return err
}

// Open is the exchange that goes on from an image, under the policy of the last
// epoch as this program knows it.
func Open(version string, m *journal.Image) (*Exchange, error) {
	s := m.Snapshot()
	if s.Cluster != nil && len(s.Epochs) == 0 {
		return nil, errors.New("there are nodes, and no epoch has begun")
	}
	if s.Cluster != nil {
		e := &s.Epochs[len(s.Epochs)-1]
		kind, err := policy.Find(e.Policy)
		if err != nil {
			return nil, err
		}
		p, err := kind.New(e.PolicySettings())
		if err != nil {
			return nil, err
		}
		s.Cluster.Policy = policy.Describe(p)
	}
	return open(version, &s)
}
