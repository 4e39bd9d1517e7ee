package underway

import (
	"testing"

	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/trade"
)

// A job is to be done by when it is due, or by its deadline from now on, or after some times its
// estimate; of one that begins later that is not known before it is handed in.
func TestUntil(t *testing.T) {
	const now = 7e9
	for _, c := range []struct {
		name           string
		submitted, due int64
		request        trade.Request
		want           int64
	}{
		{"estimate", 0, 0, trade.Request{EstimateMS: 1000}, now + 4e6},
		{"deadline", 0, 0, trade.Request{EstimateMS: 1000, DeadlineMS: 9000}, now + 9e6},
		{"due", 5, now + 3, trade.Request{EstimateMS: 1000, DeadlineMS: 9000}, now + 3},
		{"as long as anything", 0, 0, trade.Request{EstimateMS: trade.MaxMS}, now + trade.MaxMS*1000},
		{"later", 0, 0, trade.Request{EstimateMS: 1000, BeginMS: 1}, 0},
		{"held", 0, 0, trade.Request{EstimateMS: 1000, DeadlineMS: 9000, Hold: true}, 0},
		{"handed in for later", 5, 0, trade.Request{EstimateMS: 1000, BeginMS: 1}, now + 4e6},
		{"handed in", 5, 0, trade.Request{EstimateMS: 1000}, now + 4e6},
	} {
		j := &Job{}
		j.SubmittedUS, j.DueUS, j.Request = c.submitted, c.due, c.request
		if got := Until(j, now); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// A job that lost its node is begun again, unless it does not want to be, or its reservation has
// no nodes any more.
func TestForGood(t *testing.T) {
	aside := &roster.Node{}
	aside.Reserved = "course"
	nodes := []*roster.Node{{}, aside}
	for _, c := range []struct {
		name    string
		request trade.Request
		want    string
	}{
		{"any", trade.Request{}, ""},
		{"not again", trade.Request{NoRestart: true, Reservation: "course"}, "gone, and it was not to be restarted"},
		{"in a reservation", trade.Request{Reservation: "course"}, ""},
		{"in one that is over", trade.Request{Reservation: "other"}, "gone, and reservation other is over, or has no nodes any more: hand it in again, without it or in another"},
	} {
		j := &Job{}
		j.Request = c.request
		if got := ForGood(j, nodes, "gone"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := ForGood(&Job{}, []*roster.Node{aside}, "gone"); got != "" {
		t.Errorf("one that is in no reservation, where all nodes are set aside: %q", got)
	}
}
