package directive

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of docs/slurm.md anew")

// commands are the options that libra sbatch has itself.
var commands = map[string]string{
	"--help": "the help of libra sbatch", "--wrap": "", "--parsable": "", "--quiet": "nothing is printed but errors", "--wait": "",
	"--test-only": "a quote: price and promise, and nothing is handed in", "--usage": "", "--version": "the version of Slurm, or of libra where there is none",
}

// notes are what options that work mean otherwise than in Slurm.
var notes = map[string]string{
	"--mem-per-cpu": "more than MaxMemPerCPU is refused, and not made more processors, which would be paid for: -c asks for them",
	"--licenses":    "counted by Slurm, and kept for the job from when it is taken, or from when it is let go if it waits in the market before", "--account": "the account of the market that pays, or Slurm's name of it (slurm.associations)", "--time": "the estimate of the runtime, with processors to itself; 0 and UNLIMITED say none, and then it is that of former runs, the partition's DefaultTime, or an hour", "--deadline": "the promise that is bought", "--dependency": "after, afterok, afterany, afternotok, aftercorr and singleton of jobs that the market has sold, all of which must hold (? is refused); of an element (12_3), by all but aftercorr, when all of its array has ended; an array begins after aftercorr when all elements of the other have ended, and those run whose namesakes have succeeded",
	"--signal": "passed to Slurm, which counts from the time limit: that follows from the deadline", "--mail-type": "passed to Slurm; a market without one sends no mail", "--mail-user": "passed to Slurm",

	"--qos":         "one of Slurm's that its user may use, under which it runs there and whose limits count; the price is the same; a market that runs its jobs itself passes it over, with a note",
	"--reservation": "one of Slurm's, of whole nodes and for users or accounts: the job is on its nodes alone, and done before it ends; not FLEX, MAGNETIC, TIME_FLOAT, MAINT, REPLACE, of groups or of some processors, nor with --hold or --dependency; before it begins with --begin",

	"--mem": "0 is all memory of its nodes, as much as the smallest that does has; on nodes that have another it is not", "--exclusive": "every processor of its nodes is the job's and is paid for; where nodes are not alike, of the smallest that do; their time is shared as the policy shares it, so that others may have what the job's promise leaves; its GPUs are not: --gres asks for them; =user, =mcs and =topo are refused", "--input": "where Slurm runs the jobs", "--comment": "terms of the market, as libra:budget=5;penalty=0.1; another is shown by Slurm, after the market's own mark on the job", "--nodes": "so many, as many tasks on each, and of a range the most that can be had; where the tasks do not divide, so many (of a range the fewest) with as many processors on each as the fullest needs, which are paid for, with a note", "--tmp": "disk, which is sold",
	"--gpus": "of one kind, as many on each node; on one node unless -N, --gpus-per-node or --gpus-per-task says otherwise", "--gpus-per-node": "of one kind; on one node unless -N or --gpus says otherwise",
	"--cpus-per-gpu": "-c of its tasks, as many as go with the GPUs of each", "--mem-per-gpu": "memory of the whole job, as much as goes with its GPUs", "--ntasks-per-gpu": "-n, or where that is said --gpus", "--gpu-bind": "srun in the script goes by it",
	"--tres-per-task": "cpu=2,gres/gpu=1 as -c and --gpus-per-task; others are refused",
	"--gres":          "gpu, gpu:2, gpu:a100, gpu:a100:2 and none, as --gpus-per-node; other resources are refused",
	"--nodelist":      "on these and on no others; on all of them, as many tasks on each where the tasks divide", "--nodefile": "the same by a file, which libra sbatch reads where it is typed", "--exclude": "names of nodes that the market does not have exclude nothing",
	"--constraint": "one feature, several joined by & or a comma (all of them) or by a bar (one of them); numbers of nodes (fast*2) and groups in brackets are refused",
	"--begin":      "it waits in the market, which says what it costs and promises when its time has come", "--hold": "it waits in the market, which says what it costs and promises when libra release lets it begin; in Slurm it is held, and scontrol release does not let it go",
	"--distribution": "srun in the script goes by it; nodes and processors are chosen by the market", "--hint": forItsSteps,
	"--threads-per-core": forItsSteps, "--ntasks-per-core": forItsSteps, "--ntasks-per-socket": forItsSteps, "--overcommit": "srun in the script goes by it; each task has its processors all the same, and they are paid for",
	"--get-user-env": "what a login sets, on its node; how long that may take is Slurm's to say", "--propagate": "all soft limits unless it says otherwise, as far as PropagateResourceLimits lets them",
	"--array":   "each element has its tasks and their processors (-n, -c) on one node: more nodes for each (-N 2) are refused; in Slurm it is an array too, whose elements scancel and squeue know one by one (12_3)",
	"--requeue": "a job that lost its node begins again, and its user may put one on one node back: it has ended then, and is handed in anew, under its number; an element of an array has its turn again in the array", "--no-requeue": "it does not, and its user cannot put it back",
}

const forItsSteps = "srun in the script goes by it; processors are chosen by the market"

// row is what becomes of an option, for the table.
func row(name string) (string, bool) {
	what, why := "", ""
	o, known := findOption(sbatchOptions, name)
	own, mine := commands[name]
	switch {
	case mine:
		if what, why = "works", own; why != "" {
			what = "works, with another meaning"
		}
	case !known:
		return "", false
	case o.never != "":
		what, why = "refused", o.never
	case o.set == nil:
		what, why = "passed over, with a note", o.idle
	default:
		if what, why = "works", notes[name]; why != "" {
			what = "works, with another meaning"
		}
	}
	for _, short := range o.names {
		if len(short) == 2 {
			name = short + "`, `" + name
		}
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", name, what, why), true
}

// Every option of sbatch's manual, of 24.11, is in the table of docs/slurm.md, which says
// what the program does.
func TestEveryOptionOfSbatchIsInTheTable(t *testing.T) {
	list, err := os.ReadFile("testdata/sbatch-24.11.txt")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| option | what comes of it | meaning, or reason |\n|---|---|---|\n")
	for name := range strings.FieldsSeq(string(list)) {
		line, known := row(name)
		if !known {
			t.Errorf("%s is unknown", name)
		}
		table.WriteString(line)
	}
	const file, head, foot = "../../docs/slurm.md", "<!-- options -->\n", "<!-- end of options -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), head)
	_, after, ended := strings.Cut(rest, foot)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", file)
	}
	want := before + head + table.String() + foot + after
	if *update {
		if err = os.WriteFile(file, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if string(text) != want {
		t.Errorf("%s says something else than the program does: go test ./live/directive -run Table -update", file)
	}
}

func TestAnOptionIsOneThing(t *testing.T) {
	var seen []string
	for _, o := range sbatchOptions {
		count := 0
		for _, is := range []bool{o.set != nil, o.idle != "", o.never != ""} {
			if is {
				count++
			}
		}
		if count != 1 {
			t.Errorf("%v: %d things come of it", o.names, count)
		}
		for _, name := range o.names {
			if slices.Contains(seen, name) {
				t.Errorf("%s is there twice", name)
			}
			seen = append(seen, name)
		}
	}
}
