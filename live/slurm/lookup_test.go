package slurm

import (
	"context"
	"os"
	"path/filepath"
	"slices"
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
		if got := th.backend.Stands(7, 0).Number; got != "" {
			t.Errorf("nobody handed it in, and it is %q", got)
		}
		th.market.submit(7, 1, model.Program{Takes: 10 * time.Second}, false)
		time.Sleep(4 * time.Second)
		word := th.backend.Stands(7, 0).Number
		number, err := strconv.ParseInt(word, 10, 64)
		if err != nil || th.backend.Stands(7, 1).Number != "" {
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
	named := aTask(t) // digits are for numbers
	named.Argv, named.Output, named.Error = []string{"true"}, "on-%5N", "on-%5N"
	if code := inShell(t, []task.Spec{named}, "SLURM_JOB_ID=4711"); code != 0 {
		t.Fatalf("code %d", code)
	}
	if found, _ := filepath.Glob(filepath.Join(named.Dir, "on-?*")); len(found) != 1 {
		t.Errorf("the node is in the names of %v", found)
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

// Slurm shows the files and the command of a job that has one of each.
func TestWhatSlurmShows(t *testing.T) {
	once := aTask(t)
	once.Size, once.Once, once.Nodes = 2, true, []string{"n1", "n1"}
	ranks := once
	ranks.Once = false
	lane := aTask(t)
	lane.Span = &task.Span{First: 1, Count: 2}
	for _, c := range []struct {
		specs      []task.Spec
		name, want string
	}{
		{[]task.Spec{aTask(t)}, "slurm-%b.out", "slurm-%j.out"},
		{[]task.Spec{aTask(t)}, "/d/100%-%j-%b%", "/d/100%%-12-%j%%"},
		{[]task.Spec{aTask(t)}, "%8b.%4j.%N.%5N", "%8j.0012.%N.%N"},
		{[]task.Spec{lane}, "%4a", "/dev/null"},
		{[]task.Spec{aTask(t)}, "", "/dev/null"},
		{[]task.Spec{aTask(t)}, `a\b`, "/dev/null"},
		{[]task.Spec{once, once}, "out", "out"},
		{[]task.Spec{ranks, ranks}, "out", "/dev/null"},
		{[]task.Spec{lane}, "%b_%a", "/dev/null"},
		{[]task.Spec{lane}, "all", "all"},
		{[]task.Spec{aTask(t)}, "%a", "%%a"},
	} {
		if got := new(layout).shownFile(c.specs, c.name); got != c.want {
			t.Errorf("%q of %d: %q, want %q", c.name, len(c.specs), got, c.want)
		}
	}
	s := aTask(t)
	if s.Argv, s.Env = []string{"an argument"}, []string{"A=b", "LIBRA_SCRIPT=/d/job.sh"}; shownCommand(&s) != nil {
		t.Error("a program is no script")
	}
	s.Script = []byte("#!/bin/sh\n")
	if got := shownCommand(&s); !slices.Equal(got, []string{"/d/job.sh", "an argument"}) {
		t.Errorf("%q", got)
	}
	if s.Env = nil; shownCommand(&s) != nil {
		t.Error("it was in no file")
	}
}
