package agent

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
)

func TestJobsOutliveTheAgentThatHoldsThem(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t)
	order, idle := n.batch(1, 0, 0.3), n.batch(2, 0, 0.4)
	process := n.startProcess()
	n.order(order, idle)
	n.state(t, idle.Spec.Key, task.Starting)
	n.state(t, order.Spec.Key, task.Starting)
	n.standIn(order.Batch, spin)
	var before task.Status
	n.await(t, "it to have used something", func() bool { before = n.last[order.Spec.Key]; return before.CPUUS > 100_000 })
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = process.Wait()
	at := n.spent(order.Batch)
	until(t, "it to go on without an agent", func() bool { return n.spent(order.Batch) > at+200*time.Millisecond })
	if n.quota(order.Batch) != 0.3 || n.quota(idle.Batch) != 0.4 {
		t.Errorf("quotas %v and %v without an agent", n.quota(order.Batch), n.quota(idle.Batch))
	}
	n.reorder(order.Spec.Key, func(o *task.Order) { o.CPU = 0.6 })
	n.startProcess()
	until(t, "the share that was ordered meanwhile", func() bool { return n.quota(order.Batch) == 0.6 })
	at = n.spent(order.Batch)
	var after task.Status
	n.await(t, "what was used meanwhile", func() bool { after = n.last[order.Spec.Key]; return after.CPUUS >= at.Microseconds() })
	if after.State != task.Running || after.StartedUS != before.StartedUS || after.DeclinedUS < before.DeclinedUS {
		t.Errorf("reported as %s, before as %s", show(after), show(before))
	}
	if limit := n.spent(order.Batch).Microseconds(); after.CPUUS > limit {
		t.Errorf("%d us reported, %d used", after.CPUUS, limit)
	}
	n.withdraw()
	n.gone(idle.Batch)
}

// The group alone is enough to go on: what it has used belongs to whoever is
// ordered under its number.
func TestWhatWasWrittenDownIsLost(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t).start()
	order := n.batch(1, 0, 0.5)
	n.order(order)
	n.state(t, order.Spec.Key, task.Starting)
	n.standIn(order.Batch, spin)
	n.await(t, "it to have used something", func() bool { return n.last[order.Spec.Key].CPUUS > 100_000 })
	n.stop()
	n.killAll(order.Batch)
	used := n.spent(order.Batch).Microseconds()
	for _, text := range []string{"", "{", "[]", `{"ranks":7}`} {
		if err := os.WriteFile(filepath.Join(n.config.StateDir, "batch", order.Batch+recordSuffix), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		n.mu.Lock()
		clear(n.last)
		n.mu.Unlock()
		n.start()
		n.await(t, "all that was used", func() bool { return n.last[order.Spec.Key].CPUUS == used })
		n.stop()
	}
}

// However often the agent is killed, every job is held before it begins, and in
// the end all that it used is reported, once.
func TestHoldingAgentKilledAtRandomMoments(t *testing.T) {
	t.Parallel()
	const jobs, seconds = 12, 4
	n := newStoodInNode(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	process := n.startProcess()
	var orders []task.Order
	begun := map[task.Key]bool{}
	for begin := sinceBoot(); sinceBoot()-begin < seconds*time.Second; {
		if job := int64(len(orders)); job < jobs {
			order := n.batch(job, 0, 0.02+random.Float64()/5)
			orders = append(orders, order)
			n.order(order)
		}
		time.Sleep(time.Duration(20+random.IntN(200)) * time.Millisecond)
		n.mu.Lock()
		said := maps.Clone(n.last)
		n.mu.Unlock()
		for _, order := range orders {
			if key := order.Spec.Key; said[key].State == task.Starting && !begun[key] {
				begun[key] = true
				if n.quota(order.Batch) < 0 {
					t.Errorf("job %s may begin without a quota", order.Batch)
				}
				n.standIn(order.Batch, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")
			}
		}
		_ = process.Process.Kill()
		_ = process.Wait()
		process = n.startProcess()
	}
	for _, order := range orders {
		n.await(t, "job "+order.Batch+" to be held", func() bool { return n.last[order.Spec.Key].State != "" })
		if !begun[order.Spec.Key] {
			continue
		}
		var got task.Status
		n.await(t, "the end of job "+order.Batch, func() bool { got = n.last[order.Spec.Key]; return got.EndedUS > 0 })
		if used := n.spent(order.Batch).Microseconds(); got.CPUUS != used || used == 0 || got.State != task.Running {
			t.Errorf("reported as %s, the kernel says %d us", show(got), used)
		}
	}
	n.withdraw()
	for _, order := range orders {
		n.gone(order.Batch)
	}
	t.Logf("%d of %d jobs had begun", len(begun), len(orders))
}
