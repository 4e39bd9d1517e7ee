package slurm

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/model"
)

// The number in Slurm is known from the moment Slurm has given it, and leads to the job for
// good: when it has ended, and after the market was started anew.
func TestNumbersLeadToJobs(t *testing.T) {
	play(t, 1, func(t *testing.T, th *theater, ctx context.Context) {
		if got := th.backend.Number(7, 0); got != "" {
			t.Errorf("nobody handed it in, and it is %q", got)
		}
		th.market.submit(7, 1, model.Program{Takes: 10 * time.Second}, false)
		time.Sleep(4 * time.Second)
		word := th.backend.Number(7, 0)
		number, err := strconv.ParseInt(word, 10, 64)
		if err != nil || th.backend.Number(7, 1) != "" {
			t.Fatalf("it runs as %q, %v", word, err)
		}
		leads := func(when string) {
			t.Helper()
			if job, found, err := th.backend.JobOf(ctx, number); job != 7 || !found || err != nil {
				t.Errorf("%s: %d is job %d, %v, %v", when, number, job, found, err)
			}
			if _, found, err := th.backend.JobOf(ctx, number+1000); found || err != nil {
				t.Errorf("%s: somebody's: %v, %v", when, found, err)
			}
		}
		leads("running")
		th.backend.mu.Lock()
		tails := th.backend.named([]task.Tail{{Key: task.Key{Job: 7}, File: "out-%b"}, {Key: task.Key{Job: 8}, File: "%b"}})
		th.backend.mu.Unlock()
		if tails[0].File != "out-"+word || tails[1].File != "%b" {
			t.Errorf("what it writes is looked for in %+v", tails)
		}
		time.Sleep(time.Minute)
		if final := th.market.ending(7); final.Batch != word {
			t.Errorf("it ended as %q, and ran as %q", final.Batch, word)
		}
		leads("ended")
		th.restart(time.Second)
		leads("started anew")
	})
}

// A file's name may have Slurm's number in it, as it has for sbatch.
func TestFilesHaveSlurmsNumber(t *testing.T) {
	one := aTask(t)
	one.Argv, one.Output, one.Error = []string{"sh", "-c", "echo out; echo err >&2"}, "it's %b of %j", "err-%b"
	if code := inShell(t, []task.Spec{one}, "SLURM_JOB_ID=4711"); code != 0 {
		t.Fatalf("code %d", code)
	}
	lane := aTask(t)
	lane.Argv, lane.Output, lane.Error = []string{"true"}, "%b_%a", "%b_%a"
	lane.Span = &task.Span{First: 3, Step: 2, Count: 2}
	if code := inShell(t, []task.Spec{lane}, "SLURM_JOB_ID=4711"); code != 0 {
		t.Fatalf("code %d", code)
	}
	for _, file := range []string{filepath.Join(one.Dir, "it's 4711 of 12"), filepath.Join(one.Dir, "err-4711"), filepath.Join(lane.Dir, "4711_3"), filepath.Join(lane.Dir, "4711_5")} {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}
