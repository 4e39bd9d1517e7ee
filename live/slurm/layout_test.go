package slurm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
)

func TestHowTasksLie(t *testing.T) {
	for name, c := range map[string]struct {
		nodes     string
		threads   int
		env       []string
		narrowest int
		tasks     int
		perTask   int
		even      bool
		perNode   string
	}{
		"one":                         {nodes: "n1", narrowest: 4, tasks: 1, perTask: 1, even: true, perNode: "1"},
		"a task of three":             {nodes: "n1", threads: 3, narrowest: 4, tasks: 1, perTask: 3, even: true, perNode: "1"},
		"four tasks of one program":   {nodes: "n1", threads: 4, env: []string{"SLURM_NTASKS=4"}, narrowest: 4, tasks: 4, perTask: 1, even: true, perNode: "4"},
		"two nodes of two tasks":      {nodes: "n1 n2", threads: 4, env: []string{"SLURM_NTASKS=4"}, narrowest: 4, tasks: 4, perTask: 2, even: true, perNode: "2(x2)"},
		"not as many on each":         {nodes: "n1 n2 n2", narrowest: 4, tasks: 3, perTask: 1, perNode: "1,2"},
		"more than there are":         {nodes: "n1 n1", narrowest: 1, tasks: 2, perTask: 1, perNode: "2"},
		"in another order":            {nodes: "n2 n1", narrowest: 4, tasks: 2, perTask: 1, perNode: "1(x2)"},
		"in any order, by sbatch":     {nodes: "n2 n1", env: []string{"SLURM_SUBMIT_DIR=/d"}, narrowest: 4, tasks: 2, perTask: 1, even: true, perNode: "1(x2)"},
		"a number that cannot be":     {nodes: "n1", threads: 4, env: []string{"SLURM_NTASKS=3"}, narrowest: 4, tasks: 1, perTask: 4, even: true, perNode: "1"},
		"a text in place of a number": {nodes: "n1", env: []string{"SLURM_NTASKS=$(id)"}, narrowest: 4, tasks: 1, perTask: 1, even: true, perNode: "1"},
		"all of a node":               {nodes: "n1", threads: 4, env: []string{"SLURM_SUBMIT_DIR=/d"}, narrowest: 4, tasks: 4, perTask: 1, even: true, perNode: "4"},
		"all of it, for one task":     {nodes: "n1", threads: 4, env: []string{"SLURM_SUBMIT_DIR=/d", "SLURM_NTASKS=1"}, narrowest: 4, tasks: 1, perTask: 1, even: true, perNode: "1"},
		"all of it, for three":        {nodes: "n1", threads: 4, env: []string{"SLURM_SUBMIT_DIR=/d", "SLURM_NTASKS=3"}, narrowest: 4, tasks: 3, perTask: 1, even: true, perNode: "3"},
		"all of it, of three each":    {nodes: "n1", threads: 4, env: []string{"SLURM_SUBMIT_DIR=/d", "SLURM_CPUS_PER_TASK=3"}, narrowest: 4, tasks: 1, perTask: 3, even: true, perNode: "1"},
		"all of it, of two each":      {nodes: "n1", threads: 4, env: []string{"SLURM_SUBMIT_DIR=/d", "SLURM_CPUS_PER_TASK=2"}, narrowest: 4, tasks: 2, perTask: 2, even: true, perNode: "2"},
		"all of it, one of three":     {nodes: "n1", threads: 4, env: []string{"SLURM_SUBMIT_DIR=/d", "SLURM_NTASKS=1", "SLURM_CPUS_PER_TASK=3"}, narrowest: 4, tasks: 1, perTask: 3, even: true, perNode: "1"},
		"all of two nodes":            {nodes: "n1 n2", threads: 4, env: []string{"SLURM_SUBMIT_DIR=/d"}, narrowest: 4, tasks: 8, perTask: 1, even: true, perNode: "4(x2)"},
		"all of two nodes, for three": {nodes: "n1 n2", threads: 4, env: []string{"SLURM_SUBMIT_DIR=/d", "SLURM_NTASKS=3"}, narrowest: 4, tasks: 3, perTask: 1, even: true, perNode: "2,1"},
		"all that it asked for":       {nodes: "n1", threads: 4, env: []string{"SLURM_SUBMIT_DIR=/d", "SLURM_NTASKS=2", "SLURM_CPUS_PER_TASK=2"}, narrowest: 4, tasks: 2, perTask: 2, even: true, perNode: "2"},
		"a text, by sbatch":           {nodes: "n1", env: []string{"SLURM_SUBMIT_DIR=/d", "SLURM_NTASKS=-7", "SLURM_CPUS_PER_TASK=x"}, narrowest: 4, tasks: 1, perTask: 1, even: true, perNode: "1"},
		"tasks that are too large":    {nodes: "n1", threads: 4, env: []string{"SLURM_SUBMIT_DIR=/d", "SLURM_NTASKS=9", "SLURM_CPUS_PER_TASK=5"}, narrowest: 4, tasks: 1, perTask: 4, even: true, perNode: "1"},
		"processors beyond numbers":   {nodes: "n1 n2", threads: 4, env: []string{"SLURM_SUBMIT_DIR=/d", "SLURM_CPUS_PER_TASK=9223372036854775807"}, narrowest: 4, tasks: 2, perTask: 4, even: true, perNode: "1(x2)"},
		"tasks beyond numbers":        {nodes: "n1", threads: 4, env: []string{"SLURM_SUBMIT_DIR=/d", "SLURM_NTASKS=9223372036854775807", "SLURM_CPUS_PER_TASK=2"}, narrowest: 4, tasks: 1, perTask: 4, even: true, perNode: "1"},
		"nodes of which nobody knows": {nodes: "n1", narrowest: 0, tasks: 1, perTask: 1, perNode: "1"},
	} {
		s := task.Spec{Nodes: strings.Fields(c.nodes), Threads: c.threads, Env: c.env}
		l := layoutOf(slices.Repeat([]task.Spec{s}, len(s.Nodes)), c.narrowest)
		if l.tasks != c.tasks || l.perTask != c.perTask || l.even != c.even || l.perNode() != c.perNode || l.whole != strings.HasPrefix(name, "all of") {
			t.Errorf("%s: %+v, on each node %s", name, l, l.perNode())
		}
	}
	for name, c := range map[string]struct {
		ntasks, perNode string
		tasks, perTask  int
		told            string
		kept            int
	}{
		"nothing said":   {"", "", 2, 4, "1", 0},
		"one of four":    {"1", "", 2, 4, "1", 1},
		"two of two":     {"2", "2", 4, 2, "2", 2},
		"four":           {"4", "4", 8, 1, "4", 2},
		"more on a node": {"2", "4", 4, 2, "2", 1},
		"not of four":    {"3", "", 2, 4, "1", 1},
		"of both":        {"8", "", 2, 4, "1", 1},
	} {
		s := task.Spec{Size: 2, Nodes: []string{"n1", "n1"}, Threads: 4, Span: &task.Span{First: 1, Step: 2, Count: 3}}
		for name, value := range map[string]string{"SLURM_NTASKS": c.ntasks, "SLURM_NTASKS_PER_NODE": c.perNode} {
			if value != "" {
				s.Env = append(s.Env, name+"="+value)
			}
		}
		specs := []task.Spec{s, s}
		l := layoutOf(specs, 8)
		if l.tasks != c.tasks || l.perTask != c.perTask || !l.even || len(l.kept(s.Env)) != c.kept {
			t.Errorf("elements, %s: %+v, and of %v %v", name, l, s.Env, l.kept(s.Env))
		}
		words := l.told(specs)
		for _, want := range []string{"SLURM_TASKS_PER_NODE=" + c.told, "SLURM_CPUS_ON_NODE=4", "SLURM_JOB_CPUS_PER_NODE=4"} {
			if !slices.Contains(words, want) {
				t.Errorf("elements, %s: no %s in %v", name, want, words)
			}
		}
	}
	l := layout{tasks: 4, perTask: 1, on: map[string]int{"n1": 4}}
	if got := l.kept([]string{"A=1", "SLURM_NTASKS_PER_NODE=2"}); len(got) != 1 {
		t.Errorf("two on a node that has four: %v", got)
	}
}

