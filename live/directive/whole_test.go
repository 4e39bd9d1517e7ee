package directive_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/directive"
)

// park are nodes: three of four processors, two of eight with memory, and one that takes no jobs.
func park() []v1.NodeView {
	return []v1.NodeView{
		{Node: "a1", Processors: 4, MemoryMB: 4096, Up: true},
		{Node: "a2", Processors: 4, MemoryMB: 4096, Up: true},
		{Node: "a3", Processors: 4, MemoryMB: 4001, Up: true},
		{Node: "b1", Processors: 8, MemoryMB: 9000, Up: true, Features: "big"},
		{Node: "b2", Processors: 8, MemoryMB: 9000, Up: true, Features: "big"},
		{Node: "c1", Processors: 2, MemoryMB: 512},
		{Node: "c2", Processors: 2, MemoryMB: 512, Up: true, Closed: true},
		{Node: "c3", Processors: 2, MemoryMB: 512, Up: true, Reserved: "course"},
	}
}

// A job that asks for all that nodes have asks for as much as the smallest of them has that
// does, on as many as its tasks need, and is on no others.
func TestAllThatNodesHave(t *testing.T) {
	for _, c := range []struct {
		options    string
		processors int
		threads    int
		memory     int64
		on         string // with commas; empty: on any
		said       string
	}{
		{"--exclusive", 4, 4, 0, "a1,a2,a3", "it asks for all of its node: 4 processors"},
		{"--exclusive -n 4", 4, 4, 0, "a1,a2,a3", "4 processors"},
		{"--exclusive -n 5", 8, 4, 0, "a1,a2,a3", "it asks for all of each of its 2 nodes: 4 processors"},
		{"--exclusive -n 12", 12, 4, 0, "a1,a2,a3", "each of its 3 nodes"},
		{"--exclusive -n 13", 16, 8, 0, "b1,b2", "each of its 2 nodes: 8 processors"},
		{"--exclusive -c 5", 8, 8, 0, "b1,b2", "8 processors"},
		{"--exclusive -c 4", 4, 4, 0, "a1,a2,a3", "4 processors"},
		{"--exclusive -n 2 -c 3", 8, 4, 0, "a1,a2,a3", "each of its 2 nodes"},
		{"--exclusive -N 1 -n 5", 8, 8, 0, "b1,b2", "8 processors"},
		{"--exclusive -N 2", 8, 4, 0, "a1,a2,a3", "each of its 2 nodes"},
		{"--exclusive -N 1-2 -n 5", 8, 4, 0, "a1,a2,a3", "each of its 2 nodes"},
		{"--exclusive --ntasks-per-node=2 -n 4", 8, 4, 0, "a1,a2,a3", "each of its 2 nodes"},
		{"--exclusive -N 2 -n 3", 8, 4, 0, "a1,a2,a3", "each of its 2 nodes"},
		{"--exclusive -N 3 -n 2", 8, 4, 0, "a1,a2,a3", "each of its 2 nodes"},
		{"--exclusive --mem=4000", 4, 4, 1000, "a1,a2,a3", "4 processors"},
		{"--exclusive --mem=4001", 4, 4, 1001, "a1,a2,a3", "4 processors"},
		{"--exclusive --mem=4002", 8, 8, 501, "b1,b2", "8 processors"},
		{"--exclusive --mem-per-cpu=1000", 4, 4, 1000, "a1,a2,a3", "4 processors"},
		{"--exclusive --mem-per-cpu=1001", 8, 8, 1001, "b1,b2", "8 processors"},
		{"--exclusive -w b2", 8, 8, 0, "b2", "8 processors"},
		{"--exclusive -C big", 8, 8, 0, "", "8 processors"},
		{"--exclusive -x a1,a2,a3", 8, 8, 0, "", "8 processors"},
		{"--exclusive --reservation=course", 2, 2, 0, "", "2 processors"},
		{"--exclusive -a 1-9 -n 3", 4, 4, 0, "a1,a2,a3", "4 processors"},
		{"--exclusive -a 1-9 -n 5", 8, 8, 0, "b1,b2", "8 processors"},
		{"--mem=0", 1, 0, 4001, "a3", "it asks for all of its node: 4001 MB of memory"},
		{"--mem=0 -n 3", 3, 3, 1333, "a3", "4001 MB"},
		{"--mem=0 -n 2 -c 2", 4, 4, 1000, "a3", "4001 MB"},
		{"--mem=0 -n 6", 6, 6, 1500, "b1,b2", "9000 MB"},
		{"--mem=0 -N 1-2 -n 4", 4, 4, 1000, "a3", "its node: 4001 MB"},
		{"--mem=0 -n 4 --ntasks-per-node=2", 4, 2, 2048, "a1,a2", "each of its 2 nodes: 4096 MB"},
		{"--mem=0 -N 2 -n 4", 4, 2, 2048, "a1,a2", "each of its 2 nodes: 4096 MB"},
		{"--mem=0 -C big -n 2", 2, 2, 4500, "", "9000 MB"},
		{"--mem=0 --exclusive -n 2", 4, 4, 1000, "a3", "4 processors and 4001 MB"},
		{"--mem=0 --exclusive -N 2", 8, 4, 1024, "a1,a2", "4 processors and 4096 MB"},
	} {
		h := directive.New(directive.Place{Now: noon, User: "alice"})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\ntrue\n", strings.Fields(c.options)); err != nil {
			t.Errorf("%s: %v", c.options, err)
			continue
		}
		r := h.Finish("job", nil)
		nodes := park()
		if strings.Contains(c.options, "-x a1") || strings.Contains(c.options, "-w ") {
			nodes = slices.DeleteFunc(nodes, func(n v1.NodeView) bool { return n.Node[0] == 'c' })
		}
		said, err := h.OnWhole(&r, nodes)
		if !h.Whole() || err != nil {
			t.Errorf("%s: %v", c.options, err)
			continue
		}
		several := c.processors > max(1, c.threads)
		if r.Processors != c.processors || r.Threads != c.threads || r.MemoryMB != c.memory || strings.Join(r.Nodelist, ",") != c.on || r.Spread != several || r.Once != several || !strings.Contains(said, c.said) {
			t.Errorf("%s: %d by %d with %d MB on %v (%v, %v): %s", c.options, r.Processors, r.Threads, r.MemoryMB, r.Nodelist, r.Spread, r.Once, said)
		}
		if all := slices.Contains(r.Env, task.AllMemory+"=yes"); all != strings.Contains(c.options, "--mem=0") {
			t.Errorf("%s: told of all memory: %v", c.options, all)
		}
	}
	for options, want := range map[string]int{"--exclusive -N 2 --gpus=4": 2, "--exclusive -N 2 --gpus-per-node=3": 3, "--exclusive -n 2 --gpus-per-task=1": 2} {
		h := directive.New(directive.Place{})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\ntrue\n", strings.Fields(options)); err != nil {
			t.Fatal(err)
		}
		r := h.Finish("job", nil)
		if _, err := h.OnWhole(&r, park()); err != nil || r.GPUs != want {
			t.Errorf("%s: %d GPUs for each program, want %d: %v", options, r.GPUs, want, err)
		}
	}
	h := directive.New(directive.Place{})
	if err := h.ReadSbatch("job.sh", "#!/bin/sh\n#SBATCH --mem=0\n", []string{"--mem=10"}); err != nil || h.Whole() || h.Request.MemoryMB != 10 {
		t.Errorf("the later one counts: %+v, %v", h.Request, err)
	}
}

