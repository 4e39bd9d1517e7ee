package agent

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// An agent that is not root runs its own user's tasks and no others.
func TestAnAgentWithoutPrivileges(t *testing.T) {
	t.Parallel()
	n := newPlainNode(t)
	other := bob(t)
	n.config.Weight = 100 // which signals do not have
	n.startProcess()
	n.await(t, "the agent to register", func() bool { return len(n.hellos) > 0 })
	if hello := n.hellos[0]; hello.User != n.user.Name || hello.Limits != cgroup.Signals {
		t.Errorf("it said %+v", hello)
	}
	own, loop, foreign, root := n.shell(1, "id -un; exit 3"), n.shell(2, slow), n.shell(3, "true"), n.shell(4, "true")
	loop.Spec.Output, loop.Spec.Error = "loop", ""
	array := n.shell(5, "setsid sleep 1000 & exit $LIBRA_ARRAY_INDEX")
	array.Spec.Elements, array.Spec.Output, array.Spec.Error = []int{0, 1}, "", ""
	foreign.Spec.User, root.Spec.User = other.Name, "root"
	n.order(own, loop, foreign, root, array)
	if got := n.end(t, own.Spec.Key); got.State != task.Ended || got.Exit != 3 || n.file("out") != n.user.Name+"\n" {
		t.Errorf("its own task ended as %s", show(got))
	}
	for _, key := range []task.Key{foreign.Spec.Key, root.Spec.Key} {
		if got := n.end(t, key); got.State != task.Refused || !strings.Contains(got.Error, "own user") {
			t.Errorf("another's task ended as %s", show(got))
		}
	}
	if got := n.end(t, array.Spec.Key); got.State != task.Ended || len(got.Elements) != 2 || got.Elements[1].Exit != 1 {
		t.Errorf("an array ended as %s", show(got))
	}
	n.state(t, loop.Spec.Key, task.Running)
	until(t, "its first line", func() bool { return n.has("loop", "begun") })
	n.reorder(loop.Spec.Key, func(o *task.Order) { o.CPU = 0 })
	n.state(t, loop.Spec.Key, task.Frozen)
	n.reorder(loop.Spec.Key, func(o *task.Order) { o.CPU = 0.5 })
	n.state(t, loop.Spec.Key, task.Running)
	n.stop()
	n.startProcess()
	n.reorder(loop.Spec.Key, func(o *task.Order) { o.Stop = task.Terminate })
	if got := n.end(t, loop.Spec.Key); got.Exit != 5 {
		t.Errorf("a task that was stopped ended as %s", show(got))
	}
	n.empty()
}
