package main

import (
	"context"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/front"
)

// byAgents is a market whose agents run the jobs themselves.
type byAgents struct{ front.Market }

var _ api.Market = byAgents{}

// Do and Preview know the pattern for a number of a batch system: where there is none it is
// the job's own.
func (m byAgents) Do(ctx context.Context, c trade.Command, key api.Key) (api.Outcome, bool, error) {
	nameQOS(&c, func(string) string { return "" }) // scripts name that of the place that they were written for
	if asks := asked(&c); asks != nil {
		if err := withoutSlurm(asks); err != nil {
			return api.Outcome{}, false, err
		}
		ownNumber(asks)
	}
	return m.Market.Do(ctx, c, key)
}

// Preview is Do for nothing.
func (m byAgents) Preview(ctx context.Context, by trade.Identity, r trade.Request) (api.Outcome, error) {
	if err := withoutSlurm(&r); err != nil {
		return api.Outcome{}, err
	}
	ownNumber(&r)
	r.QOS = ""
	return m.Market.Preview(ctx, by, r)
}

// withoutSlurm refuses licences and reservations: nobody would count them, or keep nodes for them.
func withoutSlurm(r *trade.Request) error {
	if r.Reservation != "" {
		return &trade.FieldError{Field: "reservation", Want: "none: nodes are reserved in Slurm, and this market runs its jobs itself; a quote keeps room for a job"}
	}
	if some, err := task.LicensesOf(r.Env); len(some) > 0 || err != nil {
		return &trade.FieldError{Field: "env", Want: "no licences: Slurm counts them, and this market runs its jobs itself"}
	}
	return nil
}

func ownNumber(r *trade.Request) {
	for _, file := range []*string{&r.Output, &r.Error} {
		*file = task.RenamePattern(*file, task.BatchLetter, 'j')
	}
}

// Hello takes only nodes that do.
func (m byAgents) Hello(ctx context.Context, h task.Hello) (task.Welcome, error) {
	if h.Runs != "" {
		return task.Welcome{}, &trade.FieldError{Field: "runs", Want: "nothing: agents run the jobs of this market (it was not started with --backend " + h.Runs + ")"}
	}
	h.Reserved = "" // there is nobody to reserve it
	return m.Market.Hello(ctx, h)
}
