package broker

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/wire"
)

// everywhere asks all clusters the same, at the same time, within the limit, and
// leaves out those who do not answer.
func everywhere[T any](ctx context.Context, b *Broker, ask func(context.Context, *login) (T, error)) []told[T] {
	ctx, cancel := context.WithTimeout(ctx, b.options.Limit)
	defer cancel()
	all := make([]told[T], len(b.sellers))
	var wait sync.WaitGroup
	for i, s := range b.sellers {
		wait.Go(func() {
			v, err := ask(ctx, s.any())
			s.metIn(err)
			all[i] = told[T]{s, v, err}
		})
	}
	wait.Wait()
	return slices.DeleteFunc(all, func(t told[T]) bool { return t.err != nil })
}

// told is what a cluster said.
type told[T any] struct {
	by  *seller
	is  T
	err error
}

// Nodes lists the nodes of all clusters, with the cluster before their names. The
// jobs on them are shown as far as they are the broker's.
func (b *Broker) Nodes(ctx context.Context) ([]v1.NodeView, error) {
	var all []v1.NodeView
	for _, t := range everywhere(ctx, b, func(ctx context.Context, l *login) ([]v1.NodeView, error) { return l.client.Nodes(ctx) }) {
		for _, n := range t.is[:min(len(t.is), maxList)] {
			n.Node, n.Index, n.Why = t.by.name+"/"+clipped(n.Node), len(all), clipped(n.Why)
			n.Loads = slices.Clone(n.Loads)
			for i := range n.Loads {
				n.Loads[i].Jobs = b.tenants(ctx, t.by, n.Loads[i].Jobs)
			}
			all = append(all, n)
		}
	}
	return all, nil
}

func (b *Broker) tenants(ctx context.Context, s *seller, there []v1.Tenant) []v1.Tenant {
	here := make([]v1.Tenant, 0, len(there))
	for _, t := range there {
		shown := v1.Tenant{Share: t.Share}
		if id := b.number(s.name, t.Job); id != 0 {
			if e, err := b.entry(ctx, id); err == nil {
				j := e.now().Job
				shown = v1.Tenant{Job: id, Owner: j.Owner, Name: j.Name, Share: t.Share, DueUS: t.DueUS}
			}
		}
		here = append(here, shown)
	}
	return here
}

// Prices is what the clusters ask together: the best price for each sample, the
// load over all processors, and in the settings one line about each cluster.
func (b *Broker) Prices(ctx context.Context) (v1.Prices, error) {
	p := v1.Prices{AtUS: b.now(), Policy: "broker", Settings: b.standing(), Samples: []v1.PricePoint{}}
	var given, kept float64
	for i, t := range everywhere(ctx, b, func(ctx context.Context, l *login) (v1.Prices, error) { return l.client.Prices(ctx) }) {
		up := min(max(0, t.is.Up), market.MaxWidth)
		given, kept = given+part(t.is.Utilization)*float64(up), kept+part(t.is.Kept)*float64(up)
		p.Processors += min(max(0, t.is.Processors), market.MaxWidth)
		p.Up += up
		if i == 0 || t.is.Rates.Processor < p.Rates.Processor {
			p.Rates = t.is.Rates
		}
		for _, s := range t.is.Samples[:min(len(t.is.Samples), maxSamples)] {
			p.Samples = bestSample(p.Samples, s)
		}
	}
	if p.Up > 0 {
		p.Utilization, p.Kept = given/float64(p.Up), kept/float64(p.Up)
	}
	slices.SortFunc(p.Samples, func(x, y v1.PricePoint) int { return cmp.Compare(x.Factor, y.Factor) })
	return p, nil
}

const maxSamples = 64

// part is a number that can only be between nothing and all.
func part(x float64) float64 { return min(1, max(0, x)) }

// bestSample keeps the lowest price of a sample; a refusal only if all refuse.
func bestSample(all []v1.PricePoint, s v1.PricePoint) []v1.PricePoint {
	s.Refused = clipped(s.Refused)
	i := slices.IndexFunc(all, func(have v1.PricePoint) bool { return have.Factor == s.Factor })
	switch {
	case i < 0:
		return append(all, s)
	case s.Refused == "" && (all[i].Refused != "" || s.Price < all[i].Price):
		all[i] = s
	}
	return all
}

// standing is one line about each cluster.
func (b *Broker) standing() []v1.Setting {
	var lines []v1.Setting
	for _, r := range b.Records() {
		text := fmt.Sprintf("asked %d, answered %d, slow %d, refused %d, won %d, kept %d, missed %d, lied %d",
			r.Asked, r.Answered, r.Slow, r.Refused, r.Won, r.Kept, r.Missed, r.Lied)
		switch out := r.out(b.now()); {
		case out != "":
			text += "; " + out
		case r.AwayUS != 0:
			text += "; away since " + clock(r.AwayUS)
		}
		lines = append(lines, v1.Setting{Name: r.Cluster, Value: text})
	}
	return lines
}

