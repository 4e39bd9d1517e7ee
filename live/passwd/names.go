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
// directory of users may be far away. That nobody has a number is known for a moment too,
// and one looks for all who wait: each look may be a program that is started, and users of
// the host have numbers, for their containers, that nobody has a name for.
type Names struct {
	now func() time.Time
	ask func(ctx context.Context, uid int) (string, error)

	mu    sync.Mutex
	known map[int]*named
}

// named is what the host says of a number, once it has.
type named struct {
	said chan struct{} // closed then
	name string
	err  error
	at   time.Time
}

// over reports whether it is time to look again.
func (n *named) over(now time.Time) bool {
	select {
	case <-n.said:
	default:
		return false
	}
	if n.err != nil {
		return now.Sub(n.at) >= strangersLast
	}
	return now.Sub(n.at) >= namesLast
}

const (
	namesLast     = time.Minute
	strangersLast = 5 * time.Second
	mostNames     = 10_000
)

// NewNames knows nobody yet.
func NewNames(now func() time.Time) *Names {
	return &Names{now: now, ask: nameOf, known: map[int]*named{}}
}

// Of is the name of the user who has a number.
func (n *Names) Of(ctx context.Context, uid int) (string, error) {
	n.mu.Lock()
	one := n.known[uid]
	if one == nil || one.over(n.now()) {
		if len(n.known) >= mostNames {
			clear(n.known)
		}
		one = &named{said: make(chan struct{})}
		n.known[uid] = one
		go n.look(context.WithoutCancel(ctx), uid, one) // others wait for it, whoever hangs up
	}
	n.mu.Unlock()
	select {
	case <-one.said:
		return one.name, one.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (n *Names) look(ctx context.Context, uid int, one *named) {
	defer close(one.said)
	one.name, one.err = n.ask(ctx, uid)
	one.at = n.now()
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
