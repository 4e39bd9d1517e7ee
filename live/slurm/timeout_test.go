package slurm

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/meter"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
	"github.com/libra-market/libra/live/slurm/client"
)

// That Slurm's time limit ended a job is said as such, unless the market had told it to end.
func TestATimeLimitIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		state  client.State
		told   bool
		reason string
		says   string
	}{
		"its time was over":      {client.Timeout, false, trade.ReasonTime, "its time limit in Slurm is over (TIMEOUT)"},
		"its deadline in Slurm":  {client.Deadline, false, trade.ReasonTime, "its time limit in Slurm is over (DEADLINE)"},
		"it was told to end":     {client.Timeout, true, trade.ReasonSignal, "ended by SIGTERM"},
		"somebody else ended it": {client.Failed, false, trade.ReasonExit, "exit status 3"},
	} {
		r := &run{orders: map[int]task.Order{0: {}}, end: &ending{verdict: verdictOf(&client.Job{State: c.state, Exit: 3, Nodes: []string{"n1"}, Started: 1, Ended: 9})}}
		if c.told {
			r.stop = terminated
		}
		s := r.status(0, None)
		j := underway.Job{Ranks: []underway.Rank{{Task: meter.Task{Status: &s}}}}
		if state, reason, detail := j.Verdict(); state != trade.Failed || reason != c.reason || !strings.Contains(detail, c.says) {
			t.Errorf("%s: %s, %s: %s", name, state, reason, detail)
		}
	}
}