// Tally is the business of a period that went through the broker.
func (b *Broker) Tally(ctx context.Context, fromUS, toUS int64) (v1.Tally, error) {
	t := trade.Tally{FromUS: fromUS, ToUS: toUS, Reasons: map[string]int64{}, BoundHow: "none: what the clusters could have earned is theirs to know"}
	err := b.each(ctx, store.Query{From: fromUS, To: toUS}, func(e *entry) error {
		f := &e.facts
		j := wire.ToJob(&f.Job)
		t.Count(&j)
		if f.Promised > 0 {
			t.CountPromise(&j, f.Promised+promiseSlack.Microseconds())
		}
		return nil
	})
	t.Close()
	return wire.Tally(&t), closed(err)
}

// Healthy says why nothing can be submitted, if nothing can.
func (b *Broker) Healthy(ctx context.Context) error {
	if _, _, err := b.store.Meta(ctx, recordMeta); err != nil {
		return closed(err)
	}
	for _, s := range b.sellers {
		if s.away() == 0 {
			return nil
		}
	}
	return fmt.Errorf("%w: no cluster answers", trade.ErrUnavailable)
}

// Measure gives numbers for the metrics.
func (b *Broker) Measure(ctx context.Context) (map[string]float64, error) {
	m := map[string]float64{}
	for _, state := range v1.States() {
		m[fmt.Sprintf("jobs{state=%q}", state)] = 0
	}
	counts, err := b.CountJobs(ctx, "")
	for state, n := range counts {
		m[fmt.Sprintf("jobs{state=%q}", state)] = float64(n)
	}
	for _, r := range b.Records() {
		for name, n := range map[string]int64{
			"asked": r.Asked, "answered": r.Answered, "slow": r.Slow, "away": r.Away, "refused": r.Refused,
			"won": r.Won, "kept": r.Kept, "missed": r.Missed, "lied": r.Lied,
		} {
			m[fmt.Sprintf("broker_%s_total{cluster=%q}", name, r.Cluster)] = float64(n)
		}
		up := 1.0
		if r.AwayUS != 0 {
			up = 0
		}
		m[fmt.Sprintf("broker_cluster_up{cluster=%q}", r.Cluster)] = up
	}
	return m, err
}

// What a broker has no part in.

func notHere(what string) error {
	return fmt.Errorf("%w: %s", trade.ErrConflict, what)
}

// Epochs is refused: a broker has no policy of its own to change.
func (b *Broker) Epochs(context.Context) ([]v1.EpochView, error) { return nil, errPolicy }

var errPolicy = notHere("a broker has no policy of its own: each cluster sets its own")

// VerifyLedger is refused: the ledgers are the clusters'.
func (b *Broker) VerifyLedger(context.Context) (v1.Verified, error) {
	return v1.Verified{}, notHere("a broker has no ledger: each cluster verifies its own")
}

// Log is refused: a broker keeps what it intends, not a log of commands.
func (b *Broker) Log(context.Context, int64, int) ([]v1.LogEntry, error) {
	return nil, errLog
}

var errLog = notHere("a broker has no log: each cluster has its own")

// Clusters is what the broker has seen of each.
func (b *Broker) Clusters(context.Context) ([]v1.ClusterRecord, error) {
	records := b.Records()
	all := make([]v1.ClusterRecord, len(records))
	for i := range records {
		all[i] = v1.ClusterRecord(records[i])
	}
	return all, nil
}

// Archives is refused: there is no log.
func (b *Broker) Archives(context.Context) (v1.Archives, error) {
	return v1.Archives{}, errLog
}

// MoveOld is refused.
func (b *Broker) MoveOld(context.Context, *time.Duration) (v1.ArchiveStep, error) {
	return v1.ArchiveStep{}, errLog
}

// Hello is refused: nodes belong to clusters.
func (b *Broker) Hello(context.Context, task.Hello) (task.Welcome, error) {
	return task.Welcome{}, errNodes
}

// Desired is refused.
func (b *Broker) Desired(context.Context, string, int64, time.Duration) (task.Desired, error) {
	return task.Desired{}, errNodes
}

// Report is refused.
func (b *Broker) Report(context.Context, task.Report) (task.Reply, error) {
	return task.Reply{}, errNodes
}

// Refused is refused.
func (b *Broker) Refused(context.Context, string, task.Refusal) error { return errNodes }

// Chunk is refused.
func (b *Broker) Chunk(context.Context, string, string, task.Chunk) error { return errNodes }

var errNodes = notHere("a broker has no nodes: an agent belongs to a cluster")
