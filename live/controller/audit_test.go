package controller_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/store"
)

// altered is a store in which somebody has changed what jobs say of themselves.
type altered struct {
	store.Store
	change func(*trade.Job)
}

func (a *altered) Jobs(ctx context.Context, q store.Query) ([]store.Job, error) {
	rows, err := a.Store.Jobs(ctx, q)
	for i := range rows {
		var j trade.Job
		if err == nil && a.change != nil {
			if err = json.Unmarshal(rows[i].Body, &j); err == nil {
				a.change(&j)
				rows[i].Body, err = json.Marshal(&j)
			}
		}
	}
	return rows, err
}

// Books that add up and do not fit the jobs are found.
func TestTheBooksFitTheJobs(t *testing.T) {
	f := open(t, nil)
	o := f.submit("a", trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000})
	f.orders("n1", 1)
	if _, err := f.Report(t.Context(), task.Report{Node: "n1", Tasks: []task.Status{{
		Key: task.Key{Job: o.Job.ID}, State: task.Ended, CPUUS: 10_000_000,
	}}}); err != nil {
		t.Fatal(err)
	}
	f.submit("b", trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000})
	f.do(trade.Command{By: alice, Quote: &trade.AskQuote{Request: trade.Request{EstimateMS: 1000, DeadlineMS: 20_000}}}, "q")
	log := &altered{Store: f.store}
	f.stop()
	<-f.Done()
	f.start(log)
	for name, c := range map[string]struct {
		change func(*trade.Job)
		says   string
	}{
		"as it is":        {nil, ""},
		"a lower charge":  {func(j *trade.Job) { j.Charged-- }, "receipt"},
		"receipt and job": {func(j *trade.Job) { j.Charged--; lower(j) }, "transactions come to"},
		"a penalty":       {func(j *trade.Job) { j.Penalty++; raise(j) }, "transactions come to"},
	} {
		log.change = nil
		if c.change != nil {
			log.change = func(j *trade.Job) {
				if j.ID == o.Job.ID {
					c.change(j)
				}
			}
		}
		v, err := f.VerifyLedger(t.Context())
		if err != nil || (c.says == "") != (v.Problem == "") || !strings.Contains(v.Problem, c.says) {
			t.Errorf("%s: %v, %q, want %q", name, err, v.Problem, c.says)
		}
	}
}

func lower(j *trade.Job) {
	if j.Receipt != nil {
		j.Receipt.Charged--
	}
}

func raise(j *trade.Job) {
	if j.Receipt != nil {
		j.Receipt.Penalty++
	}
}
