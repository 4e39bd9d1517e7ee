package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
)

// slurmFloor is a market before Slurm, which has a job a little after the market has.
type slurmFloor struct {
	*floor
	looked int
}

func (f *slurmFloor) Do(ctx context.Context, c trade.Command, key api.Key) (api.Outcome, bool, error) {
	o, replayed, err := f.floor.Do(ctx, c, key)
	if c.Submit != nil && o.Job != nil && len(c.Submit.Request.After) > 0 {
		o.Job.State = v1.Held
		f.Put(*o.Job)
	}
	return o, replayed, err
}

func (f *slurmFloor) Job(ctx context.Context, id int64) (v1.Job, error) {
	j, err := f.floor.Job(ctx, id)
	if f.looked++; j.State == v1.Running && f.looked > 2 {
		j.Batch = fmt.Sprint(4700 + id)
		f.Put(j)
	}
	return j, err
}

// What sbatch prints is Slurm's number, and what it is told are Slurm's numbers; of a job
// that Slurm does not have yet it says whose number it is.
func TestSbatchSpeaksInSlurmsNumbers(t *testing.T) {
	f := &slurmFloor{floor: newFloor()}
	f.prices.Runs = "slurm"
	open(t, f, v1.RoleUser)
	first := libra(t, "sbatch", "-t", "1", "--wrap", "true").out
	id := f.last(t).Submit
	if id == nil || first != "Submitted batch job 4701\n" {
		t.Fatalf("%q", first)
	}
	r := libra(t, "sbatch", "-t", "1", "--dependency=afterok:4701", "--wrap", "true")
	if got := f.last(t).Submit.Request; r.out != "Submitted batch job libra:2\n" || !slices.Equal(got.After, []int64{1}) {
		t.Errorf("%+v: after %v", r, got.After)
	}
	if got := mustLibra(t, "sbatch", "-t", "1", "--parsable", "-d", "afterok:libra:2", "--wrap", "true"); got != "libra:3\n" {
		t.Errorf("%q", got)
	}
	asked := len(f.asked)
	if r = libra(t, "sbatch", "-t", "1", "-d", "afterok:1", "--wrap", "true"); r.code == exitOK || !strings.Contains(r.err, "slurm:1 is no job of yours") || len(f.asked) > asked {
		t.Errorf("Libra's number where Slurm's is wanted: %+v", r)
	}
	libra(t, "sbatch", "-t", "1", "-Q", "-d", "afterok:4701:3", "--wrap", "true") // the digits of libra:3
	if got := f.last(t).Submit.Request; !slices.Equal(got.After, []int64{1, 3}) {
		t.Errorf("after %v, want 1 and the one that waits", got.After)
	}
	libra(t, "sbatch", "-t", "1", "-Q", "--dependency=afterany:4701,afternotok:libra:2", "--wrap", "true")
	if got := f.last(t).Submit.Request; !slices.Equal(got.AfterAny, []int64{1}) || !slices.Equal(got.AfterFailed, []int64{2}) || got.After != nil {
		t.Errorf("after the end of %v and the failure of %v", got.AfterAny, got.AfterFailed)
	}
	libra(t, "sbatch", "-t", "1", "-Q", "-a", "1,2,5", "-d", "after:4701+3:libra:2,aftercorr:4701", "--wrap", "true")
	if got := f.last(t).Submit.Request; !slices.Equal(got.AfterBegun, []trade.Begun{{Job: 2}, {Job: 1, DelayMS: 180_000}}) || !slices.Equal(got.AfterEach, []int64{1}) || !slices.Equal(got.Array.List, []int{1, 2, 5}) || !slices.Contains(got.Env, task.Array+"=3 1 5 1") {
		t.Errorf("after the start of %v, each after %v, %+v", got.AfterBegun, got.AfterEach, got.Array)
	}
	libra(t, "sbatch", "-t", "1", "-Q", "-d", "singleton", "-J", "wrap", "--wrap", "true")
	if got := f.last(t).Submit.Request; len(got.AfterAny) < 2 || !slices.Contains(got.AfterAny, 1) {
		t.Errorf("alone, after %v", got.AfterAny)
	}
	libra(t, "sbatch", "-t", "1", "-Q", "-d", "singleton", "-J", "nobody-else", "--wrap", "true")
	if got := f.last(t).Submit.Request; got.AfterAny != nil {
		t.Errorf("alone among none, after %v", got.AfterAny)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"job", "slurm:4701"}, "in Slurm   4701"},
		{[]string{"job", "libra:1"}, "in Slurm   4701"},
		{[]string{"job", "1"}, "slurm-4701.out"},
		{[]string{"job", "2"}, "slurm-%b.out"},
		{[]string{"jobs", "--format", "job,slurm"}, "1     4701"},
		{[]string{"cancel", "slurm:4701"}, "job 1 "},
	} {
		if out := mustLibra(t, c.args...); !strings.Contains(out, c.want) {
			t.Errorf("libra %v says\n%s\nand not %q", c.args, out, c.want)
		}
	}
	if r = libra(t, "cancel", "slurm:4799"); r.code == exitOK || !strings.Contains(r.err, "slurm:4799") {
		t.Errorf("%+v", r)
	}
}

// Where agents run the jobs there is no other number.
func TestAgentsKnowOneNumber(t *testing.T) {
	f := newFloor()
	open(t, f, v1.RoleUser)
	if out := libra(t, "sbatch", "-t", "1", "-d", "afterok:3", "--wrap", "true").out; out != "Submitted batch job 1\n" || !slices.Equal(f.last(t).Submit.Request.After, []int64{3}) {
		t.Errorf("%q, after %v", out, f.last(t).Submit.Request.After)
	}
	r := trade.Request{Output: "slurm-%b_%a.out", Error: "%b%4b"}
	if ownNumber(&r); r.Output != "slurm-%j_%a.out" || r.Error != "%j%4j" {
		t.Errorf("%+v", r)
	}
	j := v1.Job{ID: 3, Name: "a", Batch: "77", Tasks: []v1.TaskStatus{{Batch: "77"}}}
	if got := fileOf(&j, "%x-%5b"); got != "a-00077" {
		t.Errorf("its file is %s", got)
	}
}
