package directive_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/directive"
)

// A job waits for the success, the end or the failure of others, or for those of its name;
// what cannot be had says what to say instead.
func TestWhatAJobWaitsFor(t *testing.T) {
	h := directive.New(directive.Place{})
	options := []string{"--dependency=afterok:1:libra:2,afterany:3,afternotok:4:5,after:7+10:8:libra:9+1,aftercorr:10,afterany:libra:6,singleton"}
	if err := h.ReadSbatch("job.sh", "#!/bin/sh\n#SBATCH -d afterany:99,afterok:libra:98\n", options); err != nil {
		t.Fatal(err)
	}
	want := directive.Follows{OK: []int64{1}, Any: []int64{3}, Failed: []int64{4, 5}, Begun: []v1.Begun{{Job: 7, DelayMS: 600_000}, {Job: 8}}, Each: []int64{10}}
	if !h.Singleton || !reflect.DeepEqual(h.Printed, want) || !slices.Equal(h.Request.After, []int64{2}) || !slices.Equal(h.Request.AfterAny, []int64{6}) || h.Request.AfterFailed != nil || !slices.Equal(h.Request.AfterBegun, []v1.Begun{{Job: 9, DelayMS: 60_000}}) || len(h.Printed.Numbers()) != 7 {
		t.Errorf("%+v, %+v", h.Printed, h.Request)
	}
	h = directive.New(directive.Place{})
	if err := h.ReadSbatch("job.sh", "", []string{"-d", "afterok:7_2:libra:8_0,afternotok:9_3:9,after:9_4,afterany:7_5"}); err != nil {
		t.Fatal(err)
	}
	want = directive.Follows{Failed: []int64{9}, Any: []int64{9, 7}, Parts: []v1.Ahead{{Job: 7, Index: 2}, {Job: 9, Index: 3, Failed: true}}}
	if !reflect.DeepEqual(h.Printed, want) || !reflect.DeepEqual(h.Request.AfterElement, []v1.Ahead{{Job: 8}}) || len(h.Printed.Numbers()) != 5 {
		t.Errorf("elements: %+v, %+v", h.Printed, h.Request.AfterElement)
	}
	if err := h.ReadSbatch("job.sh", "", []string{"-d", ""}); err != nil || !h.Printed.None() || h.Request.Follows() {
		t.Errorf("none: %v, %+v", err, h.Printed)
	}
	h = directive.New(directive.Place{})
	if err := h.Read("job.sh", "#!/bin/sh\n#PBS -W depend=afternotok:7,afterany:8\n"); err != nil || !slices.Equal(h.Request.AfterFailed, []int64{7}) || !slices.Equal(h.Request.AfterAny, []int64{8}) {
		t.Errorf("PBS: %+v, %v", h.Request, err)
	}
	for wrong, says := range map[string]string{
		"after:7+": "minutes", "after:7+x": "minutes", "after:+5": "number", "after:7+99999999999": "minutes", "aftercorr:": "number", "afterburstbuffer:7": "afterok:JOB", "afterok:7?afterany:8": "waits for all that it names", "aftercorr:7_2": "waits for a whole array", "afterok:7_x": "by after, afterok, afternotok or afterany", "afterany:7_x": "by after, afterok", "afterok:7_": "number of a job", "afterok:x_2": "number of a job", "expand:7": "singleton", "afterany": "want after:JOB",
	} {
		if err := directive.New(directive.Place{}).ReadSbatch("job.sh", "", []string{"-d", wrong}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// What concerns Slurm alone goes along, the last that was said of each, of mail all of it, and nothing
// that Slurm would not understand.
func TestWhatIsPassedToSlurm(t *testing.T) {
	h := directive.New(directive.Place{})
	script := "#!/bin/sh\n#SBATCH --mail-type=NONE --mail-user=a@b.org --signal=USR2\n#SBATCH --mail-type=BEGIN\n#SBATCH --mail-type=fail\n"
	if err := h.ReadSbatch("job.sh", script, []string{"--signal", "B:USR1@60", "--mail-type=end,FAIL", "-L", "fluent:2,matlab"}); err != nil {
		t.Fatal(err)
	}
	if want := []string{task.MailUser + "=a@b.org", task.Signal + "=B:USR1@60", task.MailType + "=BEGIN,fail,end", task.Licenses + "=fluent:2,matlab"}; !slices.Equal(sorted(h.Request.Env), sorted(want)) || len(h.Notes) > 0 {
		t.Errorf("%q, %v", h.Request.Env, h.Notes)
	}
	if !task.Asked(h.Request.Env) || len(task.WithoutPassed(append(h.Request.Env, "A=b"))) != 1 {
		t.Error("it is not told from the rest")
	}
	for _, wrong := range []string{"--licenses=a|b", "--licenses=a:0", "--signal=B:", "--signal=USR1@soon", "--signal=B:FOO", "--signal=WINCH", "--signal=0@5", "--signal=USR1@65536", "--signal=a b", "--mail-type=SOMETIMES", "--mail-user=a b", "--mail-user=-x", "--distribution=x", "--distribution=nomultithread", "--distribution=plane", "--distribution=cyc", "--distribution=block:plane"} {
		if err := directive.New(directive.Place{}).ReadSbatch("job.sh", "", []string{wrong}); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}

// On how many nodes a job may be: of a range all that divide its tasks, the most first.
func TestOnHowManyNodes(t *testing.T) {
	for options, want := range map[string][]int{"-N 2-4 -n 12": {4, 3, 2}, "-N 2-4 -n 7": nil, "-N 2 -n 4": nil, "-N 2-4 -n 8 --gpus-per-node=1": nil} {
		h := directive.New(directive.Place{})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\n", strings.Fields(options)); err != nil || !slices.Equal(h.Spreads, want) {
			t.Errorf("%s: %v, %v", options, h.Spreads, err)
		}
		if want == nil {
			continue
		}
		if r := h.Request; r.Threads != r.Processors/want[0] || !r.Spread {
			t.Errorf("%s: %+v", options, r)
		}
		r := h.Request
		if h.Spread(&r, want[2]); r.Threads != 6 || !r.Spread {
			t.Errorf("%s on the fewest: %+v", options, r)
		}
		if h.Spread(&r, 12); r.Threads != 0 || !r.Spread {
			t.Errorf("%s on one for each: %+v", options, r)
		}
		if h.Spread(&r, 1); r.Threads != 12 || r.Spread {
			t.Errorf("%s on one: %+v", options, r)
		}
	}
}

// What may be packed on few nodes is what says how many tasks it has, and nothing else of its size.
func TestOnHowFewNodes(t *testing.T) {
	for options, want := range map[string][]int{
		"-n 4": {1, 2}, "-n 7": {1}, "-n 24": {1, 2, 3, 4}, "-n 2 -c 3": {1}, "-n 1": nil, "-c 4": nil, "-N 2 -n 4": nil, "-N 1-2 -n 4": nil,
		"-n 4 --ntasks-per-node=2": nil, "-n 4 -a 1-3": nil, "-n 4 --gpus=4": nil, "-n 4 --exclusive": nil,
	} {
		h := directive.New(directive.Place{})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\n", strings.Fields(options)); err != nil || !slices.Equal(h.Packs, want) {
			t.Errorf("%s: %v, %v", options, h.Packs, err)
		}
	}
	h := directive.New(directive.Place{})
	if err := h.Read("job.sh", "#!/bin/sh\n#SBATCH -n 4\n"); err != nil || h.Packs != nil {
		t.Errorf("%v: who hands it in otherwise: %v", err, h.Packs)
	}
}

// Where nothing is said but a range of nodes a job has a task on each, on as many as can be had.
func TestATaskOnEachOfSomeNodes(t *testing.T) {
	for options, c := range map[string]struct {
		ways []int
		each int // processors of a node
	}{
		"-N 2-4":                  {[]int{4, 3, 2}, 1},
		"-N 1-3 -c 2 --mem=100":   {[]int{3, 2, 1}, 2},
		"-N 2-4 --gres=gpu:1":     {nil, 1},
		"-N 3-3":                  {nil, 1},
		"-N 2-4 -n 4":             {[]int{4, 2}, 1},
		"--mem-per-cpu=50 -N 2-3": {[]int{3, 2}, 1},
	} {
		h := directive.New(directive.Place{})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\n", strings.Fields(options)); err != nil || !slices.Equal(h.Spreads, c.ways) {
			t.Errorf("%s: %v, %v", options, h.Spreads, err)
		}
		if c.ways == nil || options == "-N 2-4 -n 4" {
			continue
		}
		r := h.Finish("job", nil)
		if r.Processors != c.ways[0]*c.each || !r.Spread || slices.ContainsFunc(r.Env, func(v string) bool { return strings.HasPrefix(v, "SLURM_NTASKS=") }) {
			t.Errorf("%s: %+v", options, r)
		}
		for _, nodes := range c.ways {
			if h.Spread(&r, nodes); r.Processors != nodes*c.each || max(1, r.Threads) != c.each || r.Spread != (nodes > 1) {
				t.Errorf("%s on %d: %d processors by %d, spread %t", options, nodes, r.Processors, r.Threads, r.Spread)
			}
			if got := r.MemoryMB * int64(max(1, r.Threads)); strings.Contains(options, "--mem=100") && got != 100 {
				t.Errorf("%s on %d: %d MB on each", options, nodes, got)
			}
		}
	}
	h := directive.New(directive.Place{})
	if err := h.ReadSbatch("job.sh", "#!/bin/sh\n", []string{"-N", "2-100000"}); err != nil || len(h.Spreads) > 64 || h.Spreads[len(h.Spreads)-1] != 2 {
		t.Errorf("%v: %d numbers of nodes", err, len(h.Spreads))
	}
}

// -N is so many nodes, also where the tasks do not divide: each has as many processors as the
// fullest, and the script is told of its tasks alone.
func TestTasksThatDoNotDivideAmongNodes(t *testing.T) {
	for _, c := range []struct {
		options                    string
		processors, threads, tasks int
	}{
		{"-N 2 -n 3", 4, 2, 3},
		{"-N 3 -n 7", 9, 3, 7},
		{"-N 2 -n 3 -c 2", 8, 4, 3},
		{"--ntasks-per-node=2 -n 3", 4, 2, 3},
		{"-N 2 -n 5 --ntasks-per-node=3", 6, 3, 5},
		{"-N 2-4 -n 7", 8, 4, 7},
		{"-N 1-2 -n 3 --ntasks-per-node=2", 4, 2, 3},
		{"-N 1-9 -n 11 --ntasks-per-node=3", 12, 3, 11},
		{"-N 2 -n 5 --ntasks-per-node=2", 5, 0, 5},
		{"-n 5", 5, 0, 5},
		{fmt.Sprintf("-N 2 -n %d", market.MaxWidth-1), market.MaxWidth, market.MaxWidth / 2, market.MaxWidth - 1},
	} {
		h := directive.New(directive.Place{})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\n", append(strings.Fields(c.options), "--mem=1000")); err != nil {
			t.Errorf("%s: %v", c.options, err)
			continue
		}
		r := h.Finish("job", nil)
		if r.Processors != c.processors || r.Threads != c.threads || r.Spread != (c.threads > 0) || !slices.Contains(r.Env, fmt.Sprintf("SLURM_NTASKS=%d", c.tasks)) {
			t.Errorf("%s: %d processors by %d, spread %t, told %q", c.options, r.Processors, r.Threads, r.Spread, r.Env)
		}
		paid := slices.ContainsFunc(h.Notes, func(n directive.Note) bool { return strings.Contains(n.Text, "they are paid for") && !n.Agents })
		if c.threads > 0 && (!paid || (r.MemoryMB-1)*int64(c.threads) > 1000 || r.MemoryMB*int64(c.threads) < 1000) {
			t.Errorf("%s: %d MB each, notes %v", c.options, r.MemoryMB, h.Notes)
		}
	}
	wide := fmt.Sprintf("-N %d -n %d", market.MaxWidth-1, market.MaxWidth) // two on each would be more than there can be
	if err := directive.New(directive.Place{}).ReadSbatch("job.sh", "#!/bin/sh\n", strings.Fields(wide)); err == nil {
		t.Errorf("%s is taken", wide)
	}
}

