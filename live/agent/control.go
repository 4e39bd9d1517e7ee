package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// ControlSlurm is the Config.Control of a node whose tasks Slurm runs.
const ControlSlurm = "slurm"

// control is what an agent does where a batch system runs the tasks: it holds
// each job of that system to the share that is ordered, and tells what was used.
// It starts nothing, and ends nothing but for a lease that has run out, and what that system has
// left running of a job that it has ended.
//
// The tasks of one job on this node are one job of the batch system, and one
// group: the holder of that job sees to it.
type control struct {
	agent *Agent
	dir   string // of what is known of each job

	mu      sync.Mutex
	decided bool // the controller has said what it wants
	holders map[string]*holder
}

// Groups that nobody has asked for are looked at so often, and so are the
// records of jobs that are no more.
const tidyEvery = time.Minute

// recordAge is how long it is remembered what a job has used that is no more.
// Its order may come back: from a controller that was restored, say.
const recordAge = 10 * time.Minute

func newControl(a *Agent) *control {
	return &control{agent: a, dir: filepath.Join(a.config.StateDir, "batch"), holders: map[string]*holder{}}
}

// takeOver goes on with the jobs that an agent before this one held. Their
// quotas are in the kernel and have held all the time.
func (c *control) takeOver(ctx context.Context) error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return fmt.Errorf("jobs of before: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, entry := range entries {
		id, ok := strings.CutSuffix(entry.Name(), recordSuffix)
		if !ok || !validBatch(id) {
			continue
		}
		if h := newHolder(c, id); h.held.GoneUS == 0 {
			c.holders[id] = h
		}
	}
	if err = c.limitNode(); err != nil {
		return fmt.Errorf("capacity of the node: %w", err)
	}
	for _, h := range c.holders {
		c.launch(ctx, h)
	}
	return nil
}

// limitNode sets what all jobs may use together. No group may have more than
// that, so those of before may have to be lowered first.
func (c *control) limitNode() error {
	capacity := c.agent.config.Capacity
	if capacity == 0 {
		capacity = -1
	}
	err := c.agent.groups.SetCapacity(capacity)
	if !errors.Is(err, cgroup.ErrCapacity) {
		return err
	}
	for _, h := range c.holders {
		if h.group == nil {
			continue
		}
		if err = h.group.Set(h.limitsOf(h.held.Ranks, min(len(h.held.Ranks), len(c.agent.config.CPUs)))); err != nil {
			return err
		}
	}
	return c.agent.groups.SetCapacity(capacity)
}

// launch lets a holder do its work.
func (c *control) launch(ctx context.Context, h *holder) {
	c.holders[h.id] = h
	c.agent.running.Go(func() {
		h.run(ctx)
		if ctx.Err() == nil {
			c.release(ctx, h)
		}
	})
}

// release forgets a holder whose job is over. Orders that came in the very last
// moment are for a new one.
func (c *control) release(ctx context.Context, h *holder) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.holders, h.id)
	if orders, _ := h.wanted(); len(orders) > 0 {
		next := newHolder(c, h.id)
		next.setOrders(orders)
		c.launch(ctx, next)
	}
}

// apply hands each job's orders to its holder.
func (c *control) apply(ctx context.Context, orders []task.Order, named []task.Share) {
	for i := range named { // what they run is the batch system's
		orders = append(orders[:len(orders):len(orders)], named[i].Order(task.Spec{Key: named[i].Key}))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.decided = true
	jobs := map[string][]task.Order{}
	for _, order := range orders {
		switch {
		case order.Batch == "": // not submitted yet
		case validBatch(order.Batch):
			jobs[order.Batch] = append(jobs[order.Batch], order)
		default:
			c.agent.log.Error("an order for what cannot be the number of a job", "task", order.Spec.Key, "job", order.Batch)
		}
	}
	for id, wanted := range jobs {
		h, known := c.holders[id]
		if !known {
			h = newHolder(c, id)
			h.setOrders(wanted)
			c.launch(ctx, h)
			continue
		}
		h.setOrders(wanted)
	}
	for id, h := range c.holders {
		if jobs[id] == nil {
			h.setOrders(nil)
		}
	}
}

// How long a report waits for the newest figures.
const refreshTime = 250 * time.Millisecond

// refresh lets every holder look at its job now. Whoever has heard that a job
// has ended takes the next report for the last word on what it has used.
func (c *control) refresh(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, refreshTime)
	defer cancel()
	c.mu.Lock()
	asked := make([]chan struct{}, 0, len(c.holders))
	for _, h := range c.holders {
		asked = append(asked, h.requestSample())
	}
	c.mu.Unlock()
	for _, done := range asked {
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
	}
}

// statuses say how everything stands.
func (c *control) statuses() []task.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []task.Status
	for _, h := range c.holders {
		all = append(all, h.current()...)
	}
	slices.SortFunc(all, func(x, y task.Status) int {
		return cmp.Or(cmp.Compare(x.Job, y.Job), cmp.Compare(x.Rank, y.Rank), cmp.Compare(x.Attempt, y.Attempt), strings.Compare(x.Batch, y.Batch))
	})
	return all
}

// forget notes which ends the controller has written down.
func (c *control) forget(keys []task.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, h := range c.holders {
		h.acknowledge(keys)
	}
}

// tidy removes what nobody will ask for: groups that nothing is written down of
// and that are empty (the state directory of an agent was lost), and old records.
func (c *control) tidy(ctx context.Context) {
	empty := map[string]bool{} // at the look before
	for pause(ctx, tidyEvery) {
		empty = c.removeStrays(empty)
		c.removeRecords()
	}
}

func (c *control) removeStrays(before map[string]bool) (empty map[string]bool) {
	empty = map[string]bool{}
	names, err := c.agent.groups.List()
	if err != nil {
		c.agent.log.Warn("groups not listed", "error", err)
		return empty
	}
	for _, name := range names {
		group, stray := c.stray(name)
		switch {
		case !stray:
		case !before[name]: // somebody may be about to enter
			empty[name] = true
		default:
			c.removeStray(name, group)
		}
	}
	return empty
}

// stray finds an empty group that nobody has asked for.
func (c *control) stray(name string) (cgroup.Group, bool) {
	id, ok := cgroup.SlurmJob(name)
	c.mu.Lock()
	_, held := c.holders[id]
	decided := c.decided
	c.mu.Unlock()
	if !ok || held || !decided {
		return nil, false
	}
	group, found := c.agent.groups.Find(name)
	if !found {
		return nil, false
	}
	procs, err := group.Procs()
	return group, err == nil && len(procs) == 0
}

// removeStray removes it, unless it has been asked for meanwhile.
func (c *control) removeStray(name string, group cgroup.Group) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id, _ := cgroup.SlurmJob(name); c.holders[id] != nil {
		return
	}
	if err := group.Remove(); err != nil {
		c.agent.log.Warn("group of no job not removed", "group", name, "error", err)
	}
}

func (c *control) removeRecords() {
	records, err := filepath.Glob(filepath.Join(c.dir, "*"+recordSuffix))
	if err != nil {
		return // the state directory's name is a bad pattern: records stay
	}
	for _, path := range records {
		var held holding
		if readJSON(path, &held) != nil || held.GoneUS == 0 || unixMicros()-held.GoneUS < recordAge.Microseconds() {
			continue
		}
		if err = os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			c.agent.log.Warn("record not removed", "error", err)
		}
	}
}

// validBatch reports whether this can be the number of a job: it becomes the
// name of a file and of a group.
func validBatch(id string) bool {
	return id != "" && len(id) <= 20 && strings.Trim(id, "0123456789") == ""
}
