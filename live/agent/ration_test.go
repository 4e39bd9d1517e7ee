package agent

import (
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/task"
)

// However fast a task is within its quota, and though the agent comes late by as much
// as a period of the kernel, it cannot have more than it has left: at worst the kernel
// has just given it the quota of a period when it is looked at, and does so again and
// again until the next look.
func TestARationIsNotPassed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		processors := rapid.IntRange(1, 8).Draw(t, "processors")
		share := rapid.Float64Range(0.01, 1).Draw(t, "share") * float64(processors)
		left := time.Duration(rapid.Int64Range(1, int64(3*time.Second)).Draw(t, "left"))
		late := time.Duration(rapid.Int64Range(0, int64(20*time.Millisecond)).Draw(t, "late"))
		for looks := 0; ; looks++ {
			if looks > 500 {
				t.Fatal("it never comes to its limit")
			}
			cpu, look := ration(left, share, processors)
			if cpu == 0 {
				break
			}
			if look <= 0 {
				t.Fatalf("nobody looks again with %v left", left)
			}
			elapsed := look + late
			quota := time.Duration(cpu * float64(quotaPeriod))
			periods := elapsed/quotaPeriod + 2
			left -= min(periods*quota, elapsed*time.Duration(processors))
		}
		if left < -2*time.Duration(processors)*late-lastBit {
			t.Fatalf("%v more than was sold", -left)
		}
	})
}

// What was sold is on disk: the next agent stops the task before it has heard a word.
func TestASoldLimitHoldsWithoutAController(t *testing.T) {
	r, group := fakeRunner(t, newFakeGroups())
	if err := os.WriteFile(r.folder.meter(), meterRecord{}.bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	r.ration = time.NewTimer(time.Hour)
	order := task.Order{CPU: 0.5, MostUS: 1_000_000}
	r.limit(&order)
	if got := group.sets[len(group.sets)-1].CPU; got != 0.5 {
		t.Errorf("with all of it left: a share of %v", got)
	}
	next := newRunner(r.agent, r.key)
	next.phase, next.folder, next.group, next.ration = tended, r.folder, group, time.NewTimer(time.Hour)
	next.meter = loadMeter(r.folder.meter())
	group.usage.CPU = 900 * time.Millisecond
	next.stayWithin()
	if group.frozen {
		t.Error("stopped with a tenth of it left")
	}
	group.usage.CPU = time.Second
	next.sample()
	next.stayWithin()
	if status, _ := next.current(); !group.frozen || status.State != task.Frozen {
		t.Errorf("it runs on after it has had all: %+v", status)
	}
	order.MostUS = 2_000_000 // more has been sold
	next.limit(&order)
	if got := group.sets[len(group.sets)-1].CPU; got != 0.5 || next.held {
		t.Errorf("with more sold: a share of %v, stopped %v", got, next.held)
	}
}

// A task that is close to its limit is slowed down, and said to be; at it, it stands
// still; and one that is told to end then has nothing to end with.
func TestATaskComesToItsLimit(t *testing.T) {
	r, group := fakeRunner(t, newFakeGroups())
	r.ration = time.NewTimer(time.Hour)
	order := task.Order{CPU: 1, MostUS: 1_000_000}
	shares := map[time.Duration]float64{}
	for _, used := range []time.Duration{0, 900 * time.Millisecond, 970 * time.Millisecond, 991 * time.Millisecond} {
		group.usage.CPU = used
		r.sample()
		r.limit(&order)
		shares[used] = group.sets[len(group.sets)-1].CPU
		status, _ := r.current()
		if low := used > 909*time.Millisecond; status.Low != low {
			t.Errorf("after %v: low %v, declined %v, %+v", used, status.Low, r.meter.declined, status)
		}
	}
	if a, b, c, d := shares[0], shares[900*time.Millisecond], shares[970*time.Millisecond], shares[991*time.Millisecond]; a != 1 || b != 1 || c >= 0.2 || d != 0 {
		t.Errorf("shares %v", shares)
	}
	order.Stop = task.Terminate
	if how := r.windUp(&order); how != task.Terminate || group.sets[len(group.sets)-1].CPU != leastShare {
		t.Errorf("told to end with a little left: %q, %+v", how, group.sets[len(group.sets)-1])
	}
	group.usage.CPU = time.Second
	r.sample()
	if how := r.windUp(&order); how != task.Kill {
		t.Errorf("told to end with nothing left: %q", how)
	}
}
