package agent

import (
	"context"
	"errors"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// runner sees one task through its life on this node. What should be so comes
// in by want; the runner compares it with what is so, again and again, and does
// what is missing. It has a goroutine of its own, so that one slow task (a
// disk, a freeze) holds up no other.
type runner struct {
	agent *Agent
	key   task.Key
	wake  chan struct{} // holds one: something is wanted

	mu       sync.Mutex
	decided  bool          // order is what the controller wants, nil included
	order    *task.Order   // nil: the task should not run
	spec     task.Spec     // what it runs, as far as an order or its folder has said
	status   task.Status   // what is reported
	ended    time.Duration // when it ended, by sinceBoot
	refined  time.Duration // when its mandatory part was done, by sinceBoot; 0: not known
	recorded bool          // the controller has written the end down
	lane     lane          // how far it is with the elements of an array

	// Only the runner's own goroutine uses what follows.
	phase   phase
	folder  folder
	grace   time.Duration
	tries   int // to start a shepherd
	watch   *watch
	news    <-chan string
	group   cgroup.Group
	applied *cgroup.Limits // nil: not known
	held    bool           // frozen by Freeze, not only by its limits
	meter   *meter
	entry   entry
	cpu     int   // of the host, that the task is pinned to
	cpus    []int // all of them, where it has several
	stop    stopping
	room    *room
	looking bool         // at what it writes
	looked  chan *breach // what came of it
	breach  *breach      // the limit of its own that it has come to
	ration  *time.Timer  // when to look how much it has left of what was sold to it
	young   *time.Timer  // when to look at it next while it is young
	age     time.Duration
	warned  bool  // that it has little left was reported
	asked   int64 // memory, in bytes; 0: it asked for none
	pids    int64 // processes and threads that there was room for when it began; 0: not known
}

// phase is how far a task has come.
type phase int

const (
	unclaimed phase = iota // no folder
	claimed                // a folder, and nothing has run
	tended                 // a shepherd lives
	over                   // nothing more will happen
)

// How often a task is looked at even if nobody asks. A young one is looked at when it is
// firstLook old, and at twice its age from then on: of what is short, too, most is seen
// while there are threads to look at.
const (
	sampleEvery = time.Second
	firstLook   = 100 * time.Millisecond
)

// newRunner makes the runner of a task that this node hears of for the first time.
func newRunner(a *Agent, key task.Key) *runner {
	return &runner{
		agent: a, key: key, wake: make(chan struct{}, 1), meter: &meter{}, looked: make(chan *breach, 1),
		status: task.Status{Key: key, State: task.Starting},
	}
}

// setOrder says what should be so from now on; nil: the task should not run.
func (r *runner) setOrder(order *task.Order) {
	r.mu.Lock()
	r.order, r.decided = order, true
	if order != nil {
		r.spec = order.Spec
		// Who wants it still has not heard of its end: this was on its way when the end
		// was written down, or the market has gone back to a backup. It is said again,
		// which who has written it down does not mind.
		r.recorded = false
	}
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// isOther reports whether the task here is of another job or attempt than one of its name
// that is wanted: the market has gone back to what it was, and has given the number out
// again.
func (r *runner) isOther(bornUS int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return task.Other(r.spec.BornUS, bornUS)
}

// named is the whole order of a task that is known here.
func (r *runner) named(s *task.Share) *task.Order {
	r.mu.Lock()
	defer r.mu.Unlock()
	order := s.Order(r.spec)
	return &order
}

func (r *runner) wanted() (order *task.Order, decided bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.order, r.decided
}

// current is how the task stands, for a report; false if there is nothing to report.
func (r *runner) current() (task.Status, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.status
	s.BornUS = r.spec.BornUS
	if r.ended != 0 {
		s.AgoUS = max(1, (r.agent.machine.SinceBoot() - r.ended).Microseconds())
	}
	if r.refined != 0 {
		s.MandatoryAgoUS = max(1, (r.agent.machine.SinceBoot() - r.refined).Microseconds())
	}
	return s, !r.recorded
}

// acknowledge says that the controller has written the end of the task down, if it has
// ended.
func (r *runner) acknowledge() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recorded = r.status.State.Final()
}

// done reports whether nobody will ask for the task again.
func (r *runner) done() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.recorded && r.decided && r.order == nil
}

