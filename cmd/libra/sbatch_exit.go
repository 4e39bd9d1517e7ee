package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/directive"
)

// exitUnread is what sbatch ends with where it cannot read its options, or those in a script.
const exitUnread = 255

// sbatchError is what went wrong with a job that was handed in as with sbatch, and what that would
// have ended with: scripts that hand in others look at it.
type sbatchError struct {
	err  error
	code int
}

func (e *sbatchError) Error() string { return e.err.Error() }
func (e *sbatchError) Unwrap() error { return e.err }

// asSbatch has a mistake of a user end like one in sbatch. What the market says stays what it is.
func asSbatch(err error) error {
	if directive.Unread(err) {
		return &sbatchError{err, exitUnread}
	}
	if _, usage := errors.AsType[*usageError](err); usage {
		return &sbatchError{err, exitFailure}
	}
	return err
}

// waitedFor is what sbatch --wait ends with for a job that failed: the highest exit status of its
// elements, where what a signal ended counts for 1.
func waitedFor(j *v1.Job) int {
	highest := 0
	look := func(exit int, signal string) {
		if signal != "" {
			exit = exitFailure
		}
		highest = max(highest, exit)
	}
	for i := range j.Tasks {
		t := &j.Tasks[i]
		for _, e := range t.Elements {
			look(e.Exit, e.Signal)
		}
		if t.State == v1.TaskEnded {
			look(t.Exit, t.Signal)
		}
	}
	if highest == 0 { // it failed of something else
		return exitFailure
	}
	return highest
}

// slurmVersion is what sbatch says of its version: programs that hand in jobs look at it. Another
// of Slurm's commands is asked, since sbatch may be a name of this one.
func slurmVersion(ctx context.Context) string {
	said, err := exec.CommandContext(ctx, "scontrol", "--version").Output()
	if err != nil {
		return fmt.Sprintf("libra %s", readBuild())
	}
	return strings.TrimSpace(string(said))
}
