package client

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/libra-market/libra/live/passwd"
)

// owner is a user of the host as Slurm must be told of it.
type owner struct{ uid, gid string }

// owners are users that were found lately: some are in a directory that is slow to
// answer, and a user hands in many jobs.
type owners struct {
	now   func() time.Time
	named []string // users of the system that may have jobs

	mu    sync.Mutex
	known map[string]owner
	since time.Time
}

// knownFor is how long what was found is believed.
const knownFor = time.Minute

// find finds the user of a job.
func (o *owners) find(ctx context.Context, name string) (owner, error) {
	now := o.now()
	o.mu.Lock()
	if now.Sub(o.since) > knownFor {
		o.known, o.since = map[string]owner{}, now
	}
	found, here := o.known[name]
	o.mu.Unlock()
	if here {
		return found, nil
	}
	found, err := lookup(ctx, name)
	if err == nil {
		err = found.permit(name, o.named)
	}
	if err == nil {
		o.mu.Lock()
		o.known[name] = found
		o.mu.Unlock()
	}
	return found, err
}

// permit refuses a user of the system who is not named: whoever owns the market is
// not thereby root on the nodes of Slurm.
func (o owner) permit(name string, named []string) error {
	uid, err := strconv.Atoi(o.uid)
	if err != nil || passwd.System(uid) && !slices.Contains(named, name) {
		return fmt.Errorf("%w: %q is a user of the system, and this market was not told to run jobs as such (slurm.system_users)", ErrRefused, name)
	}
	return nil
}

// lookup asks the system for a user. Slurm's own answer to a name that nobody has is
// indistinguishable from an accident, so it is not asked.
func lookup(ctx context.Context, name string) (owner, error) {
	if name == "" || strings.ContainsAny(name, ":\x00\n\r\t ") || name[0] == '-' {
		return owner{}, fmt.Errorf("%w: %q is not the name of a user", ErrRefused, name)
	}
	var found owner
	u, err := user.Lookup(name)
	var unknown user.UnknownUserError
	switch {
	case err == nil:
		found = owner{u.Uid, u.Gid}
	case errors.As(err, &unknown):
		// A program without the C library sees only /etc/passwd.
		if found, err = queryDirectory(ctx, name); err != nil {
			return owner{}, err
		}
	default:
		return owner{}, fmt.Errorf("look up user %q: %w", name, err)
	}
	if found.uid == "0" && name != "root" {
		return owner{}, fmt.Errorf("%w: %q has the powers of root", ErrRefused, name)
	}
	return found, nil
}

// queryDirectory asks the system's own program, which knows every source of users.
func queryDirectory(ctx context.Context, name string) (owner, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "getent", "passwd", name)
	cmd.WaitDelay = time.Second
	line, err := cmd.Output()
	if ctx.Err() != nil {
		return owner{}, fmt.Errorf("look up user %q: %w", name, ctx.Err())
	}
	fields := strings.Split(strings.TrimSpace(string(line)), ":")
	if err != nil || len(fields) != 7 || fields[0] != name {
		return owner{}, fmt.Errorf("%w: there is no user %q", ErrRefused, name)
	}
	return owner{fields[2], fields[3]}, nil
}
