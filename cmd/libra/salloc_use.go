package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

// allocation is a job whose processors somebody has a terminal on.
type allocation struct {
	con         *console
	market      *client.Client
	job         v1.Job
	lasts       time.Duration // for how long it is had
	patience    time.Duration // with a market that is to take it back
	came        bool          // what holds it knows that somebody is here
	json, quiet bool
}

// grant buys it and waits until Slurm has begun it. Whoever gives up meanwhile owes what
// the market's terms say, and holds nothing.
func (a *allocation) grant(ctx context.Context, r v1.Request, ratings []float64) error {
	if err := a.buy(ctx, r, ratings); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	err := a.await(ctx)
	if err == nil && canCome() {
		err = a.come(ctx)
	}
	if err != nil {
		a.giveBack(false)
		return err
	}
	a.say("granted job allocation %s (job %d) on %s", a.job.Batch, a.job.ID, a.nodes())
	return nil
}

// buy asks for the fastest processors first, so that wherever it comes to be it lasts as
// long; where those are not to be had, for slower ones. It asks before it hands anything in:
// what is not to be had leaves no refused jobs in anybody's list.
func (a *allocation) buy(ctx context.Context, r v1.Request, ratings []float64) (err error) {
	if len(ratings) == 0 {
		return errors.New("no node takes jobs now")
	}
	for i, rating := range ratings {
		if _, err = a.market.Preview(ctx, lasts(r, rating)); err == nil {
			a.job, err = a.market.Submit(ctx, lasts(r, rating), "")
		}
		if no, is := errors.AsType[*client.Problem](err); is && i+1 < len(ratings) && no.Reason == market.CannotMeetDeadline.String() {
			continue
		}
		if err != nil {
			return err
		}
		most := cash(a.job.Price) + " at most"
		if i > 0 { // where those who are faster have a little room it is used up sooner, and goes on at the price of then
			most = "about " + cash(a.job.Price)
		}
		a.say("%s an hour, %s for %s", cash(int64(float64(a.job.Price)/(a.lasts+ends).Hours())), most, lasting(a.lasts))
		return nil
	}
	return err
}

