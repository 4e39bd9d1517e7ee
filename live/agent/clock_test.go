package agent

import "testing"

// How long a task ran, and how long ago it ended, is measured by a clock that nobody
// can set, and survives the agent.
func TestEndsAreMeasuredByAClockThatNobodySets(t *testing.T) {
	n := newNode(t).start()
	order := n.shell(71, "sleep 0.3")
	n.order(order)
	got := n.end(t, order.Spec.Key)
	if got.RanUS < 300_000 || got.AgoUS <= 0 || got.EndedUS == 0 {
		t.Errorf("ended as %s", show(got))
	}
}