// What has all of its nodes is told how its tasks lie on them, and of their number what it said
// itself; what has not is told nothing that Slurm knows.
func TestWholeNodesAreTold(t *testing.T) {
	s := task.Spec{Size: 2, Once: true, Nodes: []string{"n1", "n2"}, Threads: 4, Env: []string{"SLURM_SUBMIT_DIR=/d"}}
	says := func(env ...string) (words, kept []string) {
		s := s
		s.Env = append(slices.Clone(s.Env), env...)
		specs := []task.Spec{s, s}
		l := layoutOf(specs, 4)
		return l.told(specs), l.kept(s.Env)
	}
	has := func(words []string, beginning string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(strings.Trim(w, "'"), beginning) })
	}
	if words, _ := says(); !has(words, "SLURM_TASKS_PER_NODE=4(x2)") || has(words, "SLURM_NTASKS=") {
		t.Errorf("of tasks nothing said: %v", words)
	}
	if words, kept := says("SLURM_NTASKS=3", "SLURM_NTASKS_PER_NODE=2"); !has(words, "SLURM_TASKS_PER_NODE=2,1") || !has(words, "SLURM_NTASKS=3") || !has(kept, "SLURM_NTASKS_PER_NODE=2") {
		t.Errorf("three tasks: %v, %v", words, kept)
	}
	if words, _ := says("SLURM_NTASKS=8"); has(words, "SLURM_TASKS_PER_NODE=") {
		t.Errorf("as many as there are processors: %v", words)
	}
	s.Size, s.Nodes, s.Span = 2, []string{"n1", "n1"}, &task.Span{First: 1, Step: 2, Count: 2}
	s.Argv, s.Once = []string{"x"}, false
	second := s
	second.Rank = 1
	specs := []task.Spec{s, second}
	if text, err := script(specs, layoutOf(specs, 8)); err != nil || strings.Contains(text, "libra_of=0") {
		t.Errorf("elements of one node: %v, %s", err, text)
	}
}

