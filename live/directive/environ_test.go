package directive

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
)

// asSbatch is what a script asks for that is handed in with these options.
func asSbatch(t *testing.T, script string, options ...string) *Head {
	t.Helper()
	h := New(Place{User: "erika"})
	if err := h.ReadSbatch("job.sh", "#!/bin/sh\n"+script, options); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestOptionsInTheEnvironment(t *testing.T) {
	got := FromEnviron([]string{"SBATCH_TIMELIMIT=7", "SBATCH_JOB_NAME=from here", "SBATCH_MEM_PER_NODE=300", "SBATCH_REQUEUE=", "SBATCH_GET_USER_ENV=", "SBATCH_EXCLUSIVE=user", "SBATCH_NO_REQUEUE=1", "SBATCH_CONSTRAINT=", "SBATCH_DEBUG=1", "OTHER=1", "SBATCH_=x"})
	if want := []string{"--constraint=", "--exclusive=user", "--get-user-env", "--job-name=from here", "--mem=300", "--no-requeue", "--requeue", "--time=7"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, v := range variablesOfSbatch {
		if _, known := findOption(sbatchOptions, v.option); !known {
			t.Errorf("SBATCH_%s is the option %s, which nobody knows", v.name, v.option)
		}
	}
	got = slices.DeleteFunc(got, func(o string) bool { return o == "--exclusive=user" })
	h := asSbatch(t, "#SBATCH -J file -t 1 -n 2\n", append(got, "-J", "line")...)
	if r := h.Request; r.Name != "line" || r.EstimateMS != 7*60_000 || r.Processors != 2 || r.MemoryMB != 150 {
		t.Errorf("%+v", r)
	}
}

func TestWhatIsExported(t *testing.T) {
	environ := []string{"A=x", "HIDDEN=1", "PATH=/bin", "LIBRA_TOKEN=secret"}
	for said, want := range map[string]string{
		"":            "A=x HIDDEN=1 PATH=/bin",
		"B=1,A,ALL":   "A=x B=1 HIDDEN=1 LIBRA_SBATCH_LOGIN=yes PATH=/bin SLURM_EXPORT_ENV=B=1,A,ALL",
		"A,B=2":       "A=x B=2 LIBRA_SBATCH_LOGIN=yes SLURM_EXPORT_ENV=A,B=2",
		"ALL":         "A=x HIDDEN=1 PATH=/bin SLURM_EXPORT_ENV=ALL",
		"all=1,A":     "A=x LIBRA_SBATCH_LOGIN=yes SLURM_EXPORT_ENV=all=1,A all=1",
		"NONE":        "LIBRA_SBATCH_LOGIN=yes SLURM_EXPORT_ENV=NONE",
		"ALL,C=a b":   "A=x C=a b HIDDEN=1 LIBRA_SBATCH_LOGIN=yes PATH=/bin SLURM_EXPORT_ENV=ALL,C=a b",
		"ALL,C='a,b'": "A=x C='a,b' HIDDEN=1 LIBRA_SBATCH_LOGIN=yes PATH=/bin SLURM_EXPORT_ENV=ALL,C='a,b'",
		`C="x,'y",A`:  `A=x C="x,'y" LIBRA_SBATCH_LOGIN=yes SLURM_EXPORT_ENV=C="x,'y",A`,
		"C=it's,A":    "A=x C=it's LIBRA_SBATCH_LOGIN=yes SLURM_EXPORT_ENV=C=it's,A",
		"C='',A,D=''": "A=x C='' D='' LIBRA_SBATCH_LOGIN=yes SLURM_EXPORT_ENV=C='',A,D=''",
		"LIBRA_TOKEN": "LIBRA_SBATCH_LOGIN=yes LIBRA_TOKEN=secret SLURM_EXPORT_ENV=LIBRA_TOKEN",
	} {
		var options []string
		if said != "" {
			options = []string{"--export=" + said}
		}
		if got := strings.Join(asSbatch(t, "", options...).Finish("job", environ).Env, " "); got != want {
			t.Errorf("--export=%s: %q, want %q", said, got, want)
		}
	}
}

func TestNamesOfFilesAsSbatchHasThem(t *testing.T) {
	for name, want := range map[string]string{
		"%j-%x-%u-%%-%A": "%b-%x-erika-%-%b", "slurm.%N.%j.out": "slurm.%N.%b.out", "%n-%t-%s": "%r-%r-batch", "w-%a": "w-4294967294", "%q%j": "%q%b",
		"%8j.%3n.%4x.%12a": "%8b.%3r.%x.4294967294", `o\.q`: "o.q", "none": "/dev/null", "NONE": "/dev/null", "none.out": "none.out",
	} {
		if got := asSbatch(t, "#SBATCH -o "+name+"\n").Request.Output; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{"%2t-%a-%4a": "00-%a-%4a", "%A_%a": "%b_%a", "%A": "%b", "%4j.out": "%4b_%a.out", "%j-%a": "%b-%a"} {
		if got := asSbatch(t, "#SBATCH -o "+name+"\n#SBATCH -a 1-2\n").Request.Output; got != want {
			t.Errorf("%s of an array: %s, want %s", name, got, want)
		}
	}
	if h := asSbatch(t, "#SBATCH -a 1-2 -e %j\n"); h.Request.Error != "%b_%a" {
		t.Errorf("errors of an array: %s", h.Request.Error)
	}
}

// A script may say how the command that hands it in is to go about it.
func TestTheMannerOfACommand(t *testing.T) {
	if got := asSbatch(t, "#SBATCH --parsable\n#SBATCH --wait\n#SBATCH --test-only\n"); got.Manner != (Manner{true, true, true}) || len(got.Notes) > 0 {
		t.Errorf("%+v, notes %v", got.Manner, got.Notes)
	}
	if got := asSbatch(t, "#SBATCH -W\n"); got.Manner != (Manner{Wait: true}) {
		t.Errorf("%+v", got.Manner)
	}
	// To who is not sbatch it says nothing, and that is said.
	h := New(Place{})
	if err := h.Read("job.sh", "#!/bin/sh\n#SBATCH --parsable --wait\n#SBATCH --test-only\n"); err != nil || h.Manner != (Manner{}) || len(h.Notes) != 3 {
		t.Errorf("%+v, notes %v, %v", h.Manner, h.Notes, err)
	}
}

// Nobody is warned of a variable that is set wherever the job runs.
func TestVariablesThatAreTold(t *testing.T) {
	for script, want := range map[string]int{
		"#SBATCH -n 2\necho $SLURM_NTASKS $SLURM_NPROCS $SLURM_SUBMIT_DIR\n": 0, "#SBATCH -c 2\necho $SLURM_CPUS_PER_TASK\n": 0, "#SBATCH -c 2\necho $SLURM_NTASKS $SLURM_JOB_NODELIST\n": 2,
		"#SBATCH -a 1-2\necho $SLURM_JOB_ID $SLURM_JOB_NAME $SLURM_ARRAY_JOB_ID $SLURM_ARRAY_TASK_ID\n": 0, "echo $SLURM_JOBID\n": 1,
	} {
		warned := 0
		for _, n := range asSbatch(t, script).Notes {
			if strings.Contains(n.Text, "is set by Slurm alone") {
				warned++
			}
		}
		if warned != want {
			t.Errorf("%q: warned of %d", script, warned)
		}
	}
}

// What srun is told of hints is what sbatch makes of them.
func TestHints(t *testing.T) {
	for said, want := range map[string]string{
		"--hint=memory_bound": "SLURM_HINT=memory_bound SLURM_THREADS_PER_CORE=1", "--hint=multithread": "SLURM_HINT=multithread SLURM_NTASKS_PER_CORE=65535",
		"--distribution=plane=3": "SLURM_DISTRIBUTION=plane SLURM_DIST_PLANESIZE=3", "-m plane=3 -m Block:fcyclic,NoPack": "SLURM_DISTRIBUTION=block:fcyclic,nopack",
		"--hint=nomultithread --ntasks-per-core=1": "SLURM_NTASKS_PER_CORE=1", "--threads-per-core=1 --hint=nomultithread": "SLURM_THREADS_PER_CORE=1",
		"--hint=nomultithread --ntasks-per-socket=1": "SLURM_HINT=nomultithread SLURM_NTASKS_PER_SOCKET=1 SLURM_THREADS_PER_CORE=1",
	} {
		if got := strings.Join(asSbatch(t, "", strings.Fields(said)...).Finish("job", nil).Env, " "); got != want {
			t.Errorf("%s: %q, want %q", said, got, want)
		}
	}
	if got := FromEnviron([]string{"SLURM_HINT=multithread", "SBATCH_HINT=nomultithread", "SLURM_NTASKS=3"}); !slices.Equal(got, []string{"--hint=multithread", "--hint=nomultithread"}) {
		t.Errorf("of the environment: %q", got)
	}
	for _, wrong := range []string{"--hint=other", "--threads-per-core=x", "--ntasks-per-core=0", "--ntasks-per-socket=1x"} {
		if err := New(Place{}).ReadSbatch("job.sh", "", []string{wrong}); err == nil || Unread(err) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// A job that waits is told for what, as it was said last, and one that hands in another hands that
// not on.
func TestAJobIsToldForWhatItWaits(t *testing.T) {
	if got := asSbatch(t, "").Finish("job", []string{"SLURM_TRES_PER_TASK=cpu=2", "SLURM_GPUS_PER_TASK=1", "SLURM_UMASK=0022", "SLURM_CPU_BIND=none"}).Env; !slices.Equal(got, []string{"SLURM_CPU_BIND=none"}) {
		t.Errorf("of another job: %q", got)
	}
	h := asSbatch(t, "#SBATCH -d afterok:1\n", "--dependency=afterok:12:13,singleton")
	if got := strings.Join(h.Finish("job", []string{"SLURM_JOB_DEPENDENCY=afterany:5"}).Env, " "); got != "SLURM_JOB_DEPENDENCY=afterok:12:13,singleton" {
		t.Errorf("%q", got)
	}
	if got := asSbatch(t, "").Finish("job", []string{"SLURM_JOB_DEPENDENCY=afterany:5"}).Env; len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// --export= exports nothing, as --export=NONE.
func TestNothingIsExported(t *testing.T) {
	nothing, none := asSbatch(t, "", "--export=").Finish("job", []string{"FOO=bar"}), asSbatch(t, "", "--export=none").Finish("job", []string{"FOO=bar"})
	if len(nothing.Env) == 0 || strings.Join(nothing.Env, " ") != strings.Join(none.Env, " ") {
		t.Errorf("%v, want %v", nothing.Env, none.Env)
	}
}

// Who asks for no limit of its time has said nothing of it, and #LIBRA may.
func TestNoLimitIsNoEstimate(t *testing.T) {
	for _, said := range []string{"0", "UNLIMITED", "infinite", "-1", "00:00"} {
		if got := asSbatch(t, "#SBATCH -t 5\n", "--time="+said).Request.EstimateMS; got != 0 {
			t.Errorf("%s: %d ms", said, got)
		}
		if got := asSbatch(t, "#SBATCH --time="+said+"\n#LIBRA estimate=2m\n").Request.EstimateMS; got != 120_000 {
			t.Errorf("%s, and #LIBRA: %d ms", said, got)
		}
		if err := New(Place{}).Read("job.sh", "#!/bin/sh\n#SBATCH --time="+said+"\n"); err == nil {
			t.Errorf("%s is taken where nobody asks for what is usual", said)
		}
	}
}

// What was asked for of memory is told as it was.
func TestMemoryThatIsTold(t *testing.T) {
	for said, want := range map[string]string{"--mem=1G": "SLURM_MEM_PER_NODE=1024", "--mem-per-cpu=32 --mem-per-cpu=64": "SLURM_MEM_PER_CPU=64", "--mem=0": ""} {
		if got := strings.Join(asSbatch(t, "", strings.Fields(said)...).Finish("job", nil).Env, " "); got != want {
			t.Errorf("%s: %q, want %q", said, got, want)
		}
	}
}

// Long options may be cut short, as getopt takes them, where one alone begins so.
func TestOptionsAreCutShort(t *testing.T) {
	h := asSbatch(t, "#SBATCH -n 2 --tasks-per-node=2\n", "--job=short", "--cpus-per-t", "1")
	if r := h.Request; r.Processors != 2 || r.Threads != 2 || r.Name != "short" {
		t.Errorf("%+v", r)
	}
	own := func(name string) (bool, bool) { return name == "--parsable", false }
	c, err := SplitSbatch([]string{"--parsa", "--acco", "x", "--out=a=b", "job.sh", "--job"}, own)
	if err != nil || strings.Join(c.Own, " ") != "--parsable" || strings.Join(c.Options, " ") != "--account x --output=a=b" || strings.Join(c.Args, " ") != "job.sh --job" {
		t.Errorf("%+v, %v", c, err)
	}
	for _, bad := range []string{"--cpus=2", "--tim=2", "--", "--xy"} { // of several, of none
		if err := New(Place{}).ReadSbatch("job.sh", "#!/bin/sh\n#SBATCH "+bad+"\n", nil); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// The tasks of an element are on one node.
func TestTasksOfAnElement(t *testing.T) {
	for said, want := range map[string]int{"-a 1-3 -n 4": 4, "-a 1-3 -n 2 -c 2": 4, "-a 1-3": 0, "-a 1-3 -n 1": 0, "-n 2 -N 1 -a 3": 2} {
		h := asSbatch(t, "", strings.Fields(said)...)
		if r := h.Request; r.Threads != want || r.Spread || want > 0 && r.Processors != want {
			t.Errorf("%s: %d processors, %d on a node", said, r.Processors, r.Threads)
		}
	}
}

// What somebody says of a job goes along, unless it is terms of the market.
func TestACommentGoesAlong(t *testing.T) {
	h := asSbatch(t, "#SBATCH --comment='project 17; phase 2'\n")
	if got := strings.Join(h.Request.Env, "|"); got != task.Comment+"=project 17; phase 2" || len(h.Notes) > 0 {
		t.Errorf("%q, notes %v", got, h.Notes)
	}
	for _, terms := range []string{"budget=5", "libra:budget=5", "budget=5; hold", "libra:hold;budget=5;"} {
		if h = asSbatch(t, "", "--comment="+terms); len(h.Request.Env) > 0 || h.Request.Budget == nil || h.Request.Hold != strings.Contains(terms, "hold") {
			t.Errorf("%s: %+v", terms, h.Request)
		}
	}
	// Words of somebody's own are not the market's, whatever it has a word for.
	for text, notes := range map[string]int{"hold": 0, "licenses": 0, "soft; hold": 0, "--hold": 0, "-e1;budget=5": 1, "--budget=5": 0, "budget": 0, "budget=5 for the paper": 1, "budget=5; for the paper": 1, "budget=5; --hold": 1, "budget=5; licenses": 1, "": 0} {
		h = asSbatch(t, "", "--comment="+text)
		if r := h.Request; strings.Join(r.Env, "|") != task.Comment+"="+text || r.Hold || r.Soft || r.Budget != nil || r.EstimateMS != 0 || len(h.Notes) != notes {
			t.Errorf("%s: %+v, notes %v", text, r, h.Notes)
		}
	}
	for _, nothing := range []string{"libra:", "libra: ;"} {
		if h = asSbatch(t, "", "--comment="+nothing); len(h.Request.Env) > 0 || len(h.Notes) > 0 {
			t.Errorf("%s: %+v, notes %v", nothing, h.Request, h.Notes)
		}
	}
	for text, want := range map[string]string{"libra:hld": "hld: unknown", "libra:;budget=5": "unknown", "libra:licenses": "licenses: its value is missing", "libra:budget=x": "not an amount", "budget=x": "not an amount"} {
		if err := New(Place{}).ReadSbatch("job.sh", "#!/bin/sh\n", []string{"--comment=" + text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestLimitsGoAlong(t *testing.T) {
	for said, want := range map[string]string{"": "NOFILE=5 STACK=6", "--propagate": "NOFILE=U5 STACK=U6", "--propagate=stack": "STACK=U6", "--propagate=NONE": "", "--propagate=all": "NOFILE=U5 STACK=U6", "--propagate=RLIMIT_NOFILE,STACK": "NOFILE=U5 STACK=U6"} {
		h := asSbatch(t, "", strings.Fields(said)...)
		h.Limit("NOFILE", 5)
		h.Limit("STACK", 6)
		if got := strings.ReplaceAll(strings.Join(h.Request.Env, " "), task.Limits, ""); got != want {
			t.Errorf("%s: %q, want %q", said, got, want)
		}
	}
	for _, bad := range []string{
		"#SBATCH --propagate=NICE", "#SBATCH --propagate=ALL,STACK", "#SBATCH --propagate=NONE,STACK", "#SBATCH -o %r", "#SBATCH -o %b", "#SBATCH -o %%5a", `#SBATCH -o 'a\\%j'`,
		"#SBATCH --open-mode=b", "#SBATCH hetjob", "#SBATCH -m a\tb", "#SBATCH -m -a",
	} {
		if err := New(Place{}).ReadSbatch("job.sh", "#!/bin/sh\n"+bad+"\n", nil); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	h := asSbatch(t, "#SBATCH -m block --hint=nomultithread --open-mode=append\n", "--distribution=cyclic:cyclic", "--open-mode=t")
	if got := strings.Join(h.Finish("job", nil).Env, " "); got != "LIBRA_SBATCH_OPEN_MODE=truncate SLURM_DISTRIBUTION=cyclic:cyclic SLURM_HINT=nomultithread SLURM_THREADS_PER_CORE=1" {
		t.Errorf("told: %s", got)
	}
	h = asSbatch(t, "#SBATCH --open-mode=t\n#SBATCH --hint=compute_bound\n", "--open-mode=A")
	if got := strings.Join(h.Finish("job", nil).Env, " "); got != "LIBRA_SBATCH_OPEN_MODE=append SLURM_HINT=compute_bound SLURM_THREADS_PER_CORE=1" {
		t.Errorf("told: %s", got)
	}
	h = asSbatch(t, "#SBATCH -m block\n")
	if got := strings.Join(h.Finish("job", nil).Env, " "); got != "SLURM_DISTRIBUTION=block" {
		t.Errorf("told: %s", got)
	}
	h = New(Place{})
	if err := h.Read("job.sh", "#!/bin/sh\n#SBATCH --propagate=STACK -m block\n"); err != nil {
		t.Fatal(err)
	}
	if notes := fmt.Sprint(h.Notes); !strings.Contains(notes, "limits are those of the node") || !strings.Contains(notes, chosen) {
		t.Errorf("it is said: %s", notes)
	}
	if err := New(Place{}).Read("job.sh", "#!/bin/sh\n#SBATCH -o %q\n"); err == nil {
		t.Error("a pattern that nobody knows is a text to others than sbatch")
	}
}

// A job that gets more processors than its tasks need, and has not asked for them, goes with a word
// of that.
func TestProcessorsToSpare(t *testing.T) {
	for options, want := range map[string]bool{"-N 2 -n 3": true, "-N 2 -n 4": false, "-n 3": false, "-N 2 -n 3 --exclusive": false, "-n 3 --ntasks-per-node=2": true} {
		env := asSbatch(t, "", strings.Fields(options)...).Finish("job", nil).Env
		if got := strings.Contains(strings.Join(env, " "), "LIBRA_SBATCH_SPARE=yes"); got != want {
			t.Errorf("%s: %v", options, env)
		}
	}
}

// Who says so may be put back by their user, where the job is handed in as with sbatch.
func TestRequeue(t *testing.T) {
	for said, want := range map[string]struct{ asks, norestart bool }{
		"":                       {false, false},
		"#SBATCH --requeue\n":    {true, false},
		"#SBATCH --no-requeue\n": {false, true},
		"#SBATCH --requeue\n#SBATCH --no-requeue\n": {false, true},
		"#SBATCH --no-requeue\n#SBATCH --requeue\n": {true, false},
	} {
		h := asSbatch(t, said)
		if asks := slices.Contains(h.Request.Env, task.Requeue+"=yes"); asks != want.asks || h.Request.NoRestart != want.norestart {
			t.Errorf("%q: %+v", said, h.Request)
		}
	}
	h := New(Place{User: "erika"})
	if err := h.Read("job.sh", "#!/bin/sh\n#SBATCH --requeue\n"); err != nil || len(h.Request.Env) != 0 {
		t.Errorf("%v: %q", err, h.Request.Env)
	}
}
