package agent

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
)

// drawnMachine has a clock, and processors that idle, as a test says.
type drawnMachine struct {
	thisMachine

	now, idle time.Duration
}

func (m *drawnMachine) Awake() time.Duration { return m.now }
func (m *drawnMachine) Idle() map[int]Idle   { return map[int]Idle{4: {idle: m.idle}} }

// drawnRunner has a program that its node saw begin, on a machine that stands still.
func drawnRunner(t *testing.T, share float64) (*runner, *fakeGroup, *drawnMachine) {
	t.Helper()
	r, group := fakeRunner(t, newFakeGroups())
	m := &drawnMachine{now: time.Hour}
	r.agent.machine, r.agent.steal.machine = m, m
	put(t, r.folder.started(), beginning{StartedUS: 1})
	put(t, r.folder.meter(), meterRecord{})
	r.limit(&task.Order{CPU: share})
	r.observe(enteredNews)
	r.observe(begunNews)
	return r, group, m
}

func put(t *testing.T, path string, value any) {
	t.Helper()
	content, err := json.Marshal(value)
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

const ms = time.Millisecond

// What a program sleeps between the last look at it and its end is declined like any
// other sleep; what others had meanwhile, and how long it took to write the end down,
// is not.
func TestTheSleepBeforeTheEndIsDeclined(t *testing.T) {
	const ranFor, writtenAfter = 750 * ms, 400 * ms
	for what, c := range map[string]struct {
		share, used, idle time.Duration // the share in thousandths
		least, most       time.Duration
	}{
		"asleep":                      {1000, 0, ranFor + writtenAfter, 730 * ms, 750 * ms},
		"asleep with half a share":    {500, 0, ranFor + writtenAfter, 365 * ms, 375 * ms},
		"works, then sleeps":          {1000, 250 * ms, 500*ms + writtenAfter, 480 * ms, 500 * ms},
		"works to the end":            {1000, ranFor, writtenAfter, 0, 0},
		"asleep, and others work":     {1000, 2 * ms, 0, 710 * ms, 730 * ms},
		"works, and waits for others": {1000, 300 * ms, writtenAfter, 0, 0},
		"stands still":                {0, 0, ranFor + writtenAfter, 0, 0},
	} {
		for _, looked := range []bool{false, true} { // while the end was being written down
			r, group, m := drawnRunner(t, float64(c.share)/1000)
			at := m.now + ranFor
			m.now, m.idle = at+writtenAfter, m.idle+c.idle
			group.usage.CPU, group.usage.Procs = c.used, 0
			if looked {
				r.sample()
			}
			put(t, r.folder.status(), verdict{Status: task.Status{Key: r.key, State: task.Ended}, Boot: 1, Over: at})
			r.conclude()
			end, _ := r.current()
			if got := time.Duration(end.DeclinedUS) * time.Microsecond; r.phase != over || got < c.least || got > c.most {
				t.Errorf("%s (looked at meanwhile: %v): declined %v, want %v to %v", what, looked, got, c.least, c.most)
			}
			if got := loadMeter(r.folder.meter()).declined; got.Microseconds() != end.DeclinedUS {
				t.Errorf("%s: the next agent would say that %v were declined", what, got)
			}
		}
	}
}

// The sleep before the end of a mandatory part is that part's.
func TestTheSleepBeforeTheOptionalPartIsDeclined(t *testing.T) {
	r, group, m := drawnRunner(t, 1)
	at := m.now + 750*ms
	m.now, m.idle = m.now+time.Second, m.idle+time.Second
	group.usage.Procs = 0
	put(t, r.folder.optional(), switchover{Over: at})
	r.observe(optionalNews)
	if s, _ := r.current(); s.MandatoryDeclinedUS < 730_000 || s.MandatoryDeclinedUS > 750_000 {
		t.Errorf("declined %d us before its optional part, want 750000", s.MandatoryDeclinedUS)
	}
}