// Of a range of nodes with so many tasks on each at most it is, as by sbatch, the most that divide the
// tasks, and where there is no room on these the fewest that have room for all; never on fewer.
func TestARangeOfNodesWithTasksOnEach(t *testing.T) {
	for _, c := range []struct {
		options string
		ways    []int
		each    []int // processors of a node, of each way
	}{
		{"-N 1-5 -n 3 --ntasks-per-node=2", []int{3, 2}, []int{1, 2}},
		{"-N 1-5 -n 3 --ntasks-per-node=2 -c 2", []int{3, 2}, []int{2, 4}},
		{"-N 2-5 -n 5 --ntasks-per-node=3 --mem=600", []int{5, 2}, []int{1, 3}},
		{"-N 1-5 -n 6 --ntasks-per-node=4", []int{3, 2}, []int{2, 3}},
		{"-N 1-5 -n 2 --ntasks-per-node=4", []int{2, 1}, []int{1, 2}},
	} {
		h := directive.New(directive.Place{})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\n", strings.Fields(c.options)); err != nil || !slices.Equal(h.Spreads, c.ways) {
			t.Errorf("%s: %v, %v", c.options, h.Spreads, err)
			continue
		}
		r := h.Finish("job", nil)
		if r.Processors != c.ways[0]*c.each[0] || !r.Spread {
			t.Errorf("%s: %+v", c.options, r)
		}
		for i, nodes := range c.ways {
			if h.Spread(&r, nodes); r.Processors != nodes*c.each[i] || max(1, r.Threads) != c.each[i] || r.Spread != (nodes > 1) {
				t.Errorf("%s on %d nodes: %+v", c.options, nodes, r)
			}
			if strings.Contains(c.options, "--mem") && (r.MemoryMB*int64(c.each[i]) < 600 || (r.MemoryMB-1)*int64(c.each[i]) > 600) {
				t.Errorf("%s on %d nodes: %d MB", c.options, nodes, r.MemoryMB)
			}
		}
	}
}

