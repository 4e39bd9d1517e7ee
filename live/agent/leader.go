package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/libra-market/libra/core/task"
)

// leaders remembers under whose lead orders were heard, across restarts. A
// controller that stood still, or stands on a database that was left behind, does
// not know that another one leads: what it says is not obeyed.
type leaders struct {
	path  string
	clock func() time.Duration // sinceBoot, but for tests

	mu    sync.Mutex
	now   leaderFile
	heard time.Duration // when it was last heard of, or the agent was started
}

type leaderFile struct {
	task.Leader

	// Left are generations of the store that others have come after.
	Left []string `json:"left,omitempty"`
}

// mostLeft bounds what is remembered.
const mostLeft = 64

// forgets is how long after a leader was last heard of an older one of the same
// generation is believed. One that stood still has long noticed by then; this one
// has a store that was put back to what it was, by copying files.
const forgets = time.Minute

// errReplaced is an order of one whose store another has replaced.
var errReplaced = fmt.Errorf("on a store that another has replaced: %w", errOlder)

// errOlder is an order of a leader that others have come after.
var errOlder = errors.New("it does not lead any more")

func readLeaders(path string, clock func() time.Duration) (*leaders, error) {
	l := &leaders{path: path, clock: clock, heard: clock()}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err == nil && json.Unmarshal(text, &l.now) != nil {
		l.now = leaderFile{} // it was cut off: whoever speaks next is believed
	}
	return l, err
}

// hear notes who speaks, and says why they are not to be obeyed, if they are not.
// Controllers of older versions do not tell.
func (l *leaders) hear(who *task.Leader) error {
	if who == nil || who.Generation == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	next := l.now
	switch {
	case who.Generation == l.now.Generation && who.Term == l.now.Term:
		l.heard = l.clock()
		return nil
	case who.Generation == l.now.Generation && who.Term < l.now.Term && l.clock()-l.heard < forgets:
		return fmt.Errorf("a controller says to lead with %s, and %s was heard: %w", who, &l.now.Leader, errOlder)
	case slices.Contains(l.now.Left, who.Generation):
		return fmt.Errorf("a controller says to lead with %s, and %s was heard: %w; if the old store was put back on purpose, stop its market, "+
			"run libra restore --put-back on the store, and start it again", who, &l.now.Leader, errReplaced)
	case l.now.Generation != "" && who.Generation != l.now.Generation:
		next.Left = append(slices.Clone(next.Left), l.now.Generation)
		next.Left = next.Left[max(0, len(next.Left)-mostLeft):]
	}
	next.Leader = *who
	l.now, l.heard = next, l.clock()
	_ = l.keep() // on a full disk it is remembered for as long as the agent lives
	return nil
}

func (l *leaders) keep() error {
	text, err := json.Marshal(&l.now)
	if err != nil {
		return err
	}
	if err = os.WriteFile(l.path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(l.path+".new", l.path)
}

// follows is who is obeyed.
func (l *leaders) follows() task.Leader {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now.Leader
}

// obeys reports whether who speaks is to be obeyed. If not, the next controller is
// asked; one whose store was replaced is told, so that its operator hears of it.
func (a *Agent) obeys(ctx context.Context, who *task.Leader) error {
	err := a.leaders.hear(who)
	if err == nil {
		return nil
	}
	if told, ok := a.controller.(interface {
		Refuse(context.Context, task.Refusal) error
	}); ok && errors.Is(err, errReplaced) {
		_ = told.Refuse(ctx, task.Refusal{Of: *who, Follows: a.leaders.follows()}) // older ones do not know the call; else it is said again soon
	}
	if others, ok := a.controller.(interface{ Elsewhere() }); ok {
		others.Elsewhere()
	}
	return err
}
