package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/core/task"
)

// errStopped says why a task never ran.
var errStopped = errors.New("stopped before it was started")

// A shepherd that ends before it has started anything is started again so often.
const startTries = 3

// start claims the task and starts its shepherd. Whatever goes wrong on the way
// refuses the task: a task that is not limited or not written down must not run.
func (r *runner) start(ctx context.Context, order *task.Order) {
	select {
	case r.agent.starts <- struct{}{}:
		defer func() { <-r.agent.starts }()
	case <-ctx.Done():
		return
	}
	if err := r.prepare(order); errors.Is(err, errTaken) {
		return // whoever has them was told to end: they are looked for again
	} else if err != nil {
		r.refuse(err)
		return
	}
	hold, free, err := r.folder.tryLock()
	if err != nil {
		r.refuse(err)
		return
	}
	if !free { // one of a former agent has come to life after all
		r.watchTask(ctx, 0)
		return
	}
	if _, err = os.Stat(r.folder.started()); err == nil {
		hold.release()
		r.conclude()
		return
	}
	pid, err := r.launch(ctx, order, hold)
	hold.release() // it is the shepherd's now
	if err != nil {
		r.refuse(err)
		return
	}
	r.tries++
	r.watchTask(ctx, pid)
}

// prepare makes the folder, unless there is one from before.
func (r *runner) prepare(order *task.Order) error {
	r.grace = time.Duration(order.Spec.GraceMS) * time.Millisecond
	acc, err := r.agent.machine.Account(order.Spec.User, r.agent.config.SystemUsers)
	if err != nil {
		return err
	}
	if r.phase == claimed {
		return nil
	}
	if err = check(order.Spec); err != nil {
		return err
	}
	rec := record{Spec: order.Spec, Account: acc, Boot: r.agent.hello.Boot}
	if rec.GPUs, err = r.agent.devices.take(r.key, order.Spec.GPUs); err != nil {
		return err
	}
	r.furnish(&rec, time.UnixMicro(r.agent.machine.UnixMicros()))
	r.folder, err = claim(r.agent.tasks, rec)
	if err != nil {
		r.agent.devices.free(r.key)
		return fmt.Errorf("write the task down: %w", err)
	}
	r.phase = claimed
	r.hasParts(order.Spec)
	return nil
}

// check refuses what cannot be run anywhere.
func check(spec task.Spec) error {
	switch {
	case !filepath.IsAbs(spec.Dir):
		return fmt.Errorf("working directory %q is not an absolute path", spec.Dir)
	case spec.Script == nil && (len(spec.Argv) == 0 || spec.Argv[0] == ""):
		return errors.New("no program to run")
	case spec.Memory < 0:
		return fmt.Errorf("memory limit of %d bytes", spec.Memory)
	case spec.Optional != nil && spec.Len() > 0:
		return errors.New("an array with an optional part")
	}
	texts := slices.Concat([]string{spec.Dir, spec.Output, spec.Error}, spec.Argv, spec.Env)
	if spec.Optional != nil {
		texts = append(texts, spec.Optional.Argv...)
	}
	for _, text := range texts {
		if strings.ContainsRune(text, 0) {
			return errors.New("a zero byte in what to run")
		}
	}
	for _, set := range spec.Env {
		if at := strings.IndexByte(set, '='); at < 1 {
			return fmt.Errorf("environment %q: want NAME=value", set)
		}
	}
	return nil
}

// launch sets the limits and starts the shepherd, which gets hold of the lock.
func (r *runner) launch(ctx context.Context, order *task.Order, hold grip) (pid int, err error) {
	if err = r.confine(order); err != nil {
		return 0, err
	}
	// Nobody may take an old shepherd's number for that of the new one.
	if err = hold.file.Truncate(0); err != nil {
		return 0, err
	}
	var rec record
	if err = readJSON(r.folder.record(), &rec); err != nil {
		return 0, err
	}
	log, err := os.OpenFile(r.folder.log(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return 0, err
	}
	defer log.Close() // nothing was written
	pid, news, err := r.agent.machine.Tend(ctx, r.errand(&rec, hold, log))
	if err == nil {
		r.news = news
	}
	return pid, err
}

// confine makes the group of the task, with its limits, before anything is in it.
func (r *runner) confine(order *task.Order) error {
	limits, err := r.agent.limitsOf(order)
	if err != nil {
		return err
	}
	limits.Pids = r.pidsOf(limits)
	limits.CPU = r.within(order, limits)
	first := limits
	first.CPU = max(first.CPU, leastShare) // a frozen group keeps the quota it had
	r.group, err = r.agent.groups.Make(r.key.String(), first)
	if err == nil && limits.CPU == 0 {
		err = r.group.Set(limits)
	}
	if err != nil {
		return fmt.Errorf("limit the task: %w", err)
	}
	r.apply(order, limits)
	return nil
}

// watchTask goes on with a living shepherd; pid is 0 if that is not our child.
func (r *runner) watchTask(ctx context.Context, pid int) {
	r.phase = tended
	r.watch = newWatch(ctx, r.agent.machine, r.folder, pid)
}
