package agent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
)

// hears is a controller that hears of refusals.
type hears struct {
	Controller
	refused []task.Refusal
}

func (h *hears) Refuse(_ context.Context, r task.Refusal) error {
	h.refused = append(h.refused, r)
	return nil
}

// A controller on a store that another has replaced hears that it is not obeyed, and by
// whom it was followed; one that is only behind is not told.
func TestARefusalIsSaid(t *testing.T) {
	l, err := readLeaders(filepath.Join(t.TempDir(), "leader"), func() time.Duration { return 0 })
	if err != nil {
		t.Fatal(err)
	}
	h := &hears{}
	a := &Agent{leaders: l, controller: h}
	left, follows := task.Leader{Generation: "A", Term: 7}, task.Leader{Generation: "B", Term: 2}
	for _, who := range []task.Leader{left, follows, {Generation: "B", Term: 1}} {
		_ = a.obeys(t.Context(), &who)
	}
	if len(h.refused) != 0 {
		t.Errorf("%+v", h.refused)
	}
	if err := a.obeys(t.Context(), &left); !errors.Is(err, errOlder) || len(h.refused) != 1 || h.refused[0] != (task.Refusal{Of: left, Follows: follows}) {
		t.Errorf("%v, %+v", err, h.refused)
	}
}

// TestAnOlderLeaderIsNotObeyed goes through who may follow whom, with the agent
// started anew after every word.
func TestAnOlderLeaderIsNotObeyed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "leader")
	var now time.Duration
	for i, step := range []struct {
		says *task.Leader
		good bool
	}{
		{nil, true}, // of an older version
		{&task.Leader{Generation: "A", Term: 3}, true},
		{&task.Leader{Generation: "A", Term: 3}, true},
		{&task.Leader{Generation: "A", Term: 5}, true},
		{&task.Leader{Generation: "A", Term: 4}, false}, // it stood still
		{&task.Leader{Generation: "A", Term: 5}, true},
		{&task.Leader{Generation: "B", Term: 1}, true},  // restored from a backup, or promoted
		{&task.Leader{Generation: "A", Term: 6}, false}, // on the database that was left behind
		{&task.Leader{Generation: "B", Term: 2}, true},
		{&task.Leader{Generation: "C", Term: 1}, true},
		{&task.Leader{Generation: "B", Term: 9}, false},
	} {
		l, err := readLeaders(path, func() time.Duration { return now })
		if err != nil {
			t.Fatal(err)
		}
		if err = l.hear(step.says); (err == nil) != step.good || err != nil && !errors.Is(err, errOlder) {
			t.Errorf("step %d: %v", i, err)
		}
	}
	// A store that was put back by copying files goes on with what it had.
	l, err := readLeaders(path, func() time.Duration { return now })
	if err != nil {
		t.Fatal(err)
	}
	older := &task.Leader{Generation: "C", Term: 0}
	if err = l.hear(older); !errors.Is(err, errOlder) {
		t.Errorf("at once: %v", err)
	}
	now += forgets
	if err = l.hear(older); err != nil {
		t.Errorf("long after the other one was heard of: %v", err)
	}
}

// An operator reads what keeps an agent from its market: only one that does not answer is away.
func TestWhyApart(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&task.TurnedAway{Why: errors.New("node: want a node of Slurm's partition libra")}, "controller does not take this node"},
		{fmt.Errorf("term 1: %w", errReplaced), "controller is not obeyed"},
		{context.DeadlineExceeded, "controller is away"},
	} {
		if got := whyApart(c.err); got != c.want {
			t.Errorf("%v: %s, want %s", c.err, got, c.want)
		}
	}
}
