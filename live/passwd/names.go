package passwd

import (
	"context"
	"fmt"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Names knows what users of this host are called, for a moment without looking again: a
// directory of users may be far away.
type Names struct {
	now func() time.Time

	mu    sync.Mutex
	known map[int]named
}

type named struct {
	name string
	at   time.Time
}

const (
	namesLast = time.Minute
	mostNames = 10_000
)

// NewNames knows nobody yet.
func NewNames(now func() time.Time) *Names { return &Names{now: now, known: map[int]named{}} }

// Of is the name of the user who has a number.
func (n *Names) Of(ctx context.Context, uid int) (string, error) {
	now := n.now()
	n.mu.Lock()
	kept, found := n.known[uid]
	n.mu.Unlock()
	if found && now.Sub(kept.at) < namesLast {
		return kept.name, nil
	}
	name, err := nameOf(ctx, uid)
	if err != nil {
		return "", err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.known) >= mostNames {
		clear(n.known)
	}
	n.known[uid] = named{name, now}
	return name, nil
}

// nameOf asks the host: a program that was built without C reads /etc/passwd alone, and
// getent knows users that are elsewhere too.
func nameOf(ctx context.Context, uid int) (string, error) {
	number := strconv.Itoa(uid)
	if u, err := user.LookupId(number); err == nil {
		return u.Username, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "getent", "passwd", number).Output()
	if err != nil {
		return "", fmt.Errorf("there is no user %d in /etc/passwd, and getent passwd: %w", uid, err)
	}
	fields := strings.Split(string(out), ":")
	if len(fields) < 3 || fields[0] == "" || fields[2] != number {
		return "", fmt.Errorf("getent passwd %d says nothing of that user", uid)
	}
	return fields[0], nil
}
