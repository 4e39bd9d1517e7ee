package agent

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
)

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
