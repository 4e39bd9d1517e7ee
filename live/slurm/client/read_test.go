package client

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestState(t *testing.T) {
	for text, want := range map[string]State{
		"PENDING": Pending, "RUNNING": Running, "completing": Completing, "RUNNING,COMPLETING": Completing, "PENDING,REQUEUED": Requeued,
		"PENDING,REQUEUE_HOLD": Requeued, "SPECIAL_EXIT": Pending, "PENDING,SPECIAL_EXIT": Pending, "SPECIAL_EXIT,REQUEUED": Requeued, "SPECIAL_EXIT,COMPLETING": Completing, "CANCELLED,SPECIAL_EXIT": Cancelled,
		"OUT_OF_MEMORY": NoMemory, "CONFIGURING": Pending, "STOPPED": Suspended,
		"REVOKED": Cancelled, "A_NEW_STATE": Running, "COMPLETED,A_NEW_FLAG": Completed, "SUSPENDED": Suspended, "SIGNALING": Running, "": Running,
		"CANCELLED": Cancelled, "NODE_FAIL": NodeFail, "TIMEOUT": Timeout, "RESIZING": Running, "STAGE_OUT": Completing, "LAUNCH_FAILED,FAILED": Failed,
	} {
		if got := stateOf(strings.Split(text, ",")); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestCondition(t *testing.T) {
	for text, want := range map[string][2]bool{
		"IDLE": {true, false}, "MIXED": {true, false}, "ALLOCATED": {true, false}, "IDLE+DRAIN": {true, true}, "ALLOCATED+DRAIN": {true, true},
		"DOWN": {false, false}, "DOWN*": {false, false}, "IDLE*": {false, false}, "UNKNOWN*": {false, false}, "DOWN*+DRAIN": {false, true},
		"IDLE+NOT_RESPONDING": {false, false}, "IDLE+POWERED_DOWN": {false, false}, "draining": {true, true}, "IDLE+MAINT": {true, true}, "DOWN+NOT_RESPONDING": {false, false},
		"MIXED+COMPLETING": {true, false}, "IDLE+CLOUD": {true, false}, "MIXED+PLANNED": {true, false},
	} {
		if up, draining, reserved := condition(strings.Split(text, "+")); [2]bool{up, draining} != want || reserved != strings.Contains(text, "RESERVED") {
			t.Errorf("%s: up %t, draining %t", text, up, draining)
		}
	}
}

// listing is what squeue would print.
func listing(sep string, rows ...[]string) string {
	var b strings.Builder
	for _, row := range rows {
		for _, field := range row {
			b.WriteString(field + sep)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func row(id, state, name string) []string {
	return []string{id, state, "alice", "n1", "n[1-2]", "None", "5", "100", "101", "102", "0:01", "(null)", name, id, "N/A"}
}

func TestReadElements(t *testing.T) {
	for text, want := range map[string][]int{
		"7": {7}, "1,3-5": {1, 3, 4, 5}, "0-8:4,11": {0, 4, 8, 11}, "2-3%1": {2, 3}, "N/A": nil, "": nil,
	} {
		var j Job
		if err := j.readElements("40", text); err != nil || !slices.Equal(j.Elements, want) || (j.Array == 40) != (want != nil) {
			t.Errorf("%s: %+v, %v", text, j, err)
		}
	}
	for _, text := range []string{"x", "1-", "3-1:0", "1-9:", "4000001", "1,,2", "-1", "1-4294967295"} {
		if err := new(Job).readElements("40", text); !errors.Is(err, errListing) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := new(Job).readElements("x", "1"); !errors.Is(err, errListing) {
		t.Error(err)
	}
}

func TestReadJobs(t *testing.T) {
	sep := separator()
	jobs, err := readJobs(listing(sep, row("1", "RUNNING", "a\nb"), row("2", "FAILED", "3|x"), row("4", "PENDING", "")), sep, 102)
	want := []Job{
		{ID: 1, Name: "a\nb", User: "alice", State: Running, Reason: "None", Nodes: []string{"n1"}, Wanted: []string{"n1", "n2"}, Submitted: 100, Started: 101},
		{ID: 2, Name: "3|x", User: "alice", State: Failed, Reason: "None", Nodes: []string{"n1"}, Wanted: []string{"n1", "n2"}, Submitted: 100, Started: 101, Ended: 102},
		{ID: 4, User: "alice", State: Pending, Reason: "None", Nodes: []string{"n1"}, Wanted: []string{"n1", "n2"}, Submitted: 100},
	}
	if err != nil || !reflect.DeepEqual(jobs, want) {
		t.Errorf("%v, jobs\n%+v, want\n%+v", err, jobs, want)
	}
	if jobs, err = readJobs("", sep, 102); err != nil || len(jobs) != 0 {
		t.Errorf("nothing is %+v, %v", jobs, err)
	}
	short := row("1", "RUNNING", "x")[:12]
	for what, text := range map[string]string{
		"cut off":       listing(sep, row("1", "RUNNING", "x"))[:20],
		"too few":       listing(sep, short),
		"no number":     listing(sep, row("1_2", "RUNNING", "x")),
		"zero":          listing(sep, row("0", "RUNNING", "x")),
		"a header":      "JOBID\n" + listing(sep, row("1", "RUNNING", "x")),
		"text between":  listing(sep, row("1", "RUNNING", "x")) + "slurm_load_jobs error\n" + listing(sep, row("1", "RUNNING", "x")),
		"text after":    listing(sep, row("1", "RUNNING", "x")) + "error: something",
		"not separated": "1 RUNNING alice\n",
	} {
		if jobs, err = readJobs(text, sep, 102); !errors.Is(err, errListing) {
			t.Errorf("%s: %+v, %v", what, jobs, err)
		}
	}
}

// The seal of a listing is new each time: who knew the last cannot forge the next.
func TestSeparator(t *testing.T) {
	if a, b := separator(), separator(); a == b || len(a) < 20 {
		t.Errorf("%q and %q", a, b)
	}
}

func TestReadExits(t *testing.T) {
	exits := map[int64]exit{}
	if err := readExits("1    1792\n2  9   \n3 7:0\n4 0:15\n5 0\n", exits); err != nil {
		t.Fatal(err)
	}
	if want := map[int64]exit{1: {7, 0}, 2: {0, 9}, 3: {7, 0}, 4: {0, 15}, 5: {0, 0}}; !reflect.DeepEqual(exits, want) {
		t.Errorf("%v, want %v", exits, want)
	}
	for _, bad := range []string{"1\n", "a 1\n", "1 b\n", "1 1:b\n", "1 -5\n", "1 2 3\n", "1 999:0\n"} {
		if err := readExits(bad, exits); !errors.Is(err, ErrAway) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestReadNodes(t *testing.T) {
	const text = `NodeName=n1 Arch=x86_64 CPUAlloc=0 CPUTot=8 RealMemory=100 State=IDLE+DRAIN Partitions=a,libra BootTime=77 SlurmdStartTime=99 OS=Linux #1 SMP CfgTRES=cpu=8 Reason=State=DOWN NodeName=x [root@5]
NodeName=n2 CPUTot=4 RealMemory=50 State=DOWN* Partitions=libra BootTime=None

NodeName=n3 CPUTot=4 RealMemory=50 State=IDLE Partitions=plain BootTime=None
`
	nodes, err := readNodes(text, "libra")
	want := []Node{
		{Name: "n1", Up: true, Draining: true, Reason: "State=DOWN NodeName=x [root@5]", Processors: 8, MemoryMB: 100, Boot: 77, Slurmd: 99},
		{Name: "n2", Processors: 4, MemoryMB: 50},
	}
	if err != nil || !reflect.DeepEqual(nodes, want) {
		t.Errorf("%v, nodes\n%+v, want\n%+v", err, nodes, want)
	}
	for _, bad := range []string{"hello\n", "NodeName=n1 State=IDLE\n", "NodeName=n1 CPUTot=x RealMemory=1 State=IDLE\n", "CPUTot=1 RealMemory=1 State=IDLE\n"} {
		if nodes, err = readNodes(bad, "libra"); !errors.Is(err, errListing) {
			t.Errorf("%q: %+v, %v", bad, nodes, err)
		}
	}
}

func TestPlainScript(t *testing.T) {
	for script, want := range map[string]string{
		"#!/bin/sh\ntrue\n#SBATCH -a\n":                       "#!/bin/sh\ntrue\n#SBATCH -a\n",
		"#!/bin/sh\n#SBATCH -a 1-9\n\n# x\n#SBATCH\n:\n":      "#!/bin/sh\n# SBATCH -a 1-9\n\n# x\n# SBATCH\n:\n",
		"#!/bin/sh\n  \t\n#SBATCH -a":                         "#!/bin/sh\n  \t\n# SBATCH -a",
		"#!/usr/bin/python\r\n#SBATCH -n 1\r\nprint('x')\r\n": "#!/usr/bin/python\r\n# SBATCH -n 1\r\nprint('x')\r\n",
	} {
		if got := plainScript(script); got != want {
			t.Errorf("%q became %q", script, got)
		}
	}
}

func TestFlags(t *testing.T) {
	s := sample()
	s.Name, s.Comment = "-x --uid=0", "--wrap=id"
	for _, flag := range s.flags() {
		if !strings.HasPrefix(flag, "--") {
			t.Errorf("%q is no option", flag)
		}
	}
	for limit, want := range map[time.Duration]int64{1: 1, time.Minute: 1, time.Minute + 1: 2, time.Hour: 60} {
		if s.Limit = limit; s.minutes() != want {
			t.Errorf("%s is %d minutes", limit, s.minutes())
		}
	}
}

func TestAccidents(t *testing.T) {
	for text, want := range map[string]bool{
		"sbatch: error: Batch job submission failed: Invalid partition name specified":                     false,
		"sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)": true,
		"sbatch: error: Batch job submission failed: Socket timed out on send/recv operation":              true,
		"sbatch: error: Batch job submission failed: Zero Bytes were transmitted or received":              true,
		"sbatch: error: invalid partition specified: x":                                                    false,
		"slurm_load_jobs error: Unable to contact slurm controller (connect failure)":                      true,
		"Invalid job id specified for job 9":                                                               false,
	} {
		if away(text) != want {
			t.Errorf("%q: an accident is %t", text, !want)
		}
	}
}
