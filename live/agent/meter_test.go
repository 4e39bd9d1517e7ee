package agent

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/task"
)

func TestDeclined(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	tests := []struct {
		name                             string
		share                            float64
		elapsed, used, waited, throttled time.Duration
		want                             time.Duration
	}{
		{"asleep", 0.5, s, 0, 0, 0, 500 * ms},
		{"busy", 0.5, s, 500 * ms, 0, 500 * ms, 0},
		{"busy, and a little of its quota was lost", 0.5, s, 450 * ms, 0, 550 * ms, 0},
		{"denied by others", 0.5, s, 100 * ms, 900 * ms, 0, 0},
		{"held back by its quota for a while, and then asleep", 0.5, s, 300 * ms, 0, 300 * ms, 200 * ms},
		{"held back, denied by others, and then asleep", 0.5, s, 200 * ms, 100 * ms, 300 * ms, 200 * ms},
		{"half asleep", 0.5, s, 250 * ms, 0, 0, 250 * ms},
		{"half asleep and waiting a little", 0.5, s, 200 * ms, 100 * ms, 0, 200 * ms},
		{"more than its share", 0.5, s, 800 * ms, 0, 0, 0},
		{"frozen", 0, s, 0, 0, 0, 0},
		{"many threads", 1, s, s, 7 * s, 0, 0},
		{"of two processors one is idle", 2, s, s, 0, 0, s},
		{"of two processors one is idle, and the other throttled", 1.2, s, 600 * ms, 0, 400 * ms, 600 * ms},
		{"all of it stolen", 1, -ms, 0, 0, 0, 0},
	}
	for _, test := range tests {
		if got := declined(test.share, 1, test.elapsed, test.used, test.waited, test.throttled); got != test.want {
			t.Errorf("%s: declined %v, want %v", test.name, got, test.want)
		}
	}
}

func TestDeclinedIsNeverMoreThanWasGrantedAndNotUsed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		span := rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.Int64Range(-int64(time.Second), int64(time.Hour)).Draw(t, "ns"))
		})
		share := rapid.Float64Range(0, 64).Draw(t, "share")
		elapsed, used := span.Draw(t, "elapsed"), max(span.Draw(t, "used"), 0)
		waited, throttled := span.Draw(t, "waited"), span.Draw(t, "throttled")
		processors := rapid.IntRange(0, 64).Draw(t, "processors")
		got := declined(share, processors, elapsed, used, waited, throttled)
		granted := time.Duration(share * float64(max(elapsed, 0)))
		if got < 0 || got > max(granted-used, 0) {
			t.Fatalf("declined %v of %v, having used %v", got, granted, used)
		}
		if more := declined(share, processors, elapsed, used, waited+time.Second, throttled); more > got {
			t.Fatalf("waiting longer, it declines more: %v, %v", more, got)
		}
	})
}

// An agent that is held up while it looks must not take that for time that the task
// did not want.
func TestAReadingThatTakesLong(t *testing.T) {
	const ms = time.Millisecond
	m := meter{share: 1}
	// What a busy task has used is read at 0, 1000 and 2000; the clock is asked before
	// and after, and the agent waits for a processor in between.
	for i, r := range []reading{{at: -30 * ms, done: 0}, {at: 1000 * ms, done: 1050 * ms}, {at: 1960 * ms, done: 2000 * ms}} {
		r.usage.CPU = time.Duration(i) * time.Second
		m.read(r)
	}
	if m.declined != 0 {
		t.Errorf("a busy task declined %v", m.declined)
	}
}

// Who waits while its processors idle waits for itself, and declines what it does not
// use; one whose processors others use does not.
func TestWhoWaitsForItselfDeclines(t *testing.T) {
	const s = time.Second
	for what, c := range map[string]struct {
		processors                   int
		used, waited, idle, declined time.Duration
	}{
		"both threads on one processor":      {2, 10 * s, 10 * s, 10 * s, 10 * s},
		"others on one of them":              {2, 15 * s, 5 * s, 0, 0},
		"others on both":                     {2, 10 * s, 10 * s, 0, 0},
		"asleep half the time, and crowded":  {2, 5 * s, 5 * s, 15 * s, 15 * s},
		"a herd that wakes together":         {1, 3 * s, 20 * s, 7 * s, 7 * s},
		"a herd, and others a little":        {1, 3 * s, 20 * s, 5 * s, 5 * s},
		"one that others keep from running":  {1, 3 * s, 7 * s, 0, 0},
		"a clock that is coarse":             {1, 10 * s, s, s, 0},
		"nobody knows on which it runs":      {0, 3 * s, 7 * s, 0, 0},
		"it waits less than others have had": {1, 3 * s, 2 * s, s, 5 * s},
	} {
		m := meter{share: float64(max(1, c.processors))}
		m.read(reading{processors: c.processors})
		now := reading{at: 10 * s, done: 10 * s, processors: c.processors, idle: c.idle}
		now.usage.CPU, now.usage.Waited = c.used, c.waited
		m.read(now)
		if m.declined != c.declined {
			t.Errorf("%s: declined %v, want %v", what, m.declined, c.declined)
		}
	}
}

