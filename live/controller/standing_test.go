package controller

import (
	"errors"
	"testing"
)

// A market that could not write opens again when it was read back; one that
// contradicts itself does not, whatever happens to its log meanwhile.
func TestStandingMoves(t *testing.T) {
	full, wrong := errors.New("disk full"), errors.New("invariant 15")
	why := map[turn]error{notWritten: full, contradicted: wrong}
	for _, c := range []struct {
		turns []turn
		want  standing
		err   error
	}{
		{nil, trading, nil},
		{[]turn{notWritten}, ahead, full},
		{[]turn{notWritten, notWritten}, ahead, full},
		{[]turn{notWritten, readBack}, trading, nil},
		{[]turn{contradicted}, broken, wrong},
		{[]turn{contradicted, notWritten}, broken, wrong},
		{[]turn{contradicted, notWritten, readBack}, broken, wrong},
		{[]turn{notWritten, contradicted, readBack}, broken, wrong},
		{[]turn{notWritten, readBack, contradicted}, broken, wrong},
	} {
		var g gate
		for _, happened := range c.turns {
			g.turn(happened, why[happened])
		}
		if g.standing != c.want || !errors.Is(g.closed, c.err) || (g.closed == nil) != (g.standing == trading) {
			t.Errorf("%v: %d, because %v; want %d, %v", c.turns, g.standing, g.closed, c.want, c.err)
		}
	}
}
