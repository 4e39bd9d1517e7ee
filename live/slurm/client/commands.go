package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// commands speaks to Slurm by its own programs.
type commands struct {
	conf    string
	timeout time.Duration
	seal    func(Submission) string
	sizes   sizes
	owners  owners
	granted granted

	mu    sync.Mutex
	exits map[key]exit // of jobs in the last listing that are over
}

// key tells jobs apart: after a crash numbers are given out again.
type key struct{ id, submitted int64 }

type exit struct{ code, signal int }

// mostOutput is how much a command may say: a listing of a hundred thousand jobs.
const mostOutput = 64 << 20

func openCommands(o Options, seal func(Submission) string) (*commands, error) {
	for _, program := range []string{"sbatch", "squeue", "scontrol", "scancel"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, fmt.Errorf("slurm's commands are not here: %w", err)
		}
	}
	c := &commands{conf: o.Conf, timeout: o.Timeout, seal: seal}
	c.sizes = sizes{now: o.Now, list: c.Nodes}
	c.owners.now, c.owners.named = o.Now, o.SystemUsers
	return c, nil
}

// Name says how Slurm is spoken to.
func (c *commands) Name() string { return "sbatch, squeue, scontrol, scancel" }

// Ping says whether slurmctld answers.
func (c *commands) Ping(ctx context.Context) error {
	out, err := c.run(ctx, call{argv: []string{"scontrol", "ping"}})
	if err != nil || !strings.Contains(out, " UP") {
		return fmt.Errorf("%w: scontrol ping: %s", ErrAway, oneLine(out))
	}
	return nil
}

// Began is when slurmctld was started. Where there is another to take over, that says
// nothing: it was started long before it did.
func (c *commands) Began(ctx context.Context) (int64, error) {
	out, err := c.run(ctx, call{argv: []string{"scontrol", "show", "config"}})
	if err != nil {
		return 0, fmt.Errorf("when slurmctld was started: %w", err)
	}
	boot := ""
	for line := range strings.Lines(out) {
		switch name, value, _ := strings.Cut(line, "="); strings.TrimSpace(name) {
		case "BOOT_TIME":
			boot = strings.TrimSpace(value)
		case "SlurmctldHost[1]":
			return 0, nil
		}
	}
	if boot == "" {
		return 0, nil
	}
	return readTime(boot)
}

// Release lets a held job start.
func (c *commands) Release(ctx context.Context, id int64, nodes []string) error {
	_, err := c.run(ctx, call{argv: []string{"scontrol", "update", fmt.Sprintf("jobid=%d", id), "nodelist=" + strings.Join(nodes, ",")}})
	if err == nil {
		_, err = c.run(ctx, call{argv: []string{"scontrol", "release", fmt.Sprint(id)}})
	}
	if err != nil {
		return fmt.Errorf("release job %d: %w", id, err)
	}
	return nil
}

// Cancel ends a job. Slurm itself gives every process the time of KillWait, however
// it is asked: whoever is in a hurry kills the script first.
func (c *commands) Cancel(ctx context.Context, id int64, urgent bool) error {
	job := fmt.Sprint(id)
	if urgent {
		c.kill(ctx, job)
	}
	_, err := c.run(ctx, call{argv: []string{"scancel", job}})
	if err != nil && !alreadyOver(err) {
		return fmt.Errorf("cancel job %d: %w", id, err)
	}
	return nil
}

// kill ends the script of a job. A job that has none running is cancelled anyway.
func (c *commands) kill(ctx context.Context, job string) {
	_, _ = c.run(ctx, call{argv: []string{"scancel", "--batch", "--signal=KILL", job}})
}

func alreadyOver(err error) bool {
	text := err.Error()
	return strings.Contains(text, "Invalid job id") || strings.Contains(text, "already complet") || strings.Contains(text, "already finished")
}

// call is a command of Slurm.
type call struct {
	argv  []string
	stdin string
	env   []string // beside what every command gets
	third []byte   // what the command reads from its file 3
}

// run runs a command. It gets nothing of this process's environment that could
// change what it does.
func (c *commands) run(ctx context.Context, what call) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, what.argv[0], what.argv[1:]...)
	cmd.WaitDelay = time.Second
	cmd.Dir = "/"
	cmd.Env = append(environment(c.conf), what.env...)
	cmd.Stdin = strings.NewReader(what.stdin)
	out, said := &limited{most: mostOutput}, &limited{most: 64 << 10}
	cmd.Stdout, cmd.Stderr = out, said
	err := withThird(cmd, what.third, cmd.Run)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%w: %s: %w", ErrAway, what.argv[0], ctx.Err())
	case err == nil && out.over:
		return "", fmt.Errorf("%w: %s says more than %d bytes", ErrAway, what.argv[0], mostOutput)
	case err == nil:
		return out.String(), nil
	}
	var exited *exec.ExitError
	if !errors.As(err, &exited) || exited.ExitCode() < 0 || away(said.String()) {
		return "", fmt.Errorf("%w: %s: %w: %s", ErrAway, what.argv[0], err, oneLine(said.String()))
	}
	return out.String(), fmt.Errorf("%w: %s", ErrRefused, oneLine(said.String()))
}

// environment is what a command of Slurm gets: nothing of this process's that could
// change what it does.
func environment(conf string) []string {
	env := []string{"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=C", "SLURM_TIME_FORMAT=%s"}
	if conf != "" {
		env = append(env, "SLURM_CONF="+conf)
	}
	return env
}

// accidents are what commands say when they could not ask, or got no answer, or one
// that will be different in a while. All else is a refusal.
var accidents = []string{
	"Unable to contact slurm controller", "Socket timed out", "Zero Bytes", "connect failure", "Connection refused", "Connection timed out",
	"Communication", "standby mode", "temporarily", "Unable to establish", "Protocol", "authentication", "Munge", "munge", "state transition",
	"submissions disabled", "needs to be restarted", "Message receive failure", "Message send failure", "Transport endpoint", "slurm_load",
}

func away(said string) bool {
	return slices.ContainsFunc(accidents, func(a string) bool { return strings.Contains(said, a) })
}

// oneLine is a text for an error: short, on one line, without the program's name.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "..."
	}
	return text
}

// limited keeps the beginning of what is written to it.
type limited struct {
	bytes.Buffer
	most int
	over bool
}

func (l *limited) Write(p []byte) (int, error) {
	if room := l.most - l.Len(); len(p) > room {
		l.over = true
		_, _ = l.Buffer.Write(p[:room]) // it never fails
		return len(p), nil
	}
	return l.Buffer.Write(p)
}

var _ Slurm = (*commands)(nil)