// Newer releases of Slurm tell srun how many processors a task has, and of tasks nobody said
// anything: it would start as many as the job of all elements has room for.
func TestAnElementHasOneTaskWhereItSaysOnlyHowWideItIs(t *testing.T) {
	program := "srun x"
	of := func(newer bool, env ...string) bool {
		s := task.Spec{
			Size: 2, Nodes: []string{"n1", "n1"}, Threads: 2, Span: &task.Span{First: 1, Step: 2, Count: 2}, Argv: []string{"x"}, Script: []byte(program),
			Env: append([]string{"SLURM_SUBMIT_DIR=/d"}, env...),
		}
		second := s
		second.Rank = 1
		specs := []task.Spec{s, second}
		l := layoutOf(specs, 8)
		l.perTaskToo = newer
		text, err := script(specs, l)
		if err != nil {
			t.Fatal(err)
		}
		kept := strings.Contains(text, "libra_of=0")
		if told := strings.Contains(strings.Join(l.toldSteps(&s), " "), "HOSTFILE"); kept && !told || told && !kept && startsSteps(&s) {
			t.Errorf("%v: it is told of a list that is not there, or is not: %s", env, text)
		}
		return kept
	}
	if !of(true, "SLURM_CPUS_PER_TASK=2") || of(false, "SLURM_CPUS_PER_TASK=2") || of(true, "SLURM_CPUS_PER_TASK=2", "SLURM_NTASKS=1") || of(true) {
		t.Error("a list of nodes is for who has said how wide a task is, where Slurm tells srun of it, and nothing of tasks")
	}
	if program = "x"; of(true, "SLURM_CPUS_PER_TASK=2") {
		t.Error("a list of nodes is for who starts steps")
	}
}