// await waits until the processors are there.
func (a *allocation) await(ctx context.Context) error {
	for {
		now, err := a.market.Job(ctx, a.job.ID)
		switch {
		case err != nil && (answered(err) || ctx.Err() != nil):
			return err
		case err != nil: // it may be started anew this moment, and what was bought is bought
		case now.State.Final():
			a.job = now
			return endOf(&a.job)
		default:
			if a.job = now; isThere(&now) {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(4 * lookAgain):
		}
	}
}

// isThere reports whether Slurm has begun it. What holds it is a process on one of its
// nodes: the first by Slurm's order, which need not be that of its first task.
func isThere(j *v1.Job) bool {
	return j.Batch != "" && slices.ContainsFunc(j.Tasks, func(t v1.TaskStatus) bool { return t.StartedUS > 0 })
}

func (a *allocation) nodes() string {
	var names []string
	for _, p := range a.job.Places {
		if len(names) == 0 || names[len(names)-1] != p.Node {
			names = append(names, p.Node)
		}
	}
	return strings.Join(names, ",")
}

func (a *allocation) say(format string, args ...any) {
	if !a.quiet {
		printf(a.con.err, "libra: "+format+"\n", args...)
	}
}

// left says what is kept.
func (a *allocation) left() error {
	if a.json {
		return a.con.writeJSON(a.job)
	}
	a.say("libra cancel %d gives it back", a.job.ID)
	_, err := printline(a.con.out, a.job.Batch)
	return err
}

// use runs a command, or a shell, on what was granted, gives it back, and exits as the
// command did.
func (a *allocation) use(ctx context.Context, command []string, step bool) error {
	cmd := exec.Command(a.argv(command, step)[0], a.argv(command, step)[1:]...)          //nolint:noctx // it is what the user wants, and it is theirs to end
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.con.in, beneath(a.con.out), beneath(a.con.err) // the terminal is the command's
	cmd.Env = append(os.Environ(), "SLURM_JOB_ID="+a.job.Batch, "SLURM_JOBID="+a.job.Batch, "SLURM_JOB_NODELIST="+a.nodes(), "SLURM_NODELIST="+a.nodes(), fmt.Sprintf("LIBRA_JOB_ID=%d", a.job.ID))
	mine := make(chan os.Signal, 1)
	signal.Notify(mine, os.Interrupt) // Ctrl-C is for the command, however often
	defer signal.Stop(mine)
	leave := make(chan os.Signal, 1)
	signal.Notify(leave, syscall.SIGHUP, syscall.SIGTERM)
	defer signal.Stop(leave)
	if err := cmd.Start(); err != nil {
		a.giveBack(false)
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	watch, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	over := make(chan v1.Job, 1)
	go a.watch(watch, over)
	var err error
	for running := true; running; {
		select {
		case err = <-ended:
			running = false
		case <-leave: // the terminal is closed, or somebody wants the end
			_ = cmd.Process.Signal(syscall.SIGTERM)
			a.giveBack(false)
			leave = nil
		case a.job = <-over: // the time is over, or the node is lost: Slurm ends what runs there
			a.overBy()
			_ = cmd.Process.Signal(syscall.SIGTERM)
			over = nil
		}
	}
	a.giveBack(err == nil)
	if a.json {
		if wrong := a.con.writeJSON(a.job); wrong != nil {
			return wrong
		}
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code := exit.ExitCode()
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			code = 128 + int(status.Signal())
		}
		return &jobEnd{"", code}
	}
	if err == nil && a.job.State == v1.Lost { // srun that is told to end may take that for a good end
		return &jobEnd{"", 1}
	}
	return err
}

// argv is what is run: a shell on the node, a step there, or a command here.
func (a *allocation) argv(command []string, step bool) []string {
	srun := []string{"srun", "--jobid=" + a.job.Batch}
	if isTerminal(a.con.in) && isTerminal(beneath(a.con.out)) {
		srun = append(srun, "--pty")
	}
	switch {
	case step:
		return append(srun, command...)
	case len(command) > 0:
		return command
	}
	shell := os.Getenv("SHELL")
	if shell == "" {
		shell = "/bin/sh"
	}
	return append(srun, "--nodes=1", "--ntasks=1", shell)
}

// beneath is the file that a screen shows, or else the screen.
func beneath(w io.Writer) io.Writer {
	if s, is := w.(*screen); is {
		if file, is := s.to.(*os.File); is {
			return file
		}
	}
	return w
}

func isTerminal(stream any) bool {
	file, is := stream.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}

// watch says when the job has ended by itself.
func (a *allocation) watch(ctx context.Context, over chan<- v1.Job) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		if now, err := a.market.Job(ctx, a.job.ID); err == nil && now.State.Final() {
			over <- now
			return
		}
	}
}

// overBy says how it ended by itself, and why.
func (a *allocation) overBy() {
	text := howItEnded(&a.job)
	if a.job.Detail != "" {
		text += "; " + a.job.Detail
	}
	a.say("%s", text)
}

// ended waits for the end of a job that Slurm has ended by itself, because its time is over
// or its node lost: the market hears of it a little later than the command.
func (a *allocation) ended(ctx context.Context) bool {
	const moment = 15 * time.Second
	if a.job.Batch == "" { // Slurm does not have it yet
		return false
	}
	state, err := exec.CommandContext(ctx, "squeue", "--noheader", "--states=all", "--jobs="+a.job.Batch, "--format=%T").Output()
	if now := strings.TrimSpace(string(state)); err != nil || now == "" || now == "RUNNING" || now == "SUSPENDED" || now == "PENDING" {
		return false
	}
	for end := time.Now().Add(moment); time.Now().Before(end); time.Sleep(4 * lookAgain) {
		if now, err := a.market.Job(ctx, a.job.ID); err == nil && now.State.Final() {
			a.job = now
			a.overBy()
			return true
		}
	}
	return false
}

// giveBack ends the job, if it has not, and says what it cost. What was done with it may have ended well,
// and then it has.
func (a *allocation) giveBack(well bool) {
	if a.job.State.Final() {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), a.patience)
	defer stop()
	if a.ended(ctx) || well && a.came && a.done(ctx) {
		return
	}
	if err := a.cancel(ctx); err != nil {
		a.endInSlurm(err)
		return
	}
	a.awaitEnd(ctx)
}
