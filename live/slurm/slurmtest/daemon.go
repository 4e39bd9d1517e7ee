package slurmtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/libra-market/libra/core/market"
)

// daemon is a program of the cluster, a child of this process.
type daemon struct {
	name  string
	argv  []string
	env   []string
	of    owner
	ready func(context.Context) error // nil: at once

	cmd   *exec.Cmd
	ended chan struct{}
}

// patience is how long a daemon, or a node, may take to answer: the machine may be busy.
const patience = 3 * time.Minute

// mark is in the environment of every daemon, and by it they are known again.
const mark = "LIBRA_SLURMTEST="

// start runs the daemon in the foreground and waits until it is ready. It dies
// with this process: nothing of a test that was killed runs on.
func (c *Cluster) start(ctx context.Context, d *daemon) error {
	log, err := os.OpenFile(c.path("log", strings.ReplaceAll(d.name, " ", "-")+".err.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(d.argv[0], d.argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", log, log
	cmd.Env = append(append(os.Environ(), c.Env()...), append(d.env, mark+c.Dir)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if d.of != (owner{}) {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: market.Uint32(d.of.uid), Gid: market.Uint32(d.of.gid)}
	}
	if err = c.parent.start(cmd); err != nil {
		return fmt.Errorf("start %s: %w", d.name, err)
	}
	d.cmd, d.ended = cmd, make(chan struct{})
	go func(ended chan struct{}) {
		_ = cmd.Wait() // how it ended is in its log
		close(ended)
	}(d.ended)
	if d.ready == nil {
		return nil
	}
	err = until(ctx, patience, func() error {
		select {
		case <-d.ended:
			return nil
		default:
			return d.ready(ctx)
		}
	})
	select {
	case <-d.ended:
		return fmt.Errorf("%s ended at once: %s", d.name, c.Logs(15))
	default:
	}
	if err != nil {
		return fmt.Errorf("%s does not answer: %w\n%s", d.name, err, c.Logs(15))
	}
	return nil
}

// parent is the thread that starts the daemons. To the kernel they are the children
// of a thread and die with it, and threads of a Go program may end at any time.
type parent struct {
	work chan func()
}

func newParent() *parent {
	p := &parent{work: make(chan func())}
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for f := range p.work {
			f()
		}
	}()
	return p
}

func (p *parent) start(cmd *exec.Cmd) error {
	done := make(chan error)
	p.work <- func() { done <- cmd.Start() }
	return <-done
}

func (p *parent) close() { close(p.work) }

// kill ends the daemon without a word.
func (d *daemon) kill() error {
	if d.cmd == nil {
		return nil
	}
	err := d.cmd.Process.Kill()
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	<-d.ended
	d.cmd = nil
	return err
}

func (c *Cluster) daemon(name string) (*daemon, error) {
	for _, d := range c.daemons {
		if d.name == name {
			return d, nil
		}
	}
	return nil, fmt.Errorf("no daemon %q here: slurmctld, slurmrestd, munged, or slurmd and a node", name)
}

// Kill ends a daemon with SIGKILL: "slurmctld", "slurmrestd", "munged", or
// "slurmd " and the name of a node. What the daemon has started runs on.
func (c *Cluster) Kill(name string) error {
	d, err := c.daemon(name)
	if err != nil {
		return err
	}
	return d.kill()
}

// Stop tells a daemon to end, and waits until it has, if it has not by itself: slurmctld
// writes its state down before.
func (c *Cluster) Stop(name string) error {
	d, err := c.daemon(name)
	if err != nil || d.cmd == nil {
		return err
	}
	if err = d.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-d.ended
	d.cmd = nil
	return nil
}

// ShutDown does to a node what an orderly shutdown of its machine does: slurmd is told to
// end, and then all that it runs. Restart starts it again.
func (c *Cluster) ShutDown(node string) error {
	if err := c.Stop("slurmd " + node); err != nil {
		return err
	}
	for _, by := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		for _, pid := range processesIn(groupsOf(node)) {
			_ = syscall.Kill(pid, by) // it may have ended by itself
		}
		time.Sleep(time.Second) // as a machine that is in a hurry
	}
	return nil
}

// Saved waits until slurmctld has written its jobs down since a time, and not
// longer than so long: what it has not written is lost when it is killed.
func (c *Cluster) Saved(since time.Time, most time.Duration) bool {
	const pause = 100 * time.Millisecond
	for range most / pause {
		if file, err := os.Stat(c.path("ctld", "job_state")); err == nil && file.ModTime().After(since) {
			return true
		}
		time.Sleep(pause)
	}
	return false
}

// Restart starts a daemon again that was killed or is still there, and waits
// until it answers. A node takes a second or two more: see [Cluster.WaitNodes].
func (c *Cluster) Restart(ctx context.Context, name string) error {
	d, err := c.daemon(name)
	if err != nil {
		return err
	}
	if err = d.kill(); err != nil {
		return err
	}
	return c.start(ctx, d)
}

// Pid is the process of a daemon; 0: it does not run.
func (c *Cluster) Pid(name string) int {
	d, err := c.daemon(name)
	if err != nil || d.cmd == nil {
		return 0
	}
	return d.cmd.Process.Pid
}
