package slurm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// withGPUs is a run of a task on n1 with two GPUs, in Slurm as number 7.
func withGPUs(state state, j *client.Job) *run {
	r := &run{key: runKey{12, 0}, orders: map[int]task.Order{}, statuses: map[int]task.Status{}, state: state, job: j}
	r.setOrder(&task.Order{Spec: task.Spec{Key: task.Key{Job: 12}, Size: 1, Nodes: []string{"n1"}, User: "ann", GPUs: 2}})
	return r
}

// What is in use on a node and is no run's is others'. While a run begins or ends nobody
// can tell, and what was known stands as far as it can.
func TestWhatOthersHoldOfGPUs(t *testing.T) {
	runs := func(since time.Duration) *client.Job {
		return &client.Job{ID: 7, State: client.Running, Started: noon.Add(-since).Unix()}
	}
	ended := func(ago time.Duration) *run {
		r := withGPUs(ended, over(client.Completed))
		r.end = &ending{at: noon.Add(-ago)}
		return r
	}
	let := func(ago time.Duration) *run {
		r := withGPUs(released, pending(false))
		r.acted = noon.Add(-ago)
		return r
	}
	for name, c := range map[string]struct {
		r         *run
		gone      time.Duration // it was forgotten, after an end so long ago
		used, was int
		want      int
	}{
		"nobody":                           {nil, 0, 0, 0, 0},
		"others":                           {nil, 0, 3, 0, 3},
		"others have gone":                 {nil, 0, 0, 3, 0},
		"a run":                            {withGPUs(running, runs(time.Minute)), 0, 2, 0, 0},
		"a run, and others":                {withGPUs(running, runs(time.Minute)), 0, 3, 0, 1},
		"a run begins":                     {withGPUs(running, runs(time.Second)), 0, 2, 0, 0},
		"a run begins beside others":       {withGPUs(running, runs(time.Second)), 0, 3, 1, 1},
		"one begins, and others came":      {withGPUs(running, runs(time.Second)), 0, 4, 1, 2},
		"a run is held":                    {withGPUs(held, pending(true)), 0, 2, 0, 2},
		"a run was let go just now":        {let(time.Second), 0, 2, 0, 0},
		"a run waits, others have them":    {let(time.Minute), 0, 4, 0, 4},
		"a run ends":                       {ended(time.Second), 0, 2, 0, 0},
		"a run has ended":                  {ended(time.Minute), 0, 2, 0, 2},
		"a run is forgotten":               {nil, time.Second, 2, 0, 0},
		"a run was forgotten long ago":     {nil, time.Minute, 2, 0, 2},
		"a run ended that Slurm forgot":    {withGPUs(running, nil), 0, 2, 1, 1},
		"a run in Slurm, nothing is known": {withGPUs(running, nil), 0, 5, 0, 3},
	} {
		t.Run(name, func(t *testing.T) {
			b, n := idle(t, Agents)
			b.knows, b.listed = true, noon.Add(time.Second)
			n.slurm.GPUs = 8
			n.gpus = device{used: c.used, asOf: noon, others: c.was}
			if c.r != nil {
				b.runs[c.r.key] = c.r
			}
			if c.gone > 0 {
				r := ended(c.gone)
				b.leaves(r)
			}
			if b.countOthers(); n.gpus.others != c.want {
				t.Errorf("others hold %d, want %d", n.gpus.others, c.want)
			}
		})
	}
	b, n := idle(t, Agents)
	n.slurm.GPUs, n.gpus = 8, device{used: 3, asOf: noon}
	b.listed = noon.Add(time.Second)
	if b.countOthers(); n.gpus.others != 0 {
		t.Error("what the market has is not known, and others are said to hold it")
	}
	b.knows, b.listed = true, noon.Add(-time.Second)
	if b.countOthers(); n.gpus.others != 0 {
		t.Error("jobs were listed before the nodes")
	}
}

// A job that Slurm does not begin because others hold its GPUs goes elsewhere, once the
// market knows of it.
func TestAJobLeavesGPUsThatOthersHold(t *testing.T) {
	for name, c := range map[string]struct {
		others bool
		reason string
		waited time.Duration
		lost   bool
	}{
		"others hold them":           {true, "Resources", time.Minute, true},
		"it is not the first":        {true, "Priority", time.Minute, true},
		"just now":                   {true, "Resources", time.Second, false},
		"nobody does":                {false, "Resources", time.Minute, false},
		"it waits for another thing": {true, "Dependency", time.Minute, false},
	} {
		r := withGPUs(released, pending(false))
		r.job.Reason, r.acted = c.reason, noon.Add(-c.waited)
		r.infer(&world{now: noon, control: Agents, others: c.others})
		if (r.lost != "") != c.lost {
			t.Errorf("%s: %q", name, r.lost)
		}
	}
}

