package main

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
)

// heldFloor is a market before Slurm that begins jobs at once, and loses them when told to.
type heldFloor struct {
	*slurmFloor
	looks, lostAt atomic.Int64
}

func (f *heldFloor) Job(ctx context.Context, id int64) (v1.Job, error) {
	j, err := f.slurmFloor.Job(ctx, id)
	if j.State == v1.Running {
		j.Batch, j.Tasks = "4711", []v1.TaskStatus{{StartedUS: micro(0)}}
		if n := f.looks.Add(1); f.lostAt.Load() > 0 && n > f.lostAt.Load() {
			j.State, j.Detail = v1.Lost, "its node is gone"
		}
		f.Put(j)
	}
	return j, err
}

// What is had with a terminal is whole processors for as long as was said, given back when
// the command ends; a job that ends before takes the command with it.
func TestSalloc(t *testing.T) {
	_, calls := slurmOnPath(t, map[string]string{"srun": "", "squeue": "exit 1"})
	f := &heldFloor{slurmFloor: &slurmFloor{floor: newFloor()}}
	f.prices.Runs = "slurm"
	f.nodes = []v1.NodeView{{Up: true}}
	f.nodes[0].Rating = 0.9
	f.preview = func(r v1.Request) api.Outcome { return api.Outcome{Quote: &v1.Quote{Request: r}} }
	open(t, f, v1.RoleUser)
	r := libra(t, "salloc", "-t", "10", "-n", "2", "sh", "-c", "echo in $SLURM_JOB_ID; exit 5")
	if r.code != 5 || r.out != "in 4711\n" || !strings.Contains(r.err, "an hour") || !strings.Contains(r.err, "given back") || strings.Contains(r.err, "starts once") {
		t.Errorf("%+v", r)
	}
	var asked *v1.Request
	for _, c := range f.asked {
		if c.Submit != nil {
			got := c.Submit.Request
			asked = &v1.Request{EstimateMS: got.EstimateMS, DeadlineMS: got.DeadlineMS, Processors: got.Processors, NoRestart: got.NoRestart, Output: got.Output, Script: got.Script}
		}
	}
	if asked == nil || asked.EstimateMS != 541_800 || asked.DeadlineMS != 632_000 || asked.Processors != 2 || !asked.NoRestart || asked.Output != "/dev/null" || asked.Script != holding(600, true) {
		t.Errorf("%+v", asked)
	}
	if came := noted(t, calls)[0]; !strings.Contains(came, "--jobid=4711 --overlap") || !strings.HasSuffix(came, "mkdir -p "+markOf("4711")) {
		t.Errorf("nobody said that they are here: %s", came)
	}
	if f.last(t).Cancel == nil {
		t.Errorf("it was not given back: %+v", f.last(t))
	}
	f.looks.Store(0)
	f.lostAt.Store(2)
	if r = libra(t, "salloc", "-t", "10", "sleep", "300"); r.code != 128+15 || !strings.Contains(r.err, "its node is gone") || f.last(t).Cancel != nil {
		t.Errorf("%+v", r)
	}
	f.looks.Store(0) // and one that takes the word to end for a good end has not ended well
	if r = libra(t, "salloc", "-t", "10", "sh", "-c", "trap 'exit 0' TERM; while :; do sleep 0.1; done"); r.code != 1 || !strings.Contains(r.err, "its node is gone") {
		t.Errorf("%+v", r)
	}
	f.lostAt.Store(0)
	for args, want := range map[string]string{
		"salloc sh": "-t is missing", "salloc -t 1 --deadline=now+1hour sh": "--deadline", "salloc -t 1 -a 1-3 sh": "array", "srun -t 1": "what should be run",
	} {
		if r := libra(t, strings.Fields(args)...); r.code != exitUsage || !strings.Contains(r.err, want) {
			t.Errorf("%s: %+v", args, r)
		}
	}
	f.prices.Runs = ""
	if r := libra(t, "srun", "-t", "1", "true"); r.code != exitFailure || !strings.Contains(r.err, "its own agents") {
		t.Errorf("%+v", r)
	}
}