// Memory of a node and of a processor are not said at once, wherever each is, in sbatch's words. To
// who is not sbatch the later one counts.
func TestMemoryIsSaidOnce(t *testing.T) {
	for script, option := range map[string]string{"--mem=200M --mem-per-cpu=50M": "-n1", "--mem-per-cpu=50M": "--mem=200M", "--mem=0": "--mem-per-cpu=50M"} {
		err := directive.New(directive.Place{}).ReadSbatch("job.sh", "#!/bin/sh\n#SBATCH "+script+"\n", []string{option})
		if err == nil || err.Error() != "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive." || directive.Unread(err) {
			t.Errorf("%s, %s: %v", script, option, err)
		}
	}
	h := directive.New(directive.Place{})
	if err := h.Read("job.sh", "#!/bin/sh\n#SBATCH --mem=200M --mem-per-cpu=50M\n"); err != nil || h.Request.MemoryMB != 50 {
		t.Errorf("%v: %+v", err, h.Request)
	}
}

// What sbatch cannot read is told from what it would take, and the market does not sell.
func TestWhatIsUnread(t *testing.T) {
	for line, unread := range map[string]bool{
		"--tmie=5": true, "-t foo": true, "--mem": true, "extra": true, "\u2013-mem=100M": true, "--hold=yes": true, "--mem=10X": true, "-o 'open": false,
		"--container=x": false, "hetjob": false, "-d afterok:1?afterok:2": false, "-d aftercorr:1_2": false, "-d afterok:x": false, "-n 0": false, "-c x": false, "-N x": true, "--ntasks-per-node=x": false, "-a 5-1": false, "-L a:b:c": false, "--propagate=x": false, "--gres=nic:1": false, "--exclusive=user": false, "-N 16777216 -n 16777215 -c 2": false, "-t foo\n#SBATCH hetjob": true, "hetjob\n#SBATCH -t foo": false,
	} {
		err := directive.New(directive.Place{}).ReadSbatch("job.sh", "#!/bin/sh\n#SBATCH "+line+"\n", nil)
		if err == nil || directive.Unread(err) != unread {
			t.Errorf("%q: %v, %v", line, err, directive.Unread(err))
		}
	}
	own := func(string) (mine, value bool) { return false, false }
	for _, args := range [][]string{{"--bogus"}, {"-t"}} {
		if _, err := directive.SplitSbatch(args, own); !directive.Unread(err) {
			t.Errorf("%v: %v", args, err)
		}
	}
	if directive.Unread(nil) {
		t.Error("nothing is a mistake")
	}
}

