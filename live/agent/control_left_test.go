package agent

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// stuck is a group of a job whose processes do not end, as where a file server is away.
type stuck struct{ cgroup.Group }

func (stuck) Sweep(end bool) (left int, spared bool, err error) { return 2, !end, nil }

// What does not end when it is killed is looked at again and again, and said once.
func TestWhatStaysOfAJobIsSaidOnce(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	h := &holder{control: &control{agent: &Agent{log: slog.New(slog.NewTextHandler(&said, nil))}}, id: "4711", group: stuck{}, wake: make(chan struct{}, 1)}
	h.unwanted = awake() - unwantedFor
	for range 3 {
		if !h.leaves() {
			t.Error("nothing is left of it")
		}
	}
	if _, spared, _ := h.group.(cgroup.Sweeper).Sweep(h.over()); !spared {
		t.Error("nobody has said that it is over")
	}
	h.unwanted, h.struck = 0, true
	h.setOrders([]task.Order{{Over: true}}) // the controller has, and need not wait
	if _, spared, _ := h.group.(cgroup.Sweeper).Sweep(h.over()); spared || !h.leaves() {
		t.Error("it is not ended, though the controller says that it is over")
	}
	if lines := strings.Count(said.String(), "it is killed"); lines != 1 {
		t.Errorf("it is said %d times:\n%s", lines, said.String())
	}
}
