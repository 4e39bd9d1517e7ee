package slurm

import (
	"runtime"
	"testing"

	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/task"
)

// fullNode is a node with so many tasks, and what the market wants there.
func fullNode(t *testing.T, tasks int) (*Backend, *node, []dispatch.Want) {
	t.Helper()
	b, n := idle(t, Agents)
	var wants []dispatch.Want
	for id := range tasks {
		spec := &task.Spec{Key: task.Key{Job: int64(id) + 10}, Size: 1, Nodes: []string{"n1"}, User: "ann", Argv: []string{"true"}}
		wants = append(wants, dispatch.Want{Spec: spec, CPU: 0.5, Weight: 0.5})
	}
	b.applyWants(n, &task.Desired{Version: 2, LeaseMS: 60_000}, wants)
	b.applyWants(n, &task.Desired{Version: 3, LeaseMS: 60_000}, wants)
	return b, n, wants
}

// Who comes gives all tasks of a node another share. They are told, and nothing is put
// together anew for any of them.
func TestOtherSharesCostNoOrders(t *testing.T) {
	const tasks, times = 500, 50
	b, n, wants := fullNode(t, tasks)
	d := &task.Desired{Version: 4, LeaseMS: 60_000}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		for i := range wants {
			wants[i].CPU /= 2
		}
		b.applyWants(n, d, wants)
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / times; each > 10*tasks { // a whole order has 500 bytes
		t.Errorf("taking in other shares of %d tasks has %d bytes", tasks, each)
	}
}

func TestWhatChangesOfATaskIsTakenIn(t *testing.T) {
	b, n, wants := fullNode(t, 4)
	first, second, third := b.runs[runKey{job: 10}], b.runs[runKey{job: 11}], b.runs[runKey{job: 12}]
	b.added()
	clear(b.dirty)
	wants[0].CPU, wants[0].Weight, wants[0].Processor, wants[0].More, wants[0].MostUS = 0.25, 0.2, 3, []int{4}, 77
	wants[1].Stop = task.Terminate
	other := *wants[2].Spec // put elsewhere and back, or read from the log anew
	other.QOS = "high"
	wants[2].Spec = &other
	b.applyWants(n, &task.Desired{Version: 4, LeaseMS: 60_000}, wants[:3])
	if o := first.orders[0]; o.CPU != 0.25 || o.Weight != 0.2 || o.Processor != 3 || len(o.More) != 1 || o.MostUS != 77 || b.dirty[first] || first.tallied.stale {
		t.Errorf("a share: %+v, dirty %v, added up anew %v", o, b.dirty[first], first.tallied.stale)
	}
	if o := second.orders[0]; o.Stop != task.Terminate || !b.dirty[second] {
		t.Errorf("who is to end: %+v, dirty %v", o, b.dirty[second])
	}
	if third.qos != "high" || third.orders[0].Spec.QOS != "high" || !third.tallied.stale {
		t.Errorf("who is described otherwise: %q %+v", third.qos, third.orders[0])
	}
	if gone := b.runs[runKey{job: 13}]; len(gone.orders) != 0 || !b.dirty[gone] {
		t.Errorf("who is not wanted any more: %+v, dirty %v", gone.orders, b.dirty[gone])
	}
	b.applyWants(n, &task.Desired{Version: 5, LeaseMS: 60_000}, wants)
	if back := b.runs[runKey{job: 13}]; len(back.orders) != 1 {
		t.Error("who is wanted again has no order")
	}
}

// A listing is read time and again, and most of it may be others': to see whose a job is makes no
// garbage.
func TestToSeeWhoseAJobIsMakesNoGarbage(t *testing.T) {
	b, _ := idle(t, Agents)
	r := b.runs[runKey{job: 5}]
	own := b.commentOf(r) + " nightly"
	for _, comment := range []string{own, "nightly", "", "libra:", "libra:" + b.Mark, "libra:other:5.0:abc"} {
		key, nonce, mine := b.parseComment(comment)
		if mine != (comment == own) || mine && (key != r.key || nonce != r.nonce) {
			t.Errorf("%q: %v %q %v", comment, key, nonce, mine)
		}
		if n := testing.AllocsPerRun(10, func() { b.parseComment(comment) }); n > 0 {
			t.Errorf("%q has %v allocations", comment, n)
		}
	}
}
