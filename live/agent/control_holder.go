package agent

import (
	"context"
	"sync"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// holder holds one job of the batch system to its share on this node. It has a
// goroutine of its own, for the same reason as a runner.
type holder struct {
	control *control
	id      string        // of the job
	wake    chan struct{} // holds one: something is wanted, or asked

	mu      sync.Mutex
	decided bool              // orders is what the controller wants, nothing included
	orders  []task.Order      // of the tasks of the job that are this node's
	held    holding           // what is known; written by the own goroutine only
	footing footing           // written by the own goroutine only
	refused string            // why the quota cannot be set
	written map[task.Key]bool // whose end the controller has written down
	asked   []chan struct{}   // who waits for the newest figures

	// Only the holder's own goroutine uses what follows.
	group    cgroup.Group
	limits   *cgroup.Limits // in force; nil: not known
	meter    meter
	sample   time.Duration // when the last one was taken, by awake
	gathered time.Duration // when processes were last looked for that are not in the group
	unwanted time.Duration // since when nobody wants anything of it; 0: somebody does
	struck   bool          // and it was said that what is left of it is killed
	tries    int           // to make the group
	trouble  string        // what was last complained about
	width    int           // of what is written down
}

// How often it is looked whether a job has begun. Once it has, sampleEvery will
// do: its end is told by the batch system. But what it declined since the last look is
// not known then, and of a short one that must not be most of it.
const (
	lookEvery = 200 * time.Millisecond
	youngFor  = 5 * time.Second
)

// A group that cannot be made is tried so often before the job is given up.
const makeTries = 5

func newHolder(c *control, id string) *holder {
	h := &holder{control: c, id: id, wake: make(chan struct{}, 1), written: map[task.Key]bool{}}
	h.held, h.width = loadHolding(h.path(), c.agent.hello.Boot)
	if group, ok := c.agent.groups.Find(cgroup.SlurmName(id)); ok {
		h.group = group
		// With a record it was limited before, and is still.
		if len(h.held.Ranks) > 0 {
			h.footing = limited
		}
	}
	h.meter.share, _ = h.held.Ranks.share()
	return h
}

// setOrders says what should be so from now on; nil: nothing.
func (h *holder) setOrders(orders []task.Order) {
	h.mu.Lock()
	h.orders, h.decided = orders, true
	h.mu.Unlock()
	h.rouse()
}

func (h *holder) wanted() (orders []task.Order, decided bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.orders, h.decided
}

// current is how the tasks of the job stand. Nothing is said before the quota is set.
func (h *holder) current() []task.Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.footing == unlimited {
		return nil
	}
	all := make([]task.Status, 0, len(h.held.Ranks))
	for _, p := range h.held.Ranks {
		if h.written[p.Key] {
			continue
		}
		status := task.Status{
			Key: p.Key, State: task.Starting, Batch: h.id,
			CPUUS: p.CPUNS / 1000, DeclinedUS: p.DeclinedNS / 1000,
			StartedUS: h.held.StartedUS, EndedUS: h.held.EndedUS,
		}
		switch {
		case h.footing == rejected:
			// Lost and not refused: not the task is at fault but the node, and
			// elsewhere it can be run.
			status.State, status.Error = task.Lost, h.refused
		case h.held.LeaseRanOut:
			status.State, status.Error = task.Lost, task.LeaseRanOut
		case h.held.StartedUS > 0:
			status.State = task.Running
		}
		all = append(all, status)
	}
	return all
}

// requestSample wants the newest figures; what is returned is closed when they are there.
func (h *holder) requestSample() chan struct{} {
	done := make(chan struct{})
	h.mu.Lock()
	h.asked = append(h.asked, done)
	h.mu.Unlock()
	h.rouse()
	return done
}

func (h *holder) rouse() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// waiting takes over who has asked until now.
func (h *holder) waiting() []chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	asked := h.asked
	h.asked = nil
	return asked
}

func answerAll(asked []chan struct{}) {
	for _, done := range asked {
		close(done)
	}
}

// acknowledge says that the controller has written the end of some tasks down. Only
// what was said to have ended can be forgotten.
func (h *holder) acknowledge(keys []task.Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.held.LeaseRanOut && h.footing != rejected {
		return
	}
	for _, key := range keys {
		h.written[key] = true
	}
}

// logOnce logs what goes wrong, and not again as long as it is the same.
func (h *holder) logOnce(what string, err error) {
	if text := what + err.Error(); text != h.trouble {
		h.trouble = text
		h.control.agent.log.Error(what, "job", h.id, "error", err)
	}
}

// move moves the holder. That it cannot is a mistake of this program, and one for
// the log. The lock is held.
func (h *holder) move(e footingEvent) {
	var err error
	if h.footing, err = h.footing.on(e); err != nil {
		h.control.agent.log.Error("this cannot happen to a job", "job", h.id, "error", err)
	}
}

// update changes what is known.
func (h *holder) update(change func(*holding)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(&h.held)
}

// run goes on until the job is over or the agent ends; the quota holds then.
func (h *holder) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	defer func() { answerAll(h.waiting()) }()
	for ctx.Err() == nil {
		asked := h.waiting()
		over := h.reconcile(ctx, len(asked) > 0)
		answerAll(asked)
		if over {
			return
		}
		timer.Reset(h.patience())
		select {
		case <-ctx.Done():
		case <-h.wake:
		case <-timer.C:
		}
	}
	h.measure(true)
	h.save()
}

// patience is how long the job need not be looked at.
func (h *holder) patience() time.Duration {
	if h.unwanted == 0 && !h.over() && h.held.StartedUS > 0 && h.control.agent.groups.Kind() == cgroup.V1 && unixMicros()-h.held.StartedUS > youngFor.Microseconds() {
		return sampleEvery
	}
	return lookEvery // with v2 the group, and what it counts, may soon be gone
}

// reconcile does what is missing between what is so and what is wanted. It reports
// whether that is nothing, for ever.
func (h *holder) reconcile(ctx context.Context, asked bool) (over bool) {
	orders, decided := h.wanted()
	if len(orders) > 0 && (h.footing != rejected || !h.held.Ranks.same(orders)) {
		h.limit(orders)
	}
	living := h.observe(ctx, asked)
	if !decided || len(orders) > 0 {
		h.unwanted = 0
		if h.struck = h.struck && h.over(); h.over() {
			h.leaves()
		}
		return false
	}
	if h.unwanted == 0 {
		h.unwanted = awake()
	}
	return !h.leaves() && !living && h.remove()
}