// update changes what is reported.
func (r *runner) update(change func(*task.Status)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.status)
}

// run goes on until the task is over or the agent ends; the task itself goes on
// then.
func (r *runner) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	r.ration = time.NewTimer(time.Hour)
	defer r.ration.Stop()
	r.young = time.NewTimer(time.Hour)
	defer r.young.Stop()
	for due := false; ctx.Err() == nil; {
		r.reconcile(ctx)
		if due && r.phase != over { // after what must not wait: to look at many threads takes time
			due = false
			r.sample()
			r.reconcile(ctx)
		}
		if r.phase == over {
			return
		}
		var ended <-chan struct{}
		if r.watch != nil {
			ended = r.watch.ended
		}
		select {
		case <-ctx.Done():
		case <-r.wake:
		case <-tick.C:
			r.use()
			due = true
			r.readLane()
			r.watchRoom()
		case <-r.ration.C:
			r.use()
			due = true
		case <-r.young.C:
			due = true
			r.grow(2 * r.age)
		case b := <-r.looked:
			r.exceeded(b)
		case word := <-r.news:
			r.observe(word)
		case <-ended:
			r.conclude()
		}
	}
	r.sample()
}

// reconcile does what is missing between what is so and what is wanted.
func (r *runner) reconcile(ctx context.Context) {
	order, decided := r.wanted()
	if !decided {
		r.stayWithin()
		return
	}
	switch r.phase {
	case unclaimed, claimed:
		switch {
		case order == nil:
			r.withdraw()
		case order.Stop != task.GoOn:
			r.refuse(errStopped)
		case r.agent.lease.out():
			// What is wanted may long be wanted elsewhere.
		default:
			r.start(ctx, order)
		}
	case tended:
		switch {
		case r.breach != nil:
			r.end(ctx, task.Kill)
		case order == nil:
			r.end(ctx, task.Terminate)
		case order.Stop != task.GoOn:
			r.end(ctx, r.windUp(order))
		default:
			r.limit(order)
		}
	case over:
	}
}

// observe takes news from the shepherd.
func (r *runner) observe(word string) {
	switch word {
	case enteredNews:
		r.enter()
		return
	case begunNews:
		r.entered()
		r.begun()
		r.readLane()
		r.age = 0
		r.grow(firstLook)
		return
	case optionalNews:
		r.refining()
		return
	}
	// The kernel's groups are entered by the process itself. Signals have to
	// be told whom to send them to.
	pid, err := strconv.Atoi(word)
	if err != nil || r.group == nil || r.agent.groups.Kind() != cgroup.Signals {
		return
	}
	if err = r.group.Adopt(pid); err != nil && !errors.Is(err, os.ErrProcessDone) {
		r.agent.log.Error("process not limited", "task", r.key, "error", err)
	}
}

// begun notes that the program has been started.
func (r *runner) begun() {
	var begin beginning
	if readJSON(r.folder.started(), &begin) != nil {
		return // it has not: the shepherd will end, and that is seen
	}
	if r.meter.last == nil {
		r.sample()
	}
	r.update(func(s *task.Status) {
		s.StartedUS = begin.StartedUS
		if s.State == task.Starting {
			s.State = task.Running
		}
		if r.applied != nil && r.applied.CPU == 0 {
			s.State = task.Frozen
		}
	})
}

// grow sets when a task is looked at that is so old next.
func (r *runner) grow(age time.Duration) {
	if r.young == nil || age >= sampleEvery {
		return
	}
	r.young.Reset(age - r.age)
	r.age = age
}
