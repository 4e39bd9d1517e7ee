package agent

import (
	"slices"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// Half of the processes that are left: however many others have, the next has some.
func TestProcessesAreLeftForTheNext(t *testing.T) {
	groups := newFakeGroups()
	left := int64(3000)
	for range 6 {
		r, _ := fakeRunner(t, groups)
		r.agent.config.AllProcesses, r.agent.config.Processes = 3000, 10_000
		groups.processes = 3000 - left
		l := cgroup.Limits{Pids: 1500}
		got := r.pidsOf(l)
		if want := max(fewProcesses, min(1500, left/2)); got != want {
			t.Errorf("with %d left it may have %d, want %d", left, got, want)
		}
		left -= got
		groups.processes = 2999
		if again := r.pidsOf(l); again != got {
			t.Errorf("%d, and later %d", got, again)
		}
	}
	r, _ := fakeRunner(t, groups)
	if r.agent.config.AllProcesses = -1; r.pidsOf(cgroup.Limits{Pids: 7}) != 7 || r.pidsOf(cgroup.Limits{}) != 0 {
		t.Error("without a limit there is none")
	}
}

// slowGroup takes its time to look at its threads.
type slowGroup struct {
	*fakeGroup

	order []string
}

func (g *slowGroup) Usage() (cgroup.Usage, error) {
	g.order = append(g.order, "look")
	return g.fakeGroup.Usage()
}

func (g *slowGroup) Set(l cgroup.Limits) error {
	g.order = append(g.order, "set")
	return g.fakeGroup.Set(l)
}

// A task that comes to its limit is slowed down by what it has used, before anybody
// looks at its threads: there may be thousands.
func TestWhatIsUsedUpIsSeenBeforeThreadsAre(t *testing.T) {
	groups := newFakeGroups()
	r, group := fakeRunner(t, groups)
	slow := &slowGroup{fakeGroup: group}
	r.group, r.phase = slow, tended
	order := &task.Order{CPU: 1, MostUS: 1_000_000}
	r.limit(order)
	slow.order = nil
	group.usage.CPU, group.usage.Procs = 999*time.Millisecond, 1
	r.use()
	r.limit(order)
	if want := []string{"set", "look"}; !slices.Equal(slow.order[:min(2, len(slow.order))], want) {
		t.Errorf("it was done in this order: %v", slow.order)
	}
	if r.applied.CPU != 0 {
		t.Errorf("it still has %v", r.applied.CPU)
	}
}
