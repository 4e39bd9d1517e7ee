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
	// Returns says the same of the elements of an array, by their numbers there.
	Returns(ctx context.Context, id int64) (map[int]Return, error)
	// RemarkElement notes a text with one of them.
	RemarkElement(ctx context.Context, id int64, element int, text string) error
	// Detain keeps a job that waits from beginning until it is released.
	Detain(ctx context.Context, id int64) error
}

// Return is how often an element of an array was put back, and what is noted with it.
type Return struct {
	Restarts int
	Remark   string
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

// readRestarts reads those of a job. Those of the elements of an array are added up.
func readRestarts(id int64, out string) (restarts int, remark string, err error) {
	for line := range strings.Lines(strings.TrimSpace(out) + "\n") {
		count, said, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, wrong := strconv.Atoi(count)
		if wrong != nil {
			return 0, "", fmt.Errorf("%w: job %d was restarted %.40q times", errListing, id, count)
		}
		restarts, remark = restarts+n, absent(strings.TrimSpace(said))
	}
	return restarts, remark, nil
}

// Returns asks squeue, in a line of each.
func (c *commands) Returns(ctx context.Context, id int64) (map[int]Return, error) {
	out, err := c.run(ctx, call{argv: []string{"squeue", "--noheader", "--all", "--array", "--jobs=" + strconv.FormatInt(id, 10), "--Format=arraytaskid:16," + restartColumns}})
	if err != nil {
		return nil, fmt.Errorf("elements of job %d: %w", id, err)
	}
	all := map[int]Return{}
	for line := range strings.Lines(out) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		e, wrong := strconv.Atoi(word)
		if wrong != nil {
			return nil, fmt.Errorf("%w: element %.40q of job %d", errListing, word, id)
		}
		var one Return
		if one.Restarts, one.Remark, err = readRestarts(id, rest); err != nil {
			return nil, err
		}
		all[e] = one
	}
	return all, nil
}

// RemarkElement notes a text with an element by its number in its array: its own may be that of all.
func (c *commands) RemarkElement(ctx context.Context, id int64, element int, text string) error {
	_, err := c.run(ctx, call{argv: []string{"scontrol", "update", fmt.Sprintf("jobid=%d_%d", id, element), "admincomment=" + oneLine(text)}})
	return err
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

// Returns asks Slurm's commands.
func (r *rest) Returns(ctx context.Context, id int64) (map[int]Return, error) {
	if r.killer == nil {
		return nil, errNoCommands
	}
	return r.killer.Returns(ctx, id)
}

// RemarkElement tells Slurm's commands.
func (r *rest) RemarkElement(ctx context.Context, id int64, element int, text string) error {
	if r.killer == nil {
		return errNoCommands
	}
	return r.killer.RemarkElement(ctx, id, element, text)
}

var _, _ Requeues = (*commands)(nil), (*rest)(nil)
