package link_test

import (
	"context"
	"errors"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api/apitest"
)

// picky is a market that lets no node in.
type picky struct {
	*board
	why error
}

func (p *picky) Hello(context.Context, task.Hello) (task.Welcome, error) {
	return task.Welcome{}, p.why
}

// An agent can tell a market that does not take its node, and says why, from one that is away.
func TestTurnedAway(t *testing.T) {
	b := &picky{board: &board{Market: apitest.New()}}
	n, _ := connectTo(t, b, false)
	for _, c := range []struct {
		why  error
		away bool
	}{
		{&trade.FieldError{Field: "node", Want: "a node of Slurm's partition libra"}, true},
		{trade.ErrForbidden, true},
		{trade.ErrUnavailable, false},
	} {
		b.why = c.why
		_, err := n.Register(t.Context(), task.Hello{Node: "n1", Processors: 2})
		if _, told := errors.AsType[*task.TurnedAway](err); err == nil || told != c.away {
			t.Errorf("%v: the agent has heard %v, turned away: %t", c.why, err, told)
		}
	}
}