// An element is told of its own node and memory alone, and its srun stays there: what is not to
// be set is said first, as env(1) wants it.
func TestElementsOfSeveralNodes(t *testing.T) {
	for name, c := range map[string]struct {
		env, want, not string
		memory, usual  int64
		tasks          int
	}{
		"one task of two":       {want: "SLURM_TASKS_PER_NODE=1 SLURM_NNODES=1", not: "SLURM_MEM_PER_NODE=0"},
		"two tasks":             {env: "SLURM_NTASKS=2", want: "SLURM_TASKS_PER_NODE=2", not: "SLURM_NTASKS=1", tasks: 2},
		"memory":                {memory: 300, usual: 128, want: "SLURM_MEM_PER_NODE=300", not: "SLURM_MEM_PER_CPU=150"},
		"memory as usual":       {memory: 256, usual: 128, want: "SLURM_MEM_PER_CPU=128", not: "SLURM_MEM_PER_NODE=256"},
		"memory of a processor": {env: "SLURM_MEM_PER_CPU=64", memory: 128, usual: 128, want: "SLURM_MEM_PER_CPU=64", not: "SLURM_MEM_PER_NODE=128"},
		"all memory":            {env: "LIBRA_SBATCH_ALL_MEMORY=yes", memory: 4096, usual: 128, not: "SLURM_MEM_PER_NODE=4096"},
	} {
		s := task.Spec{
			Size: 2, Nodes: []string{"n1", "n2"}, Threads: 2, Span: &task.Span{First: 1, Step: 2, Count: 3}, Memory: c.memory << 20,
			Env: append([]string{"SLURM_SUBMIT_DIR=/d", "SLURM_CPUS_PER_TASK=2", "SLURM_DISTRIBUTION=cyclic"}, strings.Fields(c.env)...), Argv: []string{"x"}, Script: []byte("srun x"),
		}
		if strings.Contains(c.env, "NTASKS") {
			s.Env = slices.DeleteFunc(s.Env, func(e string) bool { return strings.HasPrefix(e, "SLURM_CPUS_PER_TASK") })
		}
		second := s
		second.Rank = 1
		specs := []task.Spec{s, second}
		l := layoutOf(specs, 4)
		l.usual = c.usual
		words := l.told(specs)
		for _, want := range append(strings.Fields(c.want), `"SLURM_JOB_NODELIST=$libra_node"`) {
			if !slices.Contains(words, want) {
				t.Errorf("%s: no %s in %v", name, want, words)
			}
		}
		if slices.Contains(words, c.not) {
			t.Errorf("%s: %v", name, words)
		}
		if steps := strings.Join(l.toldSteps(&s), " "); !strings.Contains(steps, "HOSTFILE=$libra_list") || !strings.Contains(steps, "DISTRIBUTION=arbitrary") || !strings.Contains(steps, "OVERLAP=1") {
			t.Errorf("%s: its srun is told %s", name, steps)
		}
		set := slices.IndexFunc(words, func(w string) bool { return !strings.HasPrefix(w, "-u ") })
		if slices.ContainsFunc(words[set:], func(w string) bool { return strings.HasPrefix(w, "-u ") }) {
			t.Errorf("%s: env(1) takes what is not to be set first: %v", name, words)
		}
		text, err := script(specs, l)
		if err != nil || !strings.Contains(text, fmt.Sprintf("while [ $libra_of -lt %d ]", max(1, c.tasks))) {
			t.Errorf("%s: it keeps no list of its node: %v, %s", name, err, text)
		}
		for _, line := range []string{"libra-XXXXXX\") || " + never(noStart) + "\nlibra_of=0\n", "exec 4<\"$libra_hosts\"\n\trm -f \"$libra_hosts\"\n"} {
			if !strings.Contains(text, line) {
				t.Errorf("%s: no %s in %s", name, line, text)
			}
		}
		specs[0].Nodes, specs[1].Nodes = []string{"n1", "n1"}, []string{"n1", "n1"}
		l = layoutOf(specs, 4)
		if steps := strings.Join(l.toldSteps(&specs[0]), " "); strings.Contains(steps, "HOSTFILE") || !strings.Contains(steps, "OVERLAP=1") {
			t.Errorf("%s, all on one node: %s", name, steps)
		}
	}
}

