package directive_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/live/directive"
)

// noon is when the jobs of these tests are handed in.
var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func read(t *testing.T, lines ...string) (*directive.Head, error) {
	t.Helper()
	h := directive.New(directive.Place{Now: noon, User: "alice"})
	return h, h.Read("job.sh", "#!/bin/sh\n"+strings.Join(lines, "\n")+"\necho hello\n")
}

func budget(micros int64) *int64 { return &micros }

func TestLinesBecomeARequest(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  v1.Request
	}{
		{"nothing", []string{"# a comment", ""}, v1.Request{}},
		{
			"all that Libra knows",
			[]string{
				"#LIBRA name=x account=/lab/alice dir=/data output=%j.out error=%j.err estimate=2m deadline=10m soft budget=5 penalty=0.1",
				"#LIBRA procs=2 memory=2G disk=500M class=1 wish=cheapest overrun=late no-restart after=12,13 tags=a,b grace=30s",
			},
			v1.Request{
				Name: "x", Account: "/lab/alice", Dir: "/data", Output: "%j.out", Error: "%j.err", EstimateMS: 120_000,
				DeadlineMS: 600_000, Soft: true, Budget: budget(5_000_000), PenaltyMicros: 100_000, Processors: 2, MemoryMB: 2048,
				DiskMB: 500, Class: 1, Wish: "cheapest", Overrun: v1.OverrunLate, NoRestart: true, After: []int64{12, 13},
				Tags: []string{"a", "b"}, GraceMS: 30_000,
			},
		},
		{
			"spelled like flags",
			[]string{"#LIBRA --deadline 10m --budget=2.5 --soft -e 90 -n4", "#LIBRA --name 'two words' # why not"},
			v1.Request{DeadlineMS: 600_000, Budget: budget(2_500_000), Soft: true, EstimateMS: 90_000, Processors: 4, Name: "two words"},
		},
		{
			"values with an equals sign",
			[]string{"#LIBRA env=A=b=c env=D="},
			v1.Request{Env: []string{"A=b=c", "D="}},
		},
		{
			"an optional part",
			[]string{"#LIBRA optional-rate=0.05 optional=60s optional-command='refine --more \"a b\" #3'"},
			v1.Request{Optional: &v1.Optional{
				WorkMS: 60_000, RateMicros: 50_000, Argv: []string{"refine", "--more", "a b", "#3"},
			}},
		},
		{"no optional part", []string{"#LIBRA optional=60s optional-rate=1", "#LIBRA optional=none"}, v1.Request{}},
		{"taken back", []string{"#LIBRA deadline=10m budget=5", "#LIBRA deadline=none budget=none soft=no"}, v1.Request{}},
		{
			"a time of day",
			[]string{"#LIBRA deadline=14:30"},
			v1.Request{DeadlineMS: 9_000_000},
		},
		{
			"what Slurm knows",
			[]string{
				"#SBATCH -J sweep -A /lab -D /work -t 1-02:03:04 --mem-per-cpu=512 --tmp=10G",
				"#SBATCH --output=out/%x-%A_%a-%u.txt",
				"#SBATCH -e err/%j.%t",
				"#SBATCH --array=1-100%10 --dependency=afterok:12:13,afterok:14",
				"#SBATCH --deadline=now+2hours --no-requeue --comment='budget=5;penalty=0.1; soft'",
			},
			v1.Request{
				Name: "sweep", Account: "/lab", Dir: "/work", EstimateMS: 93_784_000, MemoryMB: 512, DiskMB: 10240,
				Output: "out/%x-%j_%a-alice.txt", Error: "err/%j.%r", Array: &v1.Array{First: 1, Last: 100, Step: 1, Limit: 10},
				After: []int64{12, 13, 14}, DeadlineMS: 7_200_000, NoRestart: true, Budget: budget(5_000_000), PenaltyMicros: 100_000, Soft: true,
			},
		},
		{"tasks of several processors", []string{"#SBATCH -n4 -c 2 --mem=8G"}, v1.Request{Processors: 8, Threads: 2, Once: true, MemoryMB: 1024}},
		{"a program with threads", []string{"#SBATCH -c 4"}, v1.Request{Processors: 4, Threads: 4}},
		{"threads, said by Libra", []string{"#LIBRA threads=2 procs=6"}, v1.Request{Processors: 6, Threads: 2}},
		{"processes of a chunk", []string{"#PBS -l select=2:ncpus=8:mpiprocs=4"}, v1.Request{Processors: 16, Threads: 2, Once: true}},
		{
			"nodes with tasks",
			[]string{"#SBATCH -N 2 --ntasks-per-node=3 --mem=4000"},
			v1.Request{Processors: 6, Threads: 3, Spread: true, Once: true, MemoryMB: 1334},
		},
		{"tasks of one node", []string{"#SBATCH -N 1 -n 4 -c 2"}, v1.Request{Processors: 8, Threads: 8}},
		{"tasks of two nodes, or of three", []string{"#SBATCH -N 2-4 -n 6"}, v1.Request{Processors: 6, Threads: 3, Spread: true, Once: true}},
		{"tasks of a node, at most", []string{"#SBATCH -n 6 --ntasks-per-node=2"}, v1.Request{Processors: 6, Threads: 2, Spread: true, Once: true}},
		{"tasks of a node, at most, with memory", []string{"#SBATCH -n 6 --ntasks-per-node=2 --mem=4000"}, v1.Request{Processors: 6, Threads: 2, Spread: true, Once: true, MemoryMB: 2000}},
		{"more of a node than there are", []string{"#SBATCH -N 2 -n 4 --ntasks-per-node=4"}, v1.Request{Processors: 4, Threads: 2, Spread: true, Once: true}},
		{"of a range the fewest nodes", []string{"#SBATCH -N 1-5 -n 6 --ntasks-per-node=4"}, v1.Request{Processors: 6, Threads: 3, Spread: true, Once: true}},
		{"one of them", []string{"#SBATCH -N 1-5 -n 2 --ntasks-per-node=4"}, v1.Request{Processors: 2, Threads: 2}},
		{"no more than there may be", []string{"#SBATCH -N 1-5 -n 3 --ntasks-per-node=2"}, v1.Request{Processors: 3, Spread: true, Once: true}},
		{"more than a range holds", []string{"#SBATCH -N 1-2 -n 6 --ntasks-per-node=2"}, v1.Request{Processors: 6, Threads: 6}},
		{"more than the nodes hold", []string{"#SBATCH -N 1 -n 4 --ntasks-per-node=2"}, v1.Request{Processors: 4, Threads: 4}},
		{"tasks of a node that do not divide", []string{"#SBATCH -n 5 --ntasks-per-node=2"}, v1.Request{Processors: 5, Once: true}},
		{"more nodes than tasks", []string{"#SBATCH -N 4 -n 2 --mem=1000"}, v1.Request{Processors: 2, Spread: true, Once: true, MemoryMB: 1000}},
		{"tasks of an element", []string{"#SBATCH -n 4 -a 1-3"}, v1.Request{Processors: 4, Threads: 4, Array: &v1.Array{First: 1, Last: 3, Step: 1}}},
		{"tasks of an element, with processors and memory", []string{"#SBATCH -n 4 -c 2 --mem=4000 -a 1-3"}, v1.Request{Processors: 8, Threads: 8, MemoryMB: 500, Array: &v1.Array{First: 1, Last: 3, Step: 1}}},
		{"tasks of an element on its node", []string{"#SBATCH --ntasks-per-node=3 -a 1-3"}, v1.Request{Processors: 3, Threads: 3, Array: &v1.Array{First: 1, Last: 3, Step: 1}}},
		{"tasks of an element on one of some nodes", []string{"#SBATCH -N 1-2 -n 4 -a 1-3"}, v1.Request{Processors: 4, Threads: 4, Array: &v1.Array{First: 1, Last: 3, Step: 1}}},
		{"more tasks of an element than a node is said to have", []string{"#SBATCH -N 1 -n 4 --ntasks-per-node=2 -a 1-3"}, v1.Request{Processors: 4, Threads: 4, Array: &v1.Array{First: 1, Last: 3, Step: 1}}},
		{"fewer tasks of an element", []string{"#SBATCH -n 2 --ntasks-per-node=4 -a 1-3"}, v1.Request{Processors: 2, Threads: 2, Array: &v1.Array{First: 1, Last: 3, Step: 1}}},
		{"GPUs of the tasks of an element", []string{"#SBATCH -n 2 --gpus-per-task=2 -a 1-3"}, v1.Request{Processors: 2, Threads: 2, GPUs: 4, Array: &v1.Array{First: 1, Last: 3, Step: 1}}},
		{"tasks that do not divide", []string{"#SBATCH -n 3 -N 2"}, v1.Request{Processors: 3, Once: true}},
		{"nodes alone", []string{"#SBATCH --nodes=3"}, v1.Request{Processors: 3, Spread: true, Once: true}},
		{"memory alone", []string{"#SBATCH --mem=4G"}, v1.Request{MemoryMB: 4096}},
		{"the later one counts", []string{"#SBATCH --mem=4G", "#SBATCH -t 5", "#SBATCH --mem-per-cpu=1G -t 7"}, v1.Request{MemoryMB: 1024, EstimateMS: 420_000}},
		{
			"what PBS knows",
			[]string{
				"#PBS -N sweep", "#PBS -A lab", "#PBS -l walltime=1:00:00,select=2:ncpus=4:mem=8gb", "#PBS -o /out/$PBS_JOBID.^array_index^",
				"#PBS -j oe -r n", "#PBS -J 0-30:2", "#PBS -W depend=afterok:12:13",
			},
			v1.Request{
				Name: "sweep", Account: "lab", EstimateMS: 3_600_000, Processors: 8, Threads: 4, Once: true, MemoryMB: 2048, Output: "/out/%j.%a",
				Array: &v1.Array{First: 0, Last: 30, Step: 2}, After: []int64{12, 13}, NoRestart: true,
			},
		},
		{
			"Torque",
			[]string{"#PBS -l nodes=2:ppn=4,pmem=500mb", "#PBS -l walltime=90", "#PBS -t 1-5%2 -d /work"},
			v1.Request{
				Processors: 8, Once: true, MemoryMB: 500, EstimateMS: 90_000, Array: &v1.Array{First: 1, Last: 5, Step: 1, Limit: 2}, Dir: "/work",
			},
		},
		{"unequal chunks", []string{"#PBS -l select=1:ncpus=2:mem=4gb+3:ncpus=4:mem=1gb"}, v1.Request{Processors: 14, Once: true, MemoryMB: 2048}},
		{"memory of the whole", []string{"#PBS -l ncpus=3,mem=1gb"}, v1.Request{Processors: 3, Threads: 3, MemoryMB: 342}},
		{"outputs joined the other way", []string{"#PBS -j eo", "#PBS -e all.txt"}, v1.Request{Output: "all.txt"}},
		{"outputs joined before they are named", []string{"#PBS -j oe", "#PBS -e err.txt -o 100%.txt"}, v1.Request{Output: "100%.txt"}},
		{
			"Libra beats the others wherever it stands",
			[]string{"#LIBRA estimate=1m procs=1 name=mine", "#SBATCH -t 60 -n 1 -J theirs", "#PBS -N others"},
			v1.Request{EstimateMS: 60_000, Processors: 1, Name: "mine"},
		},
		{"only whole words are prefixes", []string{"#LIBRARY nothing", "#PBSX -q x", " #SBATCH --bad"}, v1.Request{}},
		{"line ends of another system", []string{"#LIBRA estimate=1m\r", "#SBATCH -J x\r"}, v1.Request{EstimateMS: 60_000, Name: "x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := read(t, c.lines...)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(h.Request, c.want) {
				t.Errorf("got  %+v\nwant %+v", h.Request, c.want)
			}
		})
	}
}

