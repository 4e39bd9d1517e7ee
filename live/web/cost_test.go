package web_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api/apitest"
	"github.com/libra-market/libra/live/web"
)

// billed is a market that says what a job would be charged now.
type billed struct {
	*apitest.Market
	ended, cancelled int64
}

func (b *billed) Jobs(ctx context.Context, q v1.JobQuery) ([]v1.Job, error) {
	jobs, err := b.Market.Jobs(ctx, q)
	for i := range jobs {
		b.bill(&jobs[i])
	}
	return jobs, err
}

func (b *billed) Job(ctx context.Context, id int64) (v1.Job, error) {
	j, err := b.Market.Job(ctx, id)
	b.bill(&j)
	return j, err
}

func (b *billed) bill(j *v1.Job) {
	if !j.State.Final() {
		j.CostNow = b.ended
	}
}

func (b *billed) Explain(ctx context.Context, id int64) (v1.Explanation, error) {
	e, err := b.Market.Explain(ctx, id)
	e.CostNow, e.CancelNow = b.ended, &b.cancelled
	return e, err
}

// What a page says a job costs is the market's bill. The page reckoned by itself
// once, without what an early end leaves unpaid and without over-runs: 0.50 of a
// job at a price of 2.00 that has had a quarter of its estimate.
func TestTheCostIsTheMarkets(t *testing.T) {
	w := newWorld(t)
	w.handler = web.New(&billed{w.market, 1_730_000, 640_000}, w.keys, web.Options{Log: logTo(t), Now: w.now, WhatIf: pretend, Heartbeat: 20 * time.Millisecond})
	w.server = serve(t, w.handler)
	w.furnish()
	p := w.signedIn(alice)
	page := p.get("/jobs/1").body
	for _, want := range []string{
		"<p class=\"figure cost\">1.73\u00a0cr</p>", "if it ended now; 2.00\u00a0cr agreed", "charged <b id=\"cancelled\" data-now>0.64\u00a0cr</b>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of the job does not say %s", want)
		}
	}
	if table := p.get("/jobs").body; !strings.Contains(table, ">1.73\u00a0cr</td>") {
		t.Error("the table does not say what a job costs that runs")
	}
}

// growing is a market in which a job costs more each time that somebody asks.
type growing struct {
	*billed
}

func (g *growing) Job(ctx context.Context, id int64) (v1.Job, error) {
	g.ended += 10_000
	return g.billed.Job(ctx, id)
}

func (g *growing) Explain(ctx context.Context, id int64) (v1.Explanation, error) {
	g.ended += 10_000
	g.cancelled = g.ended
	return g.billed.Explain(ctx, id)
}

// What a job has cost and what it costs to cancel it are of one moment: a page never
// shows two amounts for the same thing.
func TestOnePageOneMoment(t *testing.T) {
	w := newWorld(t)
	w.handler = web.New(&growing{&billed{w.market, 1_700_000, 0}}, w.keys, web.Options{Log: logTo(t), Now: w.now, WhatIf: pretend, Heartbeat: 20 * time.Millisecond})
	w.server = serve(t, w.handler)
	w.furnish()
	page := w.signedIn(alice).get("/jobs/1").body
	_, cost, _ := strings.Cut(page, `<p class="figure cost">`)
	_, cancel, _ := strings.Cut(page, `<b id="cancelled" data-now>`)
	cost, _, _ = strings.Cut(cost, "<")
	cancel, _, _ = strings.Cut(cancel, "<")
	if cost == "" || cost != cancel {
		t.Errorf("it has cost %q, and %q if it is cancelled", cost, cancel)
	}
}

// A budget is not the last word where a job is found out late: the form says so.
func TestTheFormSaysWhatABudgetIs(t *testing.T) {
	page := newWorld(t).signedIn(alice).get("/submit").body
	if want := "or its price and what it takes in three reports if that is more"; !strings.Contains(page, want) {
		t.Errorf("the form does not say: %s", want)
	}
}
