package slurm

import (
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// noon is when these tests begin.
var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// aRun is a run of two tasks on two nodes that is in Slurm as number 7.
func aRun() *run {
	r := &run{key: runKey{12, 0}, orders: map[int]task.Order{}, statuses: map[int]task.Status{}, state: held}
	for rank := range 2 {
		r.setOrder(&task.Order{Spec: task.Spec{Key: task.Key{Job: 12, Rank: rank}, Size: 2, Nodes: []string{"n1", "n2"}, User: "ann", GraceMS: 5000}})
	}
	r.ID, r.Submitted, r.vouched = 7, 100, noon.Add(time.Minute)
	return r
}

func pending(held bool) *client.Job {
	return &client.Job{ID: 7, State: client.Pending, Held: held, Submitted: 100}
}

func over(state client.State) *client.Job {
	return &client.Job{ID: 7, State: state, Submitted: 100, Started: 110, Ended: 120, Nodes: []string{"n1", "n2"}}
}

func TestWhatIsDoneNext(t *testing.T) {
	stands := func(r *run, state task.State) {
		for rank := range 2 {
			r.observe(&task.Status{Key: task.Key{Job: 12, Rank: rank}, State: state, Batch: "7"}, noon)
		}
	}
	gone := func(r *run) { r.missing, r.misses = noon.Add(-time.Minute), 5 }
	for name, c := range map[string]struct {
		so   func(*run, *world)
		want action
		ends task.State // "": it has not ended
	}{
		"new":                          {func(r *run, _ *world) { r.forget() }, submit, ""},
		"one task is not known yet":    {func(r *run, _ *world) { r.forget(); r.state = ordered; delete(r.orders, 1) }, wait, ""},
		"perhaps submitted":            {func(r *run, w *world) { r.forget(); r.state, r.sentAt = unconfirmed, w.listed.Add(-time.Second) }, wait, ""},
		"not submitted, after all":     {func(r *run, w *world) { r.forget(); r.state, r.sentAt = unconfirmed, w.listed.Add(-time.Minute) }, submit, ""},
		"cancelled before":             {func(r *run, _ *world) { r.forget(); stopAll(r, task.Terminate) }, report, task.Refused},
		"refused":                      {func(r *run, _ *world) { r.forget(); r.ends(verdict{state: task.Refused, why: "no"}, noon) }, report, task.Refused},
		"the agents are not ready":     {func(r *run, _ *world) { r.job = pending(true) }, wait, ""},
		"the agents are ready":         {func(r *run, _ *world) { r.job = pending(true); stands(r, task.Starting) }, release, ""},
		"not listed yet, agents ready": {func(r *run, _ *world) { stands(r, task.Starting) }, release, ""},
		"no agents are wanted":         {func(r *run, w *world) { r.job = pending(true); w.control = None }, release, ""},
		"released":                     {func(r *run, _ *world) { r.job, r.state = pending(false), released; stands(r, task.Starting) }, wait, ""},
		"the release was forgotten":    {func(r *run, _ *world) { r.job, r.state = pending(true), releasing; stands(r, task.Starting) }, release, ""},
		"forgotten, agents silent since": {func(r *run, w *world) {
			r.job, r.state, w.fresh = pending(true), releasing, false
			stands(r, task.Starting)
		}, wait, ""},
		"forgotten, and it may have begun": {func(r *run, w *world) {
			r.job, r.state, r.acted = pending(true), released, w.now.Add(-10*time.Second)
			stands(r, task.Starting)
		}, wait, ""},
		"forgotten long ago, and slurmctld is new": {func(r *run, w *world) {
			r.job, r.state, w.good = pending(true), released, w.now.Add(-10*time.Second)
			stands(r, task.Starting)
		}, wait, ""},
		"forgotten long ago": {func(r *run, _ *world) {
			r.job, r.state = pending(true), released
			stands(r, task.Starting)
		}, release, ""},
		"forgotten, and it runs": {func(r *run, _ *world) {
			r.job, r.state, r.asOf = pending(true), releasing, noon.Add(time.Second)
			stands(r, task.Running)
		}, kill, ""},
		"an old listing is no proof": {func(r *run, _ *world) {
			r.job, r.state, r.asOf = pending(true), releasing, noon.Add(-time.Second)
			stands(r, task.Running)
		}, wait, ""},
		"put back into the queue": {func(r *run, _ *world) { r.job, r.state = pending(false), running }, kill, ""},
		"put back before it was seen to run": {func(r *run, _ *world) {
			r.job, r.state = pending(false), released
			r.job.Reason = "BeginTime"
		}, kill, ""},
		"on another node": {func(r *run, _ *world) {
			r.job = &client.Job{ID: 7, State: client.Running, Nodes: []string{"n3"}}
		}, kill, ""},
		"to be stopped": {func(r *run, _ *world) { r.job = pending(true); stopAll(r, task.Terminate) }, cancel, ""},
		"to be killed":  {func(r *run, _ *world) { r.job = pending(true); stopAll(r, task.Kill) }, kill, ""},
		"the grace is over": {func(r *run, w *world) {
			stopAll(r, task.Terminate)
			r.stop, r.stopped = terminated, w.now.Add(-6*time.Second)
		}, kill, ""},
		"ready, and its number may be another's": {func(r *run, w *world) {
			r.job, r.vouched = pending(true), w.now.Add(-vouching)
			stands(r, task.Starting)
		}, look, ""},
		"to be stopped, and its number may be another's": {func(r *run, w *world) {
			r.job, r.vouched = pending(true), w.now.Add(-vouching)
			stopAll(r, task.Terminate)
		}, look, ""},
		"stopping": {func(r *run, w *world) {
			stopAll(r, task.Terminate)
			r.stop, r.stopped, r.tried = terminated, w.now, w.now
		}, wait, ""},
		"taken back":                             {func(r *run, _ *world) { delete(r.orders, 0) }, cancel, ""},
		"taken back, before all nodes are heard": {func(r *run, w *world) { delete(r.orders, 0); w.orders = false }, wait, ""},
		"missing for a moment":                   {func(r *run, w *world) { r.missing, r.misses = w.now.Add(-time.Second), 2 }, wait, ""},
		// One listing may be of a slurmctld that has just begun: kills the mutant
		// that believes one instead of two.
		"missing in one listing":   {func(r *run, _ *world) { gone(r); r.misses = 1; r.state = releasing }, wait, ""},
		"missing, Slurm is away":   {func(r *run, w *world) { gone(r); w.good = time.Time{}; r.state = releasing }, wait, ""},
		"missing, never let go":    {func(r *run, _ *world) { gone(r) }, submit, ""},
		"missing, perhaps ran":     {func(r *run, _ *world) { gone(r); r.state = releasing }, report, task.Lost},
		"missing, and it runs":     {func(r *run, _ *world) { gone(r); r.state = releasing; stands(r, task.Running) }, wait, ""},
		"ended well":               {func(r *run, _ *world) { r.job = over(client.Completed) }, report, task.Ended},
		"the last word is missing": {func(r *run, w *world) { r.job = over(client.Completed); w.last = false }, wait, task.Ended},
		"its node failed":          {func(r *run, _ *world) { r.job = over(client.NodeFail) }, report, task.Lost},
		"its lease ran out": {func(r *run, _ *world) {
			r.job = over(client.Failed)
			r.statuses[1] = task.Status{State: task.Lost, Error: task.LeaseRanOut}
		}, report, task.Lost},
		"told":            {func(r *run, w *world) { r.job = over(client.Completed); r.infer(w); r.on(told) }, wait, task.Ended},
		"told, all taken": {func(r *run, w *world) { r.job = over(client.Completed); r.infer(w); r.on(told); clear(r.orders) }, remove, task.Ended},
		"busy":            {func(r *run, _ *world) { r.job, r.busy = over(client.Completed), true }, wait, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := aRun()
			w := world{
				now: noon.Add(time.Minute), control: Agents, orders: true, good: noon.Add(-time.Hour), listed: noon.Add(59 * time.Second), last: true, fresh: true,
				grace: 10 * time.Second, settle: 5 * time.Second,
			}
			c.so(r, &w)
			if got := r.decide(&w); got != c.want {
				t.Errorf("action %d, want %d", got, c.want)
			}
			if r.misfit != nil {
				t.Error(r.misfit)
			}
			switch {
			case r.end == nil && c.ends != "":
				t.Errorf("it has not ended, want %s", c.ends)
			case r.end != nil && r.end.state != c.ends:
				t.Errorf("it ended as %s (%s), want %q", r.end.state, r.end.why, c.ends)
			}
		})
	}
}

