package web

import (
	"net/url"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/estimate"
	"github.com/libra-market/libra/live/wire"
)

// guess is an estimate that is proposed from how long the same ran before.
type guess struct {
	estimate.Guess
	Of    string // what the runs are of
	Taken bool   // nobody said another
}

// Because is what it is from.
func (g *guess) Because() string { return g.Guess.Because(g.Of) }

// Terms are the value of a button that puts it into the form.
func (g *guess) Terms() string { return url.Values{"estimate": {inputSpan(g.WorkMS)}}.Encode() }

// propose finds an estimate in what the caller has run, and takes it where none is said:
// as a terminal does, and from the same runs.
func (c *call) propose(f *form, r *v1.Request) error {
	if r.Array != nil || f.Wrong["name"] != "" {
		return nil
	}
	past := wire.Habit{User: c.who.User, List: func(q v1.JobQuery) ([]v1.Job, error) { return c.h.market.Jobs(c.r.Context(), q) }}
	g, of, err := past.Guess(r)
	if err != nil || g.Runs == 0 || g.WorkMS == r.EstimateMS {
		return err
	}
	f.Guess = &guess{Guess: g, Of: of}
	if r.EstimateMS == 0 && f.Wrong["estimate"] == "" {
		r.EstimateMS, f.Guess.Taken = g.WorkMS, true
	}
	return nil
}