// A mistake says where it is, what is written there, and what is meant.
func TestMistakes(t *testing.T) {
	const onOneNode = "the tasks of an element of an array are on one node: say -N 1, or as many --ntasks-per-node as there are tasks, or hand the elements in as jobs of their own"
	for _, c := range []struct {
		line string
		want string
	}{
		{"#LIBRA dedline=10m", "job.sh:2: #LIBRA dedline: unknown; did you mean deadline?"},
		{"#LIBRA --buget 5", "job.sh:2: #LIBRA --buget: unknown; did you mean --budget?"},
		{"#LIBRA colour=red", "job.sh:2: #LIBRA colour: unknown"},
		{"#LIBRA deadline", "job.sh:2: #LIBRA deadline: its value is missing"},
		{"#LIBRA --deadline", "job.sh:2: #LIBRA --deadline: its value is missing"},
		{"#LIBRA deadline=soon", `job.sh:2: #LIBRA deadline=soon: not a length of time: "soon" (want 10m, 1:30:00, 14:30, tomorrow 9:00 or 2026-11-15T14:30)`},
		{"#LIBRA deadline=2026-11-15T11:59", `job.sh:2: #LIBRA deadline=2026-11-15T11:59: "2026-11-15T11:59" is over already`},
		{"#LIBRA estimate=1:30", `job.sh:2: #LIBRA estimate=1:30: not a length of time: "1:30" can be hours or minutes (want 1h30m, 1m30s or 1:30:00)`},
		{"#LIBRA budget=0.1234567", `job.sh:2: #LIBRA budget=0.1234567: not an amount of money: "0.1234567" (want units with at most six decimals)`},
		{"#LIBRA penalty=-1", `job.sh:2: #LIBRA penalty=-1: not an amount of money: "-1" (want 0 or more)`},
		{"#LIBRA procs=0", `job.sh:2: #LIBRA procs=0: not a number: "0" (want 1 or more)`},
		{"#LIBRA memory=lots", `job.sh:2: #LIBRA memory=lots: not an amount of memory: "lots" (want 500M or 2G)`},
		{"#LIBRA overrun=never", `job.sh:2: #LIBRA overrun=never: "never" (want stop, late or kill)`},
		{"#LIBRA soft=maybe", `job.sh:2: #LIBRA soft=maybe: "maybe" (want yes or no)`},
		{"#LIBRA env=A", `job.sh:2: #LIBRA env=A: "A" (want NAME=value)`},
		{"#LIBRA after=x", `job.sh:2: #LIBRA after=x: not a number: "x" (want the number of a job)`},
		{"#LIBRA array=9-1", `job.sh:2: #LIBRA array=9-1: not an array: "9-1" (want 1-100, 0-30:2, 1,4,7-9 or 1-100%10)`},
		{"#LIBRA array=1,2,100001", `job.sh:2: #LIBRA array=1,2,100001: not an array: "1,2,100001": no index of a list is more than 99999 after its first`},
		{"#LIBRA array=0-100000", `job.sh:2: #LIBRA array=0-100000: not an array: "0-100000" has more than 100000 elements`},
		{"#LIBRA wish=best", `job.sh:2: #LIBRA wish=best: ` + wishError(t)},
		{`#LIBRA name="x`, "job.sh:2: #LIBRA: a quote is not closed"},
		{"#SBATCH -a 1-3 -N 2 -n 4", "job.sh:2: #SBATCH -n 4: " + onOneNode},
		{"#SBATCH -a 1-3 -N 2", "job.sh:2: #SBATCH -N 2: " + onOneNode},
		{"#SBATCH -a 1-3 -n 4 --ntasks-per-node=2", "job.sh:2: #SBATCH --ntasks-per-node=2: " + onOneNode},
		{"#SBATCH -a 1-3 -N 1-2 -n 4 --ntasks-per-node=2", "job.sh:2: #SBATCH --ntasks-per-node=2: " + onOneNode},
		{"#SBATCH -a 1-3 -n 4 -w n1,n2", "job.sh:2: #SBATCH -w n1,n2: " + onOneNode},
		{"#SBATCH --tiem=5", "job.sh:2: #SBATCH --tiem: unknown; did you mean --time?"},
		{"#SBATCH -Z", "job.sh:2: #SBATCH -Z: unknown"},
		{"#SBATCH hello", "job.sh:2: #SBATCH hello: unknown"},
		{"#SBATCH --time", "job.sh:2: #SBATCH --time: its value is missing"},
		{"#SBATCH --time=1h", `job.sh:2: #SBATCH --time=1h: not a length of time: "1h" (want minutes, MM:SS, HH:MM:SS or D-HH:MM:SS)`},
		{"#SBATCH -t 0", "job.sh:2: #SBATCH -t 0: no limit: Libra needs an estimate of the runtime"},
		{"#SBATCH --mem=0", "job.sh:2: #SBATCH --mem=0: libra sbatch asks how much a node has; here say how much is wanted"},
		{"#SBATCH -N 2-few", `job.sh:2: #SBATCH -N 2-few: not a number: "few" (want 1 or more)`},
		{"#SBATCH -N 4-2", `job.sh:2: #SBATCH -N 4-2: "4-2": want at least 4, or one number`},
		{"#SBATCH --gres=nic:1", "job.sh:2: #SBATCH --gres=nic:1: nic: of generic resources the market sells GPUs alone (gpu:2, gpu:a100:2)"},
		{"#SBATCH -d afterburstbuffer:12", `job.sh:2: #SBATCH -d afterburstbuffer:12: "afterburstbuffer:12" (there are no burst buffers here: say afterok:JOB)`},
		{"#SBATCH --deadline=tomorrow", `job.sh:2: #SBATCH --deadline=tomorrow: not a length of time: "tomorrow" (want now+10minutes, HH:MM or YYYY-MM-DDTHH:MM:SS)`},
		{"#SBATCH --deadline=now+2fortnights", `job.sh:2: #SBATCH --deadline=now+2fortnights: not a length of time: "now+2fortnights" (want now+ and seconds, minutes, hours, days or weeks)`},
		{"#SBATCH -o %b.out", `job.sh:2: #SBATCH -o %b.out: %b in "%b.out": want %j %A %a %x %N %t or %u`},
		{"#SBATCH -o out%", `job.sh:2: #SBATCH -o out%: "out%" ends in the middle of a pattern`},
		{"#SBATCH -o 50%%a.out", `job.sh:2: #SBATCH -o 50%%a.out: "50%%a.out": %a is a pattern here and cannot be a text`},
		{"#PBS -o 50%a.out", `job.sh:2: #PBS -o 50%a.out: "50%a.out": %a is a pattern here and cannot be a text`},
		{"#SBATCH --no-requeue=yes", "job.sh:2: #SBATCH --no-requeue=yes: it has no value"},
		{"#SBATCH --comment='budget=x'", `job.sh:2: #SBATCH --comment=budget=x: budget: not an amount of money: "x" (want units with at most six decimals)`},
		{"#SBATCH -n 16777216 -c 2", "job.sh:2: #SBATCH -c 2: the job is wider than any cluster"},
		{"#SBATCH -i data.txt", "job.sh:2: #SBATCH -i data.txt: jobs read nothing from standard input; open the file in the script, or hand it in with libra sbatch"},
		{"#PBS -l walltim=5", "job.sh:2: #PBS -l walltim=5: walltim: unknown; did you mean walltime?"},
		{"#PBS -l select=1:nfpga=1", "job.sh:2: #PBS -l select=1:nfpga=1: select: nfpga=1: unknown"},
		{"#PBS -l nodes=2:bigmem", `job.sh:2: #PBS -l nodes=2:bigmem: nodes: "bigmem" (want nodes=N:ppn=P; nodes cannot be chosen by name or feature)`},
		{"#PBS -l mem=1xb", `job.sh:2: #PBS -l mem=1xb: mem: not an amount of memory: "1xb" (want 500mb or 2gb)`},
		{"#PBS -j both", "job.sh:2: #PBS -j both: want oe, eo or n"},
		{"#PBS -r maybe", "job.sh:2: #PBS -r maybe: want y or n"},
		{"#PBS -W umask=22", "job.sh:2: #PBS -W umask=22: unknown"},
		{"#PBS -I", "job.sh:2: #PBS -I: jobs have no terminal"},
		{"#PBS -l nodes=16777216:ppn=16777216", "job.sh:2: #PBS -l nodes=16777216:ppn=16777216: nodes: the job is wider than any cluster"},
	} {
		_, err := read(t, c.line)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\ngot  %v\nwant %s", c.line, err, c.want)
		}
	}
}