// Slurm has to say for a while without a break that it does not start a job where it was sold.
func TestHowLongAJobIsShunned(t *testing.T) {
	r, w := aRun(), world{now: noon}
	r.job, r.state = pending(false), released
	says := func(reason string, after time.Duration) {
		r.job.Reason, w.now = reason, w.now.Add(after)
		r.checkWaiting(&w)
	}
	const why = "ReqNodeNotAvail"
	says(why, 0)
	r.avoids = true // as when it was said for a while before
	if says("Priority", unavailable); r.avoids || r.shunned {
		t.Error("it is to be moved, and Slurm does not say so any more")
	}
	if says(why, unavailable); r.shunned {
		t.Error("what was said before counts")
	}
	if says(why, unavailable-1); r.shunned {
		t.Error("it is shunned before it was said for so long")
	}
	if says(why, 1); !r.shunned {
		t.Error("it is not shunned")
	}
	r.shunned, r.shunnedAt = false, time.Time{}
	const unheard = "FrontEndDown"
	says(unheard, 0)
	if says(unheard, odd-1); r.shunned {
		t.Error("it is shunned at once for what nobody knows")
	}
	if says(unheard, 1); !r.shunned {
		t.Error("it waits for ever for what nobody knows")
	}
}

// A job that a partition does not start, because it was closed meanwhile, is refused and owes
// nothing; one that runs there goes on.
func TestWhoseClosedPartitionStartsNothing(t *testing.T) {
	for _, reason := range []string{"PartitionDown", "PartitionInactive"} {
		r, w := aRun(), world{now: noon}
		r.job, r.state = pending(false), released
		r.job.Reason = reason
		if r.checkListed(&w); r.end == nil || r.end.state != task.Refused || !strings.Contains(r.end.why, reason) {
			t.Errorf("%s: it ended as %+v", reason, r.end)
		}
		r = aRun()
		r.job, r.state = pending(false), running
		r.job.State, r.job.Reason = client.Running, reason
		if r.checkListed(&w); r.end != nil {
			t.Errorf("%s: it runs, and ended as %+v", reason, r.end)
		}
	}
}

