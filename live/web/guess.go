package web

import (
	"net/url"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/estimate"
	"github.com/libra-market/libra/live/wire"
)

// guess is an estimate that is proposed from how long the caller's jobs of the same name
// ran.
type guess struct {
	estimate.Guess
	Name  string
	Taken bool // nobody said another
}

// Because is what it is from.
func (g *guess) Because() string { return g.Guess.Because(g.Name) }

// Terms are the value of a button that puts it into the form.
func (g *guess) Terms() string { return url.Values{"estimate": {inputSpan(g.WorkMS)}}.Encode() }

// propose finds an estimate in what the caller has run, and takes it where none is said:
// as a terminal does, and from the same runs.
func (c *call) propose(f *form, r *v1.Request) error {
	if r.Name == "" || r.Array != nil || f.Wrong["name"] != "" {
		return nil
	}
	jobs, err := c.h.market.Jobs(c.r.Context(), wire.RunsOf(c.who.User, r.Name))
	if err != nil {
		return err
	}
	g, ok := estimate.Of(wire.Runs(jobs, r.Name), r.Procs(), estimate.Sure)
	if !ok || g.WorkMS == r.EstimateMS {
		return nil
	}
	f.Guess = &guess{Guess: g, Name: r.Name}
	if r.EstimateMS == 0 && f.Wrong["estimate"] == "" {
		r.EstimateMS, f.Guess.Taken = g.WorkMS, true
	}
	return nil
}