func TestWhatElementsAreToldOfAll(t *testing.T) {
	specs := []task.Spec{{Span: &task.Span{First: 3, Step: 4, Count: 2}}, {Span: &task.Span{First: 5, Step: 4, Count: 1}}}
	if got := strings.Join(sweep(specs), " "); got != "SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_STEP=2" {
		t.Error(got)
	}
	specs[0].Env = []string{task.Array + "=5 1 9 2"} // others do not run
	if got := strings.Join(sweep(specs), " "); got != "SLURM_ARRAY_TASK_COUNT=5 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=9 SLURM_ARRAY_TASK_STEP=2" {
		t.Error(got)
	}
	for _, strange := range []string{"", "1 2 3", "1 2 3 $(id)", "1 2 3 4 5"} {
		if got := sweepAsked(&task.Spec{Env: []string{task.Array + "=" + strange}}); got != nil {
			t.Errorf("%q: %v", strange, got)
		}
	}
	specs = []task.Spec{{Elements: []int{1, 9}}, {Elements: []int{4}}}
	if got := strings.Join(sweep(specs), " "); got != "SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=9 SLURM_ARRAY_TASK_STEP=1" {
		t.Error(got)
	}
}

// A job is told what it is called, what launchers go by, that it has all memory by nothing being
// said of it, and how many tasks it has where it has said so, or has others than one on each node.
func TestWhatJobsAreTold(t *testing.T) {
	told := func(nodes string, l layout, change func(*task.Spec)) []string {
		s := task.Spec{Name: "x", Size: 2, Once: true, Nodes: strings.Fields(nodes), Env: []string{"SLURM_SUBMIT_DIR=/d"}}
		if change != nil {
			change(&s)
		}
		specs := []task.Spec{s, s}
		is := layoutOf(specs, 4)
		is.launchers, is.perTaskToo = l.launchers, l.perTaskToo
		return is.told(specs)
	}
	has := func(words []string, part string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, part) })
	}
	if words := told("n1 n2", layout{launchers: []string{"LAUNCH=1"}}, nil); !has(words, "LAUNCH=1") || !has(words, "SLURM_JOB_NAME=x") || has(words, "SLURM_NTASKS=") || has(words, "SLURM_MEM_PER_NODE") {
		t.Errorf("one task on each node, nothing said: %v", words)
	}
	if words := told("n1 n1", layout{}, nil); !has(words, "SLURM_NTASKS=2") {
		t.Errorf("two tasks on a node: %v", words)
	}
	if words := told("n1 n2", layout{}, func(s *task.Spec) { s.Env = append(s.Env, task.AllMemory+"=yes") }); !has(words, "-u SLURM_MEM_PER_NODE") || !has(words, "-u SLURM_MEM_PER_CPU") {
		t.Errorf("all memory: %v", words)
	}
	for env, want := range map[string]bool{"SLURM_GPUS_PER_NODE=1": true, "SLURM_GPUS_PER_TASK=1": false} { // of 24.11
		words := told("n1 n2", layout{perTaskToo: true}, func(s *task.Spec) { s.GPUs, s.Threads, s.Env = 1, 2, append(s.Env, "SLURM_CPUS_PER_TASK=2", env) })
		if has(words, "SLURM_TRES_PER_TASK=cpu=2") != want {
			t.Errorf("processors of a task, with %s: %v", env, words)
		}
	}
	script := func(s *task.Spec) { s.Name, s.Script = unnamed, []byte("#!/bin/sh\n") }
	for name, c := range map[string]struct {
		new    bool
		change func(*task.Spec)
		want   string
	}{
		"a script from standard input":         {false, script, "-u SLURM_JOB_NAME"},
		"the same, from 24.11 on":              {true, script, ""},
		"one that has a name":                  {false, func(s *task.Spec) { s.Script = []byte("#!/bin/sh\n") }, "SLURM_JOB_NAME=x"},
		"a program that is called like sbatch": {false, func(s *task.Spec) { s.Name = unnamed }, "SLURM_JOB_NAME=sbatch"},
	} {
		words := told("n1 n2", layout{perTaskToo: c.new}, c.change)
		if !has(words, c.want) || c.want == "" && has(words, "SLURM_JOB_NAME") {
			t.Errorf("%s: %v", name, words)
		}
	}
}