func TestWhatAnEndMeans(t *testing.T) {
	for name, c := range map[string]struct {
		job  client.Job
		want task.Status
	}{
		"well":            {client.Job{State: client.Completed}, task.Status{State: task.Ended}},
		"a code":          {client.Job{State: client.Failed, Exit: 7}, task.Status{State: task.Ended, Exit: 7}},
		"a signal":        {client.Job{State: client.Failed, Signal: 11}, task.Status{State: task.Ended, Signal: "SIGSEGV"}},
		"an odd signal":   {client.Job{State: client.Failed, Signal: 99}, task.Status{State: task.Ended, Signal: "SIG99"}},
		"cancelled":       {client.Job{State: client.Cancelled, Nodes: []string{"n1"}}, task.Status{State: task.Ended, Signal: "SIGTERM"}},
		"cancelled early": {client.Job{State: client.Cancelled}, task.Status{State: task.Refused}},
		"killed":          {client.Job{State: client.Cancelled, Signal: 9, Nodes: []string{"n1"}}, task.Status{State: task.Ended, Signal: "SIGKILL"}},
		"too long":        {client.Job{State: client.Timeout}, task.Status{State: task.Ended, Signal: "SIGTERM", Limit: task.LimitTime}},
		"too much memory": {client.Job{State: client.NoMemory, Signal: 125}, task.Status{State: task.Ended, Signal: "SIGKILL", OOM: true}},
		"never started":   {client.Job{State: client.Failed}, task.Status{State: task.Refused}},
		"node":            {client.Job{State: client.NodeFail, Exit: 1}, task.Status{State: task.Lost}},
		"boot":            {client.Job{State: client.BootFail}, task.Status{State: task.Lost}},
		"preempted":       {client.Job{State: client.Preempted}, task.Status{State: task.Lost}},
		"a new word":      {client.Job{State: "REVOKED"}, task.Status{State: task.Lost}},
	} {
		v := verdictOf(&c.job)
		if v.state != c.want.State || v.exit != c.want.Exit || v.signal != c.want.Signal || v.oom != c.want.OOM || v.timed != (c.want.Limit == task.LimitTime) {
			t.Errorf("%s: %+v", name, v)
		}
		if good := v.state == task.Ended && v.exit == 0 && v.signal == ""; good != (name == "well") {
			t.Errorf("%s: good is %v", name, good)
		}
	}
}

// Where nobody measures, a program has had its processors for as long as it ran: all
// of them.
func TestThreadsWithoutAgents(t *testing.T) {
	for threads, want := range map[int]int64{0: 3_000_000, 1: 3_000_000, 4: 12_000_000} {
		r := &run{
			orders: map[int]task.Order{0: {Spec: task.Spec{Threads: threads}}},
			end:    &ending{verdict: verdict{state: task.Ended, started: 10, ended: 13}},
		}
		if got := r.status(0, None).CPUUS; got != want {
			t.Errorf("%d threads for 3 s: %d us, want %d", threads, got, want)
		}
	}
}

func TestTheLimitFollowsTheDeadline(t *testing.T) {
	for _, c := range []struct {
		due  int64
		want time.Duration
	}{
		{0, 0},
		{noon.Add(time.Hour).UnixMicro(), 2 * time.Hour},
		{noon.Add(time.Minute).UnixMicro(), 11 * time.Minute},
		{noon.Add(-time.Hour).UnixMicro(), 0},
	} {
		if got := limitOf(c.due, noon); got != c.want {
			t.Errorf("%d: %s, want %s", c.due, got, c.want)
		}
	}
}