// It lasts as long as was said wherever it comes to be, and costs no more: work is asked
// for as the fastest nodes do it, and as slower ones do only where those say no.
func TestSallocLastsOnFastNodes(t *testing.T) {
	slurmOnPath(t, map[string]string{"srun": ""})
	f := &heldFloor{slurmFloor: &slurmFloor{floor: newFloor()}}
	f.prices.Runs = "slurm"
	f.nodes = make([]v1.NodeView, 6)
	for i, rating := range []float64{0.5, 1.5, 1.49, 9, 9, 0.52} {
		f.nodes[i].Rating, f.nodes[i].Up = rating, true
	}
	f.nodes[3].Up, f.nodes[4].Closed = false, true
	open(t, f, v1.RoleUser)
	var asked, bought [][2]int64
	no := "cannot_meet_deadline"
	most := int64(1_000_000)
	f.preview = func(r v1.Request) api.Outcome {
		asked = append(asked, [2]int64{r.EstimateMS, r.DeadlineMS})
		if r.EstimateMS > most {
			return api.Outcome{Refusal: &v1.Refusal{Reason: no, Detail: "no", Offers: []v1.Offer{}}}
		}
		return api.Outcome{Quote: &v1.Quote{Request: r}}
	}
	handed := func() [][2]int64 {
		bought = nil
		for _, c := range f.asked {
			if c.Submit != nil {
				bought = append(bought, [2]int64{c.Submit.Request.EstimateMS, c.Submit.Request.DeadlineMS})
			}
		}
		f.asked = nil
		return bought
	}
	if r := libra(t, "salloc", "-t", "10", "--no-shell"); r.code != exitOK || !strings.Contains(r.err, "at most for 10m") {
		t.Errorf("%+v", r)
	}
	if got := handed(); !slices.Equal(got, [][2]int64{{903_000, 632_000}}) {
		t.Errorf("%v", got)
	}
	// What is not to be had is asked for, and never handed in: there are no refused jobs.
	asked, most = nil, 313_040
	if r := libra(t, "salloc", "-t", "10", "--no-shell"); !strings.Contains(r.err, "an hour, about ") {
		t.Errorf("%+v", r)
	}
	if got := handed(); !slices.Equal(asked, [][2]int64{{903_000, 632_000}, {313_040, 632_000}}) || !slices.Equal(got, [][2]int64{{313_040, 632_000}}) {
		t.Errorf("asked for %v, handed in %v", asked, got)
	}
	for reason, tries := range map[string]int{"insufficient_funds": 1, "cannot_meet_deadline": 2} {
		asked, most, no = nil, 1, reason
		if r := libra(t, "salloc", "-t", "10", "--no-shell"); r.code != exitRefused || len(asked) != tries || len(handed()) != 0 {
			t.Errorf("%s: %+v after %v", reason, r, asked)
		}
	}
	f.nodes = nil
	if r := libra(t, "salloc", "-t", "10", "--no-shell"); r.code != exitFailure || !strings.Contains(r.err, "no node takes jobs now") {
		t.Errorf("%+v", r)
	}
}

// What holds the processors of several nodes is on one of them, be it not that of the
// first task.
func TestAnAllocationIsThereWhereverItIsHeld(t *testing.T) {
	for name, c := range map[string]struct {
		job  v1.Job
		want bool
	}{
		"on the first":     {v1.Job{Batch: "2", Tasks: []v1.TaskStatus{{StartedUS: 1}, {}}}, true},
		"on another":       {v1.Job{Batch: "2", Tasks: []v1.TaskStatus{{}, {StartedUS: 1}}}, true},
		"not yet":          {v1.Job{Batch: "2", Tasks: []v1.TaskStatus{{}, {}}}, false},
		"not in Slurm yet": {v1.Job{Tasks: []v1.TaskStatus{{StartedUS: 1}}}, false},
	} {
		if got := isThere(&c.job); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
