package slurm

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/plugin"
)

// Where Slurm has the market's plugin, it is told where tasks are, and nobody else: neither a script
// nor what it starts has a variable of Slurm's that sbatch does not set, nor a file that is open.
func TestWhatSrunIsToldByThePlugin(t *testing.T) {
	const says = "#!/bin/sh\nenv | grep -E '^(SLURM|LIBRA)_(STEP|HOSTFILE|DISTRIBUTION|OVERLAP|OVERCOMMIT)' | sort\n[ ! -e /proc/self/fd/4 ] || echo a file is open\n# srun\n"
	uneven := func(s *task.Spec) { s.Size, s.Once, s.Nodes = 3, true, []string{"n2", "n2", "n1"} }
	array := func(s *task.Spec) {
		s.Size, s.Nodes, s.Span = 3, []string{"n1", "n2", "n2"}, &task.Span{First: 1, Step: 3, Count: 1}
	}
	for name, c := range map[string]struct {
		change    func(s *task.Spec)
		narrowest int
		env       string
		want      string
	}{
		"not as many on each": {uneven, 4, "", "LIBRA_STEP_DISTRIBUTION=arbitrary LIBRA_STEP_HOSTFILE=n1,n2*2 LIBRA_STEP_JOB=77"},
		"each in its turn":    {uneven, 4, "SLURM_DISTRIBUTION=cyclic:block", "LIBRA_STEP_DISTRIBUTION=arbitrary LIBRA_STEP_HOSTFILE=n1,n2*2 LIBRA_STEP_JOB=77 SLURM_DISTRIBUTION=cyclic:block"},
		"more than Slurm has": {uneven, 1, "", "LIBRA_STEP_DISTRIBUTION=arbitrary LIBRA_STEP_HOSTFILE=n1,n2*2 LIBRA_STEP_JOB=77 LIBRA_STEP_OVERCOMMIT=1"},
		"elements":            {array, 4, "", "LIBRA_STEP_DISTRIBUTION=arbitrary LIBRA_STEP_HOSTFILE=n1*1 LIBRA_STEP_JOB=77 LIBRA_STEP_OVERLAP=1"},
		"more than it needs":  {func(s *task.Spec) { s.Size, s.Once, s.Threads, s.Nodes = 2, true, 2, []string{"n2", "n1"} }, 4, "SLURM_NTASKS=3 " + task.Spare + "=yes", "LIBRA_STEP_JOB=77 LIBRA_STEP_SIZE=1"},
		"all of its nodes":    {func(s *task.Spec) { s.Size, s.Once, s.Threads, s.Nodes = 2, true, 2, []string{"n2", "n1"} }, 4, "SLURM_NTASKS=3", ""},
		"one task":            {func(*task.Spec) {}, 4, "", ""},
	} {
		s := aTask(t)
		s.Env, s.Script = append([]string{"SLURM_SUBMIT_DIR=/"}, strings.Fields(c.env)...), []byte(says)
		c.change(&s)
		specs := slices.Repeat([]task.Spec{s}, s.Size)
		for i := range specs {
			specs[i].Rank = i
		}
		l := layoutOf(specs, c.narrowest)
		text := outer + taskScript(specs, l)
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", text)
		cmd.Env = []string{"PATH=" + defaultPath, "SLURM_JOB_ID=77", plugin.StepsVariable + "=yes"}
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", name, err, said)
		}
		if got := strings.Join(strings.Fields(content(t, &s, "out")), " "); got != c.want {
			t.Errorf("%s: it has %s, want %s", name, got, c.want)
		}
	}
}

func TestNodesOfTasksInTurn(t *testing.T) {
	for list, want := range map[string]string{"": "", "a": "a", "a a a b c c": "a b c a c a", "a b a": "a b a"} {
		if got := strings.Join(inTurn(strings.Fields(list)), " "); got != want {
			t.Errorf("%s: %s", list, got)
		}
	}
	for list, want := range map[string]string{"": "", "a": "a", "a a a b c c": "a*3,b,c*2", "a b a": "a,b,a"} {
		if got := inShort(strings.Fields(list)); got != want {
			t.Errorf("%s: %s", list, got)
		}
	}
}

// A list that is too long for a variable is in a file for everybody.
func TestALongListOfNodes(t *testing.T) {
	s := aTask(t)
	for range 5000 {
		s.Nodes = append(s.Nodes, "node-of-a-long-name-1", "node-of-a-long-name-2")
	}
	s.Size, s.Once, s.Script, s.Env = len(s.Nodes), true, []byte("srun x"), []string{"SLURM_SUBMIT_DIR=/", "SLURM_DISTRIBUTION=cyclic"}
	specs := slices.Repeat([]task.Spec{s}, s.Size)
	var b strings.Builder
	l := layoutOf(specs, 1)
	l.writeSteps(&b, specs)
	if text := b.String(); !strings.Contains(text, "\n"+plugin.StepsVariable+"=\n") || strings.Contains(text, "libra_list='") {
		t.Errorf("%.300s", text)
	}
}

// Tasks that do not divide among their nodes are told as by sbatch of the processors that they need,
// and those of who has asked for whole nodes of all.
func TestProcessorsThatTasksNeed(t *testing.T) {
	s := task.Spec{Size: 3, Once: true, Threads: 4, Nodes: []string{"n3", "n1", "n2"}, Env: []string{"SLURM_SUBMIT_DIR=/d", "SLURM_NTASKS=4", "SLURM_CPUS_PER_TASK=2"}}
	said := func() string {
		specs := slices.Repeat([]task.Spec{s}, s.Size)
		l := layoutOf(specs, 4)
		return " " + strings.Join(l.told(specs), " ") + " "
	}
	if got := said(); strings.Contains(got, "CPUS_PER_NODE") || !strings.Contains(got, " 'SLURM_TASKS_PER_NODE=2,1(x2)' ") {
		t.Errorf("of whole nodes: %s", got)
	}
	s.Env = append(s.Env, task.Spare+"=yes")
	if got := said(); !strings.Contains(got, " 'SLURM_JOB_CPUS_PER_NODE=4,2(x2)' ") || !strings.Contains(got, " SLURM_CPUS_ON_NODE=4 ") {
		t.Errorf("of some: %s", got)
	}
}