func wishError(t *testing.T) string {
	t.Helper()
	_, err := market.ParseObjective("best")
	if err == nil {
		t.Fatal("best is a wish")
	}
	return err.Error()
}

// All mistakes of a file are told at once, and each can be taken apart.
func TestAllMistakesAreTold(t *testing.T) {
	_, err := read(t, "#SBATCH --tmie=5", "#LIBRA colour=red procs=2", "#PBS -N x", "#PBS -Y")
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Fatalf("want three mistakes, got %v", err)
	}
	if !errors.Is(err, directive.ErrUnknown) {
		t.Error("the sentinel is lost")
	}
	var first *directive.Error
	if !errors.As(err, &first) || first.File != "job.sh" || first.Line != 2 || first.Directive != "#SBATCH --tmie" {
		t.Errorf("got %+v", first)
	}
}

func TestHarmlessLinesAreTakenWithANote(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"#SBATCH --wckey=x", "job.sh:2: #SBATCH --wckey=x: Libra has no such keys"},
		{"#SBATCH --mail-type=ALL", "job.sh:2: #SBATCH --mail-type=ALL: it is passed to Slurm, where that runs the job; Libra's own agents know nothing of it"},
		{"#SBATCH --comment='for the paper'", "job.sh:2: #SBATCH --comment=for the paper: a comment; it would be read if it were like budget=5;penalty=0.1"},
		{"#SBATCH -o %N.out", "job.sh:2: #SBATCH -o %N.out: %N, the node, becomes %r, the rank"},
		{"#SBATCH -n 3", "job.sh:2: #SBATCH -n 3: on Slurm the script starts once; Libra's own agents start it 3 times and tell each its LIBRA_RANK"},
		{
			"#SBATCH -N 2 -n 3", "job.sh:2: #SBATCH -n 3: tasks are put wherever processors are free, on more nodes than that perhaps: they are not the same number on each",
		},
		{"#LIBRA deadline=1:30:00", "job.sh:2: #LIBRA deadline=1:30:00: 1:30:00 from now (at 1:30:00 would be a time of day)"},
		{"#SBATCH -QW", "job.sh:2: #SBATCH -Q: it is for sbatch itself"},
		{"#SBATCH --nice", "job.sh:2: #SBATCH --nice: deadline, budget and penalty say how a job is served"},
		{"#PBS -q batch", "job.sh:2: #PBS -q batch: Libra has no queues to choose from"},
		{"#PBS -l place=scatter", "job.sh:2: #PBS -l place=scatter: place: processors are chosen by the market"},
		{"#PBS -o host1:/tmp/x", "job.sh:2: #PBS -o host1:/tmp/x: files are written where the job runs, not on host1"},
		{"./sweep ${SLURM_ARRAY_TASK_ID} $SLURM_ARRAY_TASK_ID", "job.sh:2: $SLURM_ARRAY_TASK_ID: is set by Slurm alone; $LIBRA_ARRAY_INDEX is everywhere"},
		{"echo $SLURM_JOB_IDS; cd $PBS_O_WORKDIR", "job.sh:2: $PBS_O_WORKDIR: is not set here; $PWD is"},
		{"date\n#SBATCH -t 5", "job.sh:3: #SBATCH: stands after the first command and is not read"},
	} {
		h, err := read(t, c.line)
		if err != nil || len(h.Notes) == 0 || h.Notes[0].String() != c.want {
			t.Errorf("%s:\ngot  %v, %v\nwant %s", c.line, h.Notes, err, c.want)
		}
	}
}