// What no node has is refused with what there is.
func TestMoreThanNodesHave(t *testing.T) {
	for _, options := range []string{"--exclusive -n 17", "--exclusive -c 9", "--exclusive -N 1 -n 9", "--exclusive --mem=9001", "--exclusive -a 1-2 -n 9", "--mem=0 -n 9", "--mem=0 -N 3 -n 15", "--exclusive -C none"} {
		h := directive.New(directive.Place{})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\ntrue\n", strings.Fields(options)); err != nil {
			t.Errorf("%s: %v", options, err)
			continue
		}
		r := h.Finish("job", nil)
		if _, err := h.OnWhole(&r, park()); err == nil || !strings.Contains(err.Error(), "has as much: there are ") {
			t.Errorf("%s: %+v, %v", options, r, err)
		}
	}
	for said, nodes := range map[string][]v1.NodeView{"there are none": nil, "there are 3 of 4 processors and 4001 MB, 2 of 8 processors and 9000 MB": park()} {
		h := directive.New(directive.Place{})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\ntrue\n", []string{"--exclusive", "-c", "9"}); err != nil {
			t.Fatal(err)
		}
		r := h.Finish("job", nil)
		if _, err := h.OnWhole(&r, nodes); err == nil || !strings.HasSuffix(err.Error(), said) {
			t.Errorf("%v, want: %s", err, said)
		}
	}
	for _, options := range []string{"--mem=0 -N 2 -n 3", "--mem=0 -n 5 --ntasks-per-node=2"} {
		h := directive.New(directive.Place{})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\ntrue\n", strings.Fields(options)); err != nil {
			t.Fatal(err)
		}
		r := h.Finish("job", nil)
		if _, err := h.OnWhole(&r, park()); err == nil || !strings.Contains(err.Error(), "as many tasks on each node") {
			t.Errorf("%s: %+v, %v", options, r, err)
		}
	}
	for _, wrong := range []string{"--exclusive=user", "--exclusive=mcs", "--exclusive=topo"} {
		if err := directive.New(directive.Place{}).ReadSbatch("job.sh", "#!/bin/sh\n", []string{wrong}); err == nil || !strings.Contains(err.Error(), "--exclusive alone asks for all processors") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if _, err := read(t, "#SBATCH --exclusive"); err == nil || !strings.Contains(err.Error(), "libra sbatch asks") {
		t.Errorf("by another command: %v", err)
	}
}

