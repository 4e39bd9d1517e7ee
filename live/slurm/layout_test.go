package slurm

import (
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
		"nodes of which nobody knows": {nodes: "n1", narrowest: 0, tasks: 1, perTask: 1, perNode: "1"},
	} {
		s := task.Spec{Nodes: strings.Fields(c.nodes), Threads: c.threads, Env: c.env}
		l := layoutOf(slices.Repeat([]task.Spec{s}, len(s.Nodes)), c.narrowest)
		if l.tasks != c.tasks || l.perTask != c.perTask || l.even != c.even || l.perNode() != c.perNode {
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

func TestWhatElementsAreToldOfAll(t *testing.T) {
	specs := []task.Spec{{Span: &task.Span{First: 3, Step: 4, Count: 2}}, {Span: &task.Span{First: 5, Step: 4, Count: 1}}}
	if got := strings.Join(sweep(specs), " "); got != "SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_STEP=2" {
		t.Error(got)
	}
	specs = []task.Spec{{Elements: []int{1, 9}}, {Elements: []int{4}}}
	if got := strings.Join(sweep(specs), " "); got != "SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=9 SLURM_ARRAY_TASK_STEP=1" {
		t.Error(got)
	}
}
