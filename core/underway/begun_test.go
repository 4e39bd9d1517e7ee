package underway

import (
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
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

// What is said of a lane is said of the first of its processors, and holds for all of them: as many
// of its elements never began on each.
func TestElementsThatNeverBeganOnEachProcessorOfALane(t *testing.T) {
	j := Job{Ranks: make([]Rank, 4)}
	j.Request.Threads, j.Request.Array = 2, &trade.Array{First: 1, Last: 5, Step: 1}
	j.Ranks[0].Status = &task.Status{State: task.Ended, StartedUS: 1, Elements: []task.Element{{Index: 1}, {Index: 3, Error: "no such program"}, {Index: 5}}}
	for i, want := range [][2]int{{1, 3}, {1, 3}, {2, 2}, {2, 2}} { // the other lane has not begun
		if never, of := j.NeverBegan(i); never != want[0] || of != want[1] {
			t.Errorf("processor %d: %d of %d never began, want %v", i, never, of, want)
		}
	}
}