// What is asked for on each node is had on each, on however many a job is.
func TestMemoryOfHoweverManyNodes(t *testing.T) {
	h := directive.New(directive.Place{})
	if err := h.ReadSbatch("job.sh", "#!/bin/sh\n", []string{"-N", "2-4", "-n", "8", "--mem=4000"}); err != nil || h.Request.MemoryMB != 2000 {
		t.Errorf("two on each of four have %d MB each, %v", h.Request.MemoryMB, err)
	}
	r := h.Request
	if h.Spread(&r, 2); r.MemoryMB != 1000 {
		t.Errorf("four on each of two have %d MB each", r.MemoryMB)
	}
	for _, script := range []string{"#SBATCH --mem-per-cpu=700", "#SBATCH --mem=4000\n#LIBRA memory=700M"} {
		h = directive.New(directive.Place{})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\n#SBATCH -N 2-4 -n 8\n"+script+"\n", nil); err != nil {
			t.Fatal(err)
		}
		r = h.Request
		if h.Spread(&r, 2); r.MemoryMB != 700 {
			t.Errorf("%s: 700 MB of each processor have become %d", script, r.MemoryMB)
		}
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// Who waits for the end of one element waits for that of its array, and is told so.
func TestWaitingForAnElement(t *testing.T) {
	h := directive.New(directive.Place{})
	if err := h.ReadSbatch("job.sh", "#!/bin/sh\n", []string{"-d", "afterany:7_2:8"}); err != nil || !slices.Equal(h.Printed.Any, []int64{7, 8}) || len(h.Notes) != 1 || !strings.Contains(h.Notes[0].Text, "whole array") {
		t.Errorf("%v, %+v, %v", err, h.Printed, h.Notes)
	}
	h = directive.New(directive.Place{})
	if err := h.ReadSbatch("job.sh", "#!/bin/sh\n", []string{"-d", "afterany:8"}); err != nil || len(h.Notes) != 0 {
		t.Errorf("%v, %v", err, h.Notes)
	}
}

// How tasks lie, in all words that sbatch takes.
func TestHowTasksLie(t *testing.T) {
	for _, form := range []string{"block", "CYCLIC", "plane=4", "arbitrary", "cyclic:block", "block:*:fcyclic", "*", "block,NoPack", "pack", "block:"} {
		if err := directive.New(directive.Place{}).ReadSbatch("job.sh", "", []string{"-m", form}); err != nil {
			t.Errorf("%s: %v", form, err)
		}
	}
}
