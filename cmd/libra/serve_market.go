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

// Hello takes only nodes that do.
func (m byAgents) Hello(ctx context.Context, h task.Hello) (task.Welcome, error) {
	if h.Runs != "" {
		return task.Welcome{}, &trade.FieldError{Field: "runs", Want: "nothing: agents run the jobs of this market (it was not started with --backend " + h.Runs + ")"}
	}
	return m.Market.Hello(ctx, h)
}