// A job whose licences others have taken in Slurm does not wait there for ever; those of one
// that has just ended may be free in a moment.
func TestAJobWhoseLicencesAreTaken(t *testing.T) {
	for waited, want := range map[time.Duration]state{14 * time.Second: released, 15 * time.Second: ended} {
		r := withGPUs(released, pending(false))
		r.job.Reason, r.acted = "Licenses", noon.Add(-waited)
		if r.infer(&world{now: noon, control: Agents}); r.state != want || want == ended && (r.end.state != task.Refused || !strings.Contains(r.end.why, "licences")) {
			t.Errorf("after %s it is %v: %+v", waited, r.state, r.end)
		}
	}
	r := withGPUs(held, pending(true)) // it was not let go yet: it cannot have waited for them
	r.job.Reason, r.acted = "Licenses", noon.Add(-time.Hour)
	if r.infer(&world{now: noon, control: Agents}); r.state != held {
		t.Errorf("before it is let go it is %v: %+v", r.state, r.end)
	}
}

// As many on each node are asked for by the node, others in all.
func TestGPUsOfAJobInSlurm(t *testing.T) {
	for nodes, want := range map[string][2]string{
		"n1": {"a100:2", ""}, "n1 n1": {"a100:4", ""}, "n1 n2": {"a100:2", ""}, "n1 n1 n2": {"", "a100:6"},
	} {
		var specs []task.Spec
		on := map[string]int{}
		for _, name := range strings.Fields(nodes) {
			specs = append(specs, task.Spec{GPUs: 2, GPUKind: "a100"})
			on[name]++
		}
		var s client.Submission
		if askGPUs(&s, specs, on); s.GPUs != want[0] || s.AllGPUs != want[1] {
			t.Errorf("on %s: %q and %q", nodes, s.GPUs, s.AllGPUs)
		}
	}
}

// Each program of a job is told its own GPUs; a script that starts once all of them; and
// what its user had in the environment says nothing.
func TestProgramsAreToldTheirGPUs(t *testing.T) {
	s := aTask(t)
	s.GPUs, s.Env, s.Argv, s.Output, s.Error = 2, []string{"CUDA_VISIBLE_DEVICES=9"}, []string{"sh", "-c", "echo $CUDA_VISIBLE_DEVICES $ROCR_VISIBLE_DEVICES $LIBRA_GPUS $ZE_AFFINITY_MASK"}, "out-%r", "out-%r"
	s.Size, s.Nodes = 2, []string{"n1", "n1"}
	for _, once := range []bool{false, true} {
		specs := []task.Spec{s, s}
		specs[1].Rank = 1
		specs[0].Once, specs[1].Once = once, once
		for local := range 2 {
			l := layoutOf(specs, 4)
			l.devices = true
			var text strings.Builder
			writeGPUs(&text, specs)
			file := filepath.Join(t.TempDir(), "job")
			script := "#!/bin/sh\n" + text.String() + environment(specs, l) + command(&s) + "\n"
			if err := os.WriteFile(file, []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			want := [2]string{"1,3 0,1 1,3\n", "5,7 2,3 5,7\n"}[local]
			if once {
				want = "1,3,5,7 0,1,2,3 1,3,5,7\n"
			}
			got := runFile(t, file, "CUDA_VISIBLE_DEVICES=1,3,5,7", "ROCR_VISIBLE_DEVICES=0,1,2,3", fmt.Sprint("SLURM_LOCALID=", local))
			if got != want {
				t.Errorf("once %v, program %d was told %q, want %q", once, local, got, want)
			}
		}
	}
}

// An agent that comes before Slurm has said what its node has has the GPUs that the market
// knows of, until Slurm says.
func TestANodeComesBeforeSlurmHasSaidWhatItHas(t *testing.T) {
	b, n := idle(t, Agents)
	hello := task.Hello{Node: "n1", Processors: 4, Rating: 1, Speed: 1, MemoryMB: 100, Runs: Runs}
	if _, err := b.Hello(t.Context(), hello); err != nil || n.hello.GPUs != task.SameGPUs {
		t.Errorf("%v: %+v", err, n.hello)
	}
	b.applyNodes(map[string]client.Node{"n1": {Name: "n1", Up: true, Processors: 4, MemoryMB: 100, GPUs: 3, GPUKind: "a100:2,v100:1"}}, noon)
	b.mu.Lock()
	b.syncNodes(noon)
	b.mu.Unlock()
	b.going.Wait()
	if n.hello.GPUs != 3 || n.hello.GPUKind != "a100:2,v100:1" {
		t.Errorf("%+v", n.hello)
	}
}

// runFile runs a script, and is what it wrote.
func runFile(t *testing.T, file string, env ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), file)
	cmd.Env = append([]string{"PATH=" + defaultPath}, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}