// A deadline that is no clock's, and what is no deadline, need none.
func TestOfWhichTimesNothingIsSaid(t *testing.T) {
	for _, line := range []string{"#LIBRA deadline=2h", "#LIBRA estimate=1:30:00"} {
		if h, err := read(t, line); err != nil || len(h.Notes) > 0 {
			t.Errorf("%s: %v, %v", line, h.Notes, err)
		}
	}
}

// A script that knows both systems needs no advice.
func TestScriptsForBothAreLeftAlone(t *testing.T) {
	h, err := read(t, "i=${LIBRA_ARRAY_INDEX:-$SLURM_ARRAY_TASK_ID}", "# $SLURM_JOB_ID", "echo 'price: 5$'")
	if err != nil || len(h.Notes) != 0 {
		t.Errorf("%v, %v", h.Notes, err)
	}
}

func TestTheEnvironmentIsWhatIsAskedFor(t *testing.T) {
	environ := []string{"PATH=/bin", "HOME=/home/alice", "LANG=C", "FOO=1", "LIBRA_TOKEN=secret", "=odd"}
	for _, c := range []struct {
		line string
		want []string
	}{
		{"", []string{"LANG=C", "PATH=/bin"}},
		{"#LIBRA env=A=b env=A=c", []string{"A=c", "LANG=C", "PATH=/bin"}},
		{"#LIBRA export=FOO,NOTTHERE", []string{"FOO=1", "LANG=C", "PATH=/bin"}},
		{"#LIBRA export=all", []string{"FOO=1", "HOME=/home/alice", "LANG=C", "PATH=/bin"}},
		{"#LIBRA export=none env=X=y", []string{"X=y"}},
		{"#LIBRA export=none,FOO", []string{"FOO=1"}},
		{"#LIBRA export=all,LIBRA_TOKEN", []string{"FOO=1", "HOME=/home/alice", "LANG=C", "LIBRA_TOKEN=secret", "PATH=/bin"}},
		{"#SBATCH --export=ALL,PATH=/usr/bin", []string{"FOO=1", "HOME=/home/alice", "LANG=C", "PATH=/usr/bin"}},
		{"#SBATCH --export=NONE", nil},
		{"#PBS -V", []string{"FOO=1", "HOME=/home/alice", "LANG=C", "PATH=/bin"}},
		{"#PBS -v FOO,BAR=2", []string{"BAR=2", "FOO=1", "LANG=C", "PATH=/bin"}},
	} {
		h, err := read(t, c.line)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if got := h.Finish("x", environ).Env; !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.line, got, c.want)
		}
	}
}

// What is set last counts.
func TestWhatIsSetByHandBeatsTheScript(t *testing.T) {
	h, err := read(t, "#SBATCH -J theirs -o %x/50%%-%j.out -t 5", "#LIBRA procs=2")
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"name": "a/b%", "estimate": "30s", "procs": "3"} {
		if err := h.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	r := h.Finish("unused", nil)
	if r.Name != "a/b%" || r.EstimateMS != 30_000 || r.Processors != 3 || r.Output != "%x/50%-%j.out" {
		t.Errorf("got %+v", r)
	}
	if err := h.Set("bugdet", "5"); !errors.Is(err, directive.ErrUnknown) || !strings.Contains(err.Error(), "budget") {
		t.Errorf("got %v", err)
	}
	if got := directive.New(directive.Place{}).Finish("sleep", nil).Name; got != "sleep" {
		t.Errorf("called %q", got)
	}
}
