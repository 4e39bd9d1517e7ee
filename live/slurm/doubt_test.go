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
// slurmctld was started since it was handed in; if not, it has failed.
func TestAJobThatSlurmNeverRan(t *testing.T) {
	for name, c := range map[string]struct {
		crash         bool
		exit, attempt int
	}{
		"slurmctld was killed": {true, 3, 1},
		"it was not":           {false, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, 1, func(t *testing.T, th *theater, ctx context.Context) {
				th.slurm.Mu.Lock()
				th.slurm.Still = 1
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

// What is doubted: an end that a slurmstepd gives a job that never became its script.
func TestWhatIsDoubted(t *testing.T) {
	for name, c := range map[string]struct {
		so   func(*run)
		want bool
	}{
		"status 1":                 {func(r *run) { r.job.Exit = 1 }, true},
		"killed":                   {func(r *run) { r.job.Signal = 9 }, true},
		"another status":           {func(r *run) { r.job.Exit = 2 }, false},
		"a cause":                  {func(r *run) { r.job.Signal = int(noProgram) }, false},
		"completed":                {func(r *run) { r.job.State = client.Completed }, false},
		"it had processor time":    {func(r *run) { r.job.Exit = 1; r.statuses[0] = task.Status{CPUUS: 600_000} }, false},
		"the market has killed it": {func(r *run) { r.job.Signal, r.stop = 9, killed }, false},
		"it is lost anyway":        {func(r *run) { r.job.Exit, r.lost = 1, "so" }, false},
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
// Nobody tells it again, and it says for half an hour that the job runs: it is begun again.
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
