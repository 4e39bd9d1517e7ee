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
