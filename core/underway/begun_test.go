package underway

import (
	"testing"

	"github.com/libra-market/libra/core/task"
)

// A task that was lost has begun if that was said of it, then or before.
func TestWhetherALostTaskHadBegun(t *testing.T) {
	for _, c := range []struct {
		name   string
		before bool
		status task.Status
		begun  bool
	}{
		{"nobody saw it run", false, task.Status{State: task.Lost, Error: "its node takes no new jobs"}, false},
		{"somebody did", true, task.Status{State: task.Lost}, true},
		{"it says when it began", false, task.Status{State: task.Lost, StartedUS: 1}, true},
		{"it says what it took", false, task.Status{State: task.Lost, CPUUS: 1}, true},
		{"it ended", false, task.Status{State: task.Ended}, true},
		{"it was refused", false, task.Status{State: task.Refused, StartedUS: 1}, false},
	} {
		var r Rank
		r.Begun, r.Status = c.before || SaysBegun(&c.status), &c.status
		if r.HasBegun() != c.begun {
			t.Errorf("%s: it has begun: %v", c.name, r.HasBegun())
		}
	}
}
