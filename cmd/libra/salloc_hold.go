package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/libra-market/libra/client"
)

// What holds processors waits for whoever bought them to come, and ends if nobody does:
// a libra salloc that was killed before it had them, or left while the market was away,
// can give nothing back. Who comes says so by a step in the job, which needs Slurm alone.

// comes is how long it waits for them.
const comes = 2 * time.Minute

// markOf is what whoever comes leaves on the node, for the job of a number. A directory is
// made or not, and leads nowhere else.
func markOf(number string) string { return "/tmp/libra-had-" + number }

// holding is a script that is there for so many seconds; where it awaits somebody, no
// longer than they take to come unless they do, and no longer than they have it: who has
// done what they came for says so by a signal, and then it has succeeded.
func holding(seconds int64, awaits bool) string {
	const head = "#!/bin/sh\n# processors that somebody has a terminal on\n"
	if !awaits {
		return fmt.Sprintf("%sexec sleep %d\n", head, seconds)
	}
	return head + fmt.Sprintf(`trap 'kill "$rest" 2>/dev/null; exit 0' USR1
had=%s waited=0
until [ -d "$had" ]; do
	if [ "$waited" -ge %d ]; then
		echo 'nobody came for it' >&2
		exit 75
	fi
	sleep 1
	waited=$((waited + 1))
done
rmdir "$had"
sleep "$((%d > waited ? %[3]d - waited : 0))" &
rest=$!
wait "$rest"
`, markOf(`"$SLURM_JOB_ID"`), int64(comes/time.Second), seconds)
}

// canCome reports whether this machine can start a step, and so say that somebody is here.
func canCome() bool {
	_, err := exec.LookPath("srun")
	return err == nil
}

// come says to what holds the processors that somebody is here.
func (a *allocation) come(ctx context.Context) error {
	step := a.step(ctx, "mkdir", "-p", markOf(a.job.Batch))
	var said bytes.Buffer
	step.Stderr = &said
	if err := step.Run(); err != nil {
		return fmt.Errorf("job %d (slurm:%s) has begun, and Slurm starts no step in it: %w: %s", a.job.ID, a.job.Batch, err, strings.TrimSpace(said.String()))
	}
	a.came = true
	return nil
}

// step is a command on the node where what holds the processors is.
func (a *allocation) step(ctx context.Context, command ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "srun", append([]string{"--jobid=" + a.job.Batch, "--overlap", "--nodes=1", "--ntasks=1", "--relative=0", "--chdir=/", "--quiet"}, command...)...)
}

// done has what holds the processors end as what was done with them did: well. It reports whether
// the market says so, too. Before it has seen that somebody came it knows no signal.
func (a *allocation) done(ctx context.Context) bool {
	const moment = 15 * time.Second
	ctx, stop := context.WithTimeout(ctx, moment)
	defer stop()
	seen := fmt.Sprintf("while [ -d %s ]; do sleep 0.1; done", markOf(a.job.Batch))
	if a.step(ctx, "/bin/sh", "-c", seen).Run() != nil || exec.CommandContext(ctx, "scancel", "--batch", "--signal=USR1", a.job.Batch).Run() != nil {
		return false
	}
	return a.awaitEnd(ctx)
}

// awaitEnd waits for the market to say that the job has ended, and reports whether it has.
func (a *allocation) awaitEnd(ctx context.Context) bool {
	for ctx.Err() == nil {
		now, err := a.market.Job(ctx, a.job.ID)
		if err == nil && now.State.Final() {
			held := a.job.Held
			a.job = now
			a.say("job allocation %s given back: %s paid, %s of what was held is yours again", a.job.Batch, cash(a.job.Charged), cash(max(0, held-a.job.Charged)))
			return true
		}
		time.Sleep(2 * lookAgain)
	}
	return false
}

// cancel gives the job back to the market, which may not answer for a while.
func (a *allocation) cancel(ctx context.Context) error {
	for {
		_, err := a.market.Cancel(ctx, a.job.ID)
		if err == nil || answered(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * lookAgain):
		}
	}
}

// answered reports whether an error is the market's word, and not its silence.
func answered(err error) bool {
	no, is := errors.AsType[*client.Problem](err)
	return is && no.Status < 500
}

// endInSlurm ends what the market could not be told of: in Slurm it is its user's own.
func (a *allocation) endInSlurm(why error) {
	const patience = 30 * time.Second
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	switch {
	case a.job.Batch == "":
		a.say("job %d was not given back: %v; it ends by itself if it begins and nobody comes, and libra cancel %d ends it before", a.job.ID, why, a.job.ID)
	case exec.CommandContext(ctx, "scancel", a.job.Batch).Run() != nil:
		a.say("job %d was not given back: %v; libra cancel %d does it, or scancel %s", a.job.ID, why, a.job.ID, a.job.Batch)
	default:
		a.say("the market does not answer (%v): job allocation %s was ended in Slurm, and the market charges for the time that it was had", why, a.job.Batch)
	}
}
