package client

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Requeues is a Slurm whose users may put their jobs back into the queue.
type Requeues interface {
	// Restarts says how often a job was put back, by whomever, and what is noted with it that only
	// root can write.
	Restarts(ctx context.Context, id int64) (restarts int, remark string, err error)
	// Detain keeps a job that waits from beginning until it is released.
	Detain(ctx context.Context, id int64) error
}

// restartColumns are those of squeue.
const restartColumns = "restartcnt:16,admin_comment:200"

// Restarts asks squeue.
func (c *commands) Restarts(ctx context.Context, id int64) (restarts int, remark string, err error) {
	out, err := c.run(ctx, call{argv: []string{"squeue", "--noheader", "--all", "--states=all", "--jobs=" + strconv.FormatInt(id, 10), "--Format=" + restartColumns}})
	if err != nil {
		return 0, "", fmt.Errorf("job %d: %w", id, err)
	}
	return readRestarts(id, out)
}

func readRestarts(id int64, out string) (restarts int, remark string, err error) {
	count, remark, _ := strings.Cut(strings.TrimSpace(out), " ")
	if restarts, err = strconv.Atoi(count); err != nil {
		return 0, "", fmt.Errorf("%w: job %d was restarted %.40q times", errListing, id, count)
	}
	return restarts, absent(strings.TrimSpace(remark)), nil
}

// Detain holds it, as root: its user does not let it go.
func (c *commands) Detain(ctx context.Context, id int64) error {
	if _, err := c.run(ctx, call{argv: []string{"scontrol", "hold", strconv.FormatInt(id, 10)}}); err != nil {
		return fmt.Errorf("hold job %d: %w", id, err)
	}
	return nil
}

// Restarts asks Slurm's commands.
func (r *rest) Restarts(ctx context.Context, id int64) (restarts int, remark string, err error) {
	if r.killer == nil {
		return 0, "", errNoCommands
	}
	return r.killer.Restarts(ctx, id)
}

// Detain tells Slurm's commands.
func (r *rest) Detain(ctx context.Context, id int64) error {
	if r.killer == nil {
		return errNoCommands
	}
	return r.killer.Detain(ctx, id)
}

var _, _ Requeues = (*commands)(nil), (*rest)(nil)