// It is said where tasks are that could be elsewhere by sbatch, and only there.
func TestWhereTasksOfAnElementAre(t *testing.T) {
	for options, said := range map[string]bool{"-a 1-3 -n 4": true, "-a 1-3 -N 1 -n 4": false, "-a 1-3 --ntasks-per-node=4": false, "-a 1-3 -c 4": false, "-a 1-3": false, "-N 1 -n 4": false} {
		h, err := read(t, "#SBATCH "+options)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(h.Notes, func(n directive.Note) bool { return strings.Contains(n.Text, "all on one node") }); got != said {
			t.Errorf("%s: said %v: %v", options, got, h.Notes)
		}
	}
}

// What #LIBRA says of memory is had of each processor, on nodes that have it, before what #SBATCH
// says.
func TestAllProcessorsWithMemoryOfLibra(t *testing.T) {
	for _, c := range []struct {
		script, options string
		processors      int
		memory          int64
	}{
		{"#LIBRA memory=1000M", "--exclusive", 4, 1000},
		{"#LIBRA memory=1100M", "--exclusive", 8, 1100},
		{"#SBATCH --exclusive\n#LIBRA memory=1100M", "", 8, 1100},
		{"#SBATCH --exclusive --mem=3000\n#LIBRA memory=1100M", "", 8, 1100},
		{"#SBATCH --exclusive --mem-per-cpu=1100\n#LIBRA memory=10M", "", 4, 10},
		{"#SBATCH --exclusive --mem=0\n#LIBRA memory=1100M", "", 8, 1100},
		{"#LIBRA memory=1100M", "--exclusive --mem=3000", 4, 750},
	} {
		h := directive.New(directive.Place{})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\n"+c.script+"\ntrue\n", strings.Fields(c.options)); err != nil {
			t.Fatal(err)
		}
		r := h.Finish("job", nil)
		if _, err := h.OnWhole(&r, park()); err != nil || r.Processors != c.processors || r.MemoryMB != c.memory || slices.Contains(r.Env, task.AllMemory+"=yes") {
			t.Errorf("%s, %s: %d processors of %d MB, want %d of %d: %v", c.script, c.options, r.Processors, r.MemoryMB, c.processors, c.memory, err)
		}
	}
}

// However little memory a node has, a processor has some; and a job is told how many tasks it
// asked for.
func TestAllOfASmallNode(t *testing.T) {
	h := directive.New(directive.Place{})
	if err := h.ReadSbatch("job.sh", "#!/bin/sh\ntrue\n", strings.Fields("--exclusive --mem=0 -n 2 -c 2")); err != nil {
		t.Fatal(err)
	}
	r := h.Finish("job", nil)
	if _, err := h.OnWhole(&r, []v1.NodeView{{Node: "a", Processors: 4, MemoryMB: 3, Up: true}}); err != nil || r.MemoryMB != 1 {
		t.Errorf("%d MB: %v", r.MemoryMB, err)
	}
	if !slices.Contains(r.Env, "SLURM_NTASKS=2") || !slices.Contains(r.Env, "SLURM_CPUS_PER_TASK=2") {
		t.Errorf("it is told %v", r.Env)
	}
}

// Tasks of several processors are counted as tasks where an element has to have them on one node.
func TestWideTasksOfAnElement(t *testing.T) {
	if h, err := read(t, "#SBATCH -a 1-3 -n 2 -c 2 --ntasks-per-node=3"); err != nil || h.Request.Processors != 4 {
		t.Errorf("%+v, %v", h.Request, err)
	}
	if _, err := read(t, "#SBATCH -a 1-3 -n 4 -c 2 --ntasks-per-node=3"); err == nil || !strings.Contains(err.Error(), "on one node") {
		t.Errorf("more tasks than may be on a node: %v", err)
	}
}