// While a task is being started, and when it has ended and that is being written
// down, there is nobody who could take what is granted.
func TestNobodyDeclinesBeforeTheBeginningAndAfterTheEnd(t *testing.T) {
	r, group := fakeRunner(t, newFakeGroups())
	if err := os.WriteFile(r.folder.started(), []byte(`{"started_us":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r.meter.share = 1
	ago := func() { r.meter.last.done -= time.Minute } // the look before was so long ago
	group.usage.Procs = 1                              // the init
	r.sample()
	ago()
	r.sample() // the share has changed, say
	ago()
	r.observe(enteredNews) // from now on it is in the hands of its user
	r.observe(begunNews)
	if got := r.meter.declined; got > time.Second {
		t.Errorf("declined %v before it began", got)
	}
	ago()
	r.sample()
	if got := r.meter.declined; got < time.Minute {
		t.Errorf("asleep for a minute, declined %v", got)
	}
	before := r.meter.declined
	ago()
	group.usage.Procs = 0
	r.sample()
	if got := r.meter.declined; got != before {
		t.Errorf("declined %v after its end", got-before)
	}
}

func TestMeterRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "meter")
	if m := loadMeter(path); m.declined != 0 {
		t.Errorf("declined %v without a record", m.declined)
	}
	if err := os.WriteFile(path, meterRecord{}.bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []meter{{declined: 1e18, share: 0.123456789012345}, {declined: time.Second, share: 1}} {
		if err := want.save(path); err != nil {
			t.Fatal(err)
		}
		if got := loadMeter(path); *got != want {
			t.Errorf("read %+v, want %+v", got, want)
		}
		if content, err := os.ReadFile(path); err != nil || len(content) != meterWidth {
			t.Errorf("the record has %d bytes, %v", len(content), err)
		}
	}
}

func TestASleeperDeclinesAndABusyTaskDoesNot(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	if err := n.tree.SetWeight(50); err != nil { // others work on this machine too
		t.Fatal(err)
	}
	n.start()
	sleeper, busy := n.shell(1, "sleep 1000"), n.shell(2, "while :; do :; done")
	sleeper.CPU, busy.CPU = 0.4, 0.2
	n.order(sleeper, busy)
	n.state(t, sleeper.Spec.Key, task.Running)
	n.await(t, "what the sleeper declined", func() bool { return n.last[sleeper.Spec.Key].DeclinedUS > 0 })
	n.mu.Lock()
	before, begin := n.last[sleeper.Spec.Key].DeclinedUS, awake()
	n.mu.Unlock()
	n.await(t, "more of it", func() bool { return n.last[sleeper.Spec.Key].DeclinedUS > before+1_400_000 })
	n.mu.Lock()
	span := awake() - begin
	rate := float64(n.last[sleeper.Spec.Key].DeclinedUS-before) / float64(span.Microseconds())
	used, idle := n.last[busy.Spec.Key].CPUUS, n.last[busy.Spec.Key].DeclinedUS
	n.mu.Unlock()
	if rate < 0.2 || rate > 0.8 { // reports lag behind by up to two intervals
		t.Errorf("the sleeper declined %.2f of a processor over %v, want about 0.4", rate, span)
	}
	if used == 0 || idle > used/4 {
		t.Errorf("the busy task used %d us and declined %d us", used, idle)
	}
	t.Logf("sleeper %.3f of a processor, busy task used %d us and declined %d us", rate, used, idle)

	// A new agent goes on counting.
	declined := n.last[sleeper.Spec.Key].DeclinedUS
	n.stop()
	n.start()
	seen := n.reportsUntilNow()
	n.await(t, "a report", func() bool { return n.reports > seen+1 })
	if after := n.last[sleeper.Spec.Key].DeclinedUS; after < declined {
		t.Errorf("a new agent says that %d us were declined, after %d us", after, declined)
	}
}
