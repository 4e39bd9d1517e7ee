package slurm

import (
	"context"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/model"
)

// A job that Slurm says has failed, with status 1 and before it began, is begun again if
// slurmctld was started since it was handed in, or another may have taken over; if not,
// it has failed.
func TestAJobThatSlurmNeverRan(t *testing.T) {
	for name, c := range map[string]struct {
		crash, backup bool
		still         int // starts that fail
		exit, attempt int
	}{
		"slurmctld was killed":         {crash: true, still: 1, exit: 3, attempt: 1},
		"it was not":                   {still: 1, exit: 1},
		"another took over":            {crash: true, backup: true, still: 1, exit: 3, attempt: 1},
		"another could have":           {backup: true, still: 1, exit: 1},
		"another did, and it does so ": {crash: true, backup: true, still: 9, exit: 1, attempt: 1},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, 1, func(t *testing.T, th *theater, ctx context.Context) {
				th.slurm.Mu.Lock()
				th.slurm.Still, th.slurm.Backup = c.still, c.backup
				th.slurm.Mu.Unlock()
				p := model.Program{Takes: 5 * time.Second, Exit: c.exit}
				th.market.submit(1, 2, p, false)
				for released := false; !released; time.Sleep(10 * time.Millisecond) {
					th.slurm.Mu.Lock()
					released = th.slurm.Known[1] != nil && !th.slurm.Known[1].Held
					th.slurm.Mu.Unlock()
				}
				if c.crash {
					th.slurm.Crash(ctx, false)
				}
				time.Sleep(time.Minute)
				if s := th.market.ending(1); s.State != task.Ended || s.Exit != c.exit || s.Attempt != c.attempt {
					t.Errorf("%s ended as %s %d: %s", s.Key, s.State, s.Exit, s.Error)
				}
			})
		})
	}
}

// Another slurmctld takes over that does not know that a job runs, and begins it once more:
// its node refuses, and Slurm calls it cancelled. It is begun again, and its user did not
// cancel it.
func TestAnotherSlurmctldBeginsItOnceMore(t *testing.T) {
	for name, forgets := range map[string]bool{"it forgets": true, "it does not": false} {
		t.Run(name, func(t *testing.T) {
			play(t, 1, func(t *testing.T, th *theater, ctx context.Context) {
				th.slurm.Mu.Lock()
				th.slurm.Backup = true
				th.slurm.Mu.Unlock()
				th.market.submit(1, 2, model.Program{Takes: 30 * time.Second, Exit: 3}, false)
				time.Sleep(10 * time.Second)
				th.slurm.Mu.Lock()
				j := th.slurm.Known[1]
				if j == nil || j.State != client.Running {
					t.Fatalf("it does not run: %+v", j)
				}
				th.slurm.Mu.Unlock()
				th.slurm.Crash(ctx, false)
				if forgets {
					th.slurm.Mu.Lock()
					was := *th.slurm.Known[1]
					was.State, was.Started, was.Nodes = client.Pending, 0, nil // as it had been saved, when it was let go
					th.slurm.Known[1] = &was
					th.slurm.Mu.Unlock()
				}
				time.Sleep(5 * time.Minute)
				attempt := 0
				if forgets {
					attempt = 1
				}
				if s := th.market.ending(1); s.State != task.Ended || s.Exit != 3 || s.Attempt != attempt || s.Cancelled {
					t.Errorf("%s ended as %s %d, cancelled %v: %s", s.Key, s.State, s.Exit, s.Cancelled, s.Error)
				}
			})
		})
	}
}

// What is doubted: an end that a slurmstepd gives a job that never became its script.
func TestWhatIsDoubted(t *testing.T) {
	for name, c := range map[string]struct {
		so   func(*run)
		want bool
	}{
		"status 1":                   {func(r *run) { r.job.Exit = 1 }, true},
		"killed":                     {func(r *run) { r.job.Signal = 9 }, true},
		"another status":             {func(r *run) { r.job.Exit = 2 }, false},
		"a cause":                    {func(r *run) { r.job.Signal = int(noProgram) }, false},
		"completed":                  {func(r *run) { r.job.State = client.Completed }, false},
		"it had processor time":      {func(r *run) { r.job.Exit = 1; r.statuses[0] = task.Status{CPUUS: 600_000} }, false},
		"the market has killed it":   {func(r *run) { r.job.Signal, r.stop = 9, killed }, false},
		"cancelled":                  {func(r *run) { r.job.State, r.job.Ended = client.Cancelled, r.job.Started }, false},
		"begun once more, cancelled": {func(r *run) { r.job.State, r.job.Ended, r.first = client.Cancelled, r.job.Started, r.job.Started-9 }, true},
		"and the agent had seen it": {func(r *run) {
			r.job.State, r.job.Ended, r.began = client.Cancelled, r.job.Started, time.Unix(r.job.Started-9, 0)
		}, true},
		"nobody knows of a first": {func(r *run) {
			r.job.State, r.job.Ended, r.job.Nodes, r.restored = client.Cancelled, r.job.Started, []string{"n1"}, time.Unix(r.job.Started, 0)
		}, true},
		"and it was given nothing": {func(r *run) {
			r.job.State, r.job.Ended, r.job.Nodes, r.restored = client.Cancelled, r.job.Started, nil, time.Unix(r.job.Started, 0)
		}, false},
		"and it had gone on for a while": {func(r *run) {
			r.job.State, r.job.Ended, r.job.Nodes, r.restored = client.Cancelled, r.job.Started+2, []string{"n1"}, time.Unix(r.job.Started, 0)
		}, false},
		"it had gone on for a while": {func(r *run) { r.job.State, r.first = client.Cancelled, r.job.Started-9 }, false},
		"cancelled by the market": {func(r *run) {
			r.job.State, r.job.Ended, r.first, r.stop = client.Cancelled, r.job.Started, r.job.Started-9, killed
		}, false},
		"it is lost anyway": {func(r *run) { r.job.Exit, r.lost = 1, "so" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := aRun()
			r.state, r.job = running, over(client.Failed)
			c.so(r)
			if got := r.doubtful(Agents); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
			r.job.Ended = r.job.Started + 10
			if r.doubtful(None) && !r.struckDown() { // whose node may have been shut down
				t.Error("and for ten seconds of Slurm's watch")
			}
		})
	}
}

