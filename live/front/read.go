package front

import (
	"context"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/wire"
)

// Job is all there is to know of one job.
func (m Market) Job(ctx context.Context, id int64) (v1.Job, error) {
	j, err := m.Controller.Job(ctx, id)
	out := wire.Job(&j)
	out.Batch, out.BegunUS = wire.Batch(&out), wire.Begun(&out)
	out.Elements = wire.Elements(&out)
	wire.JobIn(&out, m.Unit)
	return out, err
}

// Jobs lists jobs, the newest first, their requests without the script. Where no batch
// system runs them none has a number of one.
func (m Market) Jobs(ctx context.Context, q v1.JobQuery) ([]v1.Job, error) {
	if q.Batch != 0 {
		return nil, nil
	}
	jobs, err := m.Controller.Jobs(ctx, q)
	out := wire.Jobs(jobs)
	for i := range out {
		out[i].Batch, out[i].BegunUS = wire.Batch(&out[i]), wire.Begun(&out[i])
		wire.JobIn(&out[i], m.Unit)
	}
	return out, err
}

// History lists all jobs in order of submission.
func (m Market) History(ctx context.Context, after int64, limit int) ([]v1.Job, error) {
	jobs, err := m.Controller.History(ctx, after, limit)
	out := wire.Jobs(jobs)
	for i := range out {
		wire.JobIn(&out[i], m.Unit)
	}
	return out, err
}

// Explain says how a job stands.
func (m Market) Explain(ctx context.Context, id int64) (v1.Explanation, error) {
	e, err := m.Controller.Explain(ctx, id)
	out := wire.Explanation(&e)
	wire.ExplanationIn(&out, m.Unit)
	return out, err
}

// Quote is a quote that binds.
func (m Market) Quote(ctx context.Context, id string) (v1.Quote, error) {
	q, err := m.Controller.Quote(ctx, id)
	out := wire.Quote(&q)
	wire.QuoteIn(&out, m.Unit)
	return out, err
}

// Tail is a piece of what a task has written.
func (m Market) Tail(ctx context.Context, job int64, rank int, element *int, stderr bool, offset, limit int64) (v1.Chunk, error) {
	c, err := m.Controller.Tail(ctx, job, rank, element, stderr, offset, limit)
	return wire.Chunk(&c), err
}

// Nodes lists the nodes.
func (m Market) Nodes(ctx context.Context) ([]v1.NodeView, error) {
	nodes, err := m.Controller.Nodes(ctx)
	for i := range nodes { // rates by the hour too, where the log names none
		nodes[i].Rates = nodes[i].Rates.Complete()
	}
	return wire.Nodes(nodes), err
}

// Prices is what the market asks now.
func (m Market) Prices(ctx context.Context) (v1.Prices, error) {
	p, err := m.Controller.Prices(ctx)
	p.Rates = p.Rates.Complete()
	return wire.Prices(&p), err
}

// Epochs lists the spans of the log under one policy each.
func (m Market) Epochs(ctx context.Context) ([]v1.EpochView, error) {
	epochs, err := m.Controller.Epochs(ctx)
	for i := range epochs {
		epochs[i].Rates = epochs[i].Rates.Complete()
	}
	return wire.Epochs(epochs), err
}

// Tally is the business of a period.
func (m Market) Tally(ctx context.Context, fromUS, toUS int64) (v1.Tally, error) {
	t, err := m.Controller.Tally(ctx, fromUS, toUS)
	return wire.Tally(&t), err
}

// Accounts lists an account and all below it, or all.
func (m Market) Accounts(ctx context.Context, prefix string) ([]v1.Account, error) {
	accounts, err := m.Controller.Accounts(ctx, prefix)
	return wire.Accounts(accounts), err
}