// slurmctld hears that a job has ended, and is killed before it has written that down.
// Nobody tells it again, and it goes on saying that the job runs: it is begun again.
func TestAnEndThatSlurmForgot(t *testing.T) {
	play(t, 1, func(t *testing.T, th *theater, ctx context.Context) {
		th.market.submit(1, 1, model.Program{Takes: 20 * time.Second}, false)
		state := func() client.State {
			th.slurm.Mu.Lock()
			defer th.slurm.Mu.Unlock()
			if j := th.slurm.Known[1]; j != nil {
				return j.State
			}
			return client.Pending
		}
		for state() != client.Completed {
			time.Sleep(10 * time.Millisecond)
		}
		th.slurm.Crash(ctx, true)
		if state() != client.Running || th.slurm.Alive() != 0 {
			t.Fatalf("it is %v, with %d processes", state(), th.slurm.Alive())
		}
		time.Sleep(5 * time.Minute)
		if s := th.market.ending(1); s.State != task.Ended || s.Exit != 0 || s.Attempt != 1 {
			t.Errorf("%s ended as %s %d: %s", s.Key, s.State, s.Exit, s.Error)
		}
	})
}

// An end that Slurm takes its time to hear of is asked about; and again, when slurmctld was
// killed later and has forgotten it for good, be it one of two and the second attempt.
func TestAnEndThatSlurmForgotLater(t *testing.T) {
	for name, backup := range map[string]bool{"one slurmctld": false, "with a backup": true} {
		t.Run(name, func(t *testing.T) {
			play(t, 1, func(t *testing.T, th *theater, ctx context.Context) {
				th.slurm.Mu.Lock()
				th.slurm.Backup = backup
				th.slurm.Mu.Unlock()
				th.market.submit(1, 1, model.Program{Takes: 20 * time.Second}, false)
				forget := func(id int64) { // as slurmctld had it when it was killed
					for done, tries := false, 0; !done; time.Sleep(10 * time.Millisecond) {
						if tries++; tries > 60_000 {
							t.Fatalf("%d does not end", id)
						}
						th.slurm.Mu.Lock()
						if j := th.slurm.Known[id]; j != nil && j.State == client.Completed {
							was := *j
							was.State, was.Ended = client.Running, 0
							th.slurm.Known[id], done = &was, true
						}
						th.slurm.Mu.Unlock()
					}
				}
				forget(1)
				time.Sleep(5 * time.Minute) // it was not started anew: nothing is known
				if s := th.market.ending(1); s.State == task.Ended {
					t.Errorf("%s ended as %s %d: %s", s.Key, s.State, s.Exit, s.Error)
				}
				th.slurm.CrashFor(ctx, 2*time.Second)
				forget(2)
				th.slurm.CrashFor(ctx, 2*time.Second)
				time.Sleep(5 * time.Minute)
				if s := th.market.ending(1); s.State != task.Ended || s.Exit != 0 || s.Attempt != 2 {
					t.Errorf("%s ended as %s %d: %s", s.Key, s.State, s.Exit, s.Error)
				}
			})
		})
	}
}

// Whose processes have ended is hollow only where Slurm has said for long that it runs.
func TestWhatIsHollow(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, c := range map[string]struct {
		so   func(*run, *world)
		want bool
	}{
		"as it is":                 {func(*run, *world) {}, true},
		"a process is left":        {func(r *run, _ *world) { r.empty = time.Time{} }, false},
		"they have just ended":     {func(r *run, _ *world) { r.empty = ago(quiet - 1) }, false},
		"it was listed before":     {func(r *run, _ *world) { r.asOf = ago(quiet + 1) }, false},
		"Slurm has just come back": {func(_ *run, w *world) { w.good = ago(quiet - 1) }, false},
		"Slurm is away":            {func(_ *run, w *world) { w.good = time.Time{} }, false},
		"suspended":                {func(r *run, _ *world) { r.job.State = client.Suspended }, false},
		"nobody looks":             {func(_ *run, w *world) { w.control = None }, false},
		"it is being stopped":      {func(r *run, _ *world) { r.stop = killed }, false},
		"it is lost anyway":        {func(r *run, _ *world) { r.lost = "so" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r, w := aRun(), &world{now: now, control: Agents, good: ago(time.Hour)}
			r.state, r.job, r.empty, r.asOf = running, over(client.Running), ago(2*quiet), now
			c.so(r, w)
			if got := r.hollow(w); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
