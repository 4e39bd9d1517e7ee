package system_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// script says what Slurm tells it, and starts steps.
const script = `#!/bin/bash
#SBATCH -t 1
env | grep -E '^SLURM_|^OMP_|^ENVIRONMENT=' | grep -vE '^SLURM_(JOB_?ID|ARRAY_JOB_ID|JOB_PARTITION|TASK_PID)=' | sort
pwd; echo "$@"
srun sh -c 'echo "task $SLURM_PROCID of $SLURM_NTASKS"' 2>/dev/null | sort
[ -z "$SLURM_CPUS_PER_TASK" ] || srun -c "$SLURM_CPUS_PER_TASK" true 2>/dev/null || echo "srun -c: $?"
srun -N 1 -n 1 echo step 2>/dev/null
`

// What a script is told, and what its steps are, is the same by sbatch and through the
// market.
func scriptsRunUnchanged(t *testing.T) {
	b := newSite(t, slurmtest.Options{Nodes: 1, CPUs: 4}, terms{}, 0.9)
	b.user("root", 10_000)
	b.write("job.sh", script)
	run := func(argv ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
		cmd.Dir = b.dir
		// A name that the job it may be called from has is not its own.
		cmd.Env = append(os.Environ(), append(b.slurm.Env(), "LIBRA_SERVER="+b.url, "LIBRA_TOKEN="+strings.TrimSpace(text(t, b.at("owner.token"))), "SLURM_JOB_NAME=other")...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", argv, err, out)
		}
	}
	shapes := []string{"", "-n 1 -c 3", "-n 4", "-n 2 -c 2", "-N 1 -n 4", "-N 1 --ntasks-per-node=2", "-c 2 --mem=512", "--mem-per-cpu=96", "-n 2 -c 2 --mem-per-cpu=64", "-N 1-1 -n 2 -c 2", "-a 3-5:2"}
	for i, shape := range shapes {
		options := append([]string{"-J", fmt.Sprint("shape", i), "-D", b.dir}, strings.Fields(shape)...)
		run(append(append([]string{"sbatch", "-p", slurmtest.PlainPartition, "-o", fmt.Sprintf("plain-%d-%%a", i)}, options...), "job.sh", "an argument")...)
		run(append(append([]string{binary(), "sbatch", "--deadline=now+2hours", "-o", fmt.Sprintf("sold-%d-%%a", i)}, options...), "job.sh", "an argument")...)
	}
	for i, shape := range shapes {
		for _, element := range []string{"3", "5", "4294967294"} {
			if array := strings.Contains(shape, "-a"); array == (len(element) > 1) {
				continue
			}
			whole := func(name string) func() bool {
				return func() bool {
					out, err := os.ReadFile(b.at(name))
					return err == nil && strings.HasSuffix(string(out), "step\n")
				}
			}
			plain, sold := fmt.Sprintf("plain-%d-%s", i, element), fmt.Sprintf("sold-%d-%s", i, element)
			until(t, plain, whole(plain))
			until(t, sold, whole(sold))
			if want, got := apart(text(t, b.at(plain))), apart(text(t, b.at(sold))); got != want {
				t.Errorf("%q through the market: %s", shape, difference(want, got))
			}
		}
	}
	scriptsOfPeople(t, b)
	b.verify()
}

// people are what real scripts rely on beside their size: each is handed in from a shell, by
// one command in place of SBATCH, and what it has written is the same by both.
var people = []struct{ name, shell, script string }{
	{"what it is called", `SBATCH -t 1 -o out job.sh`, `basename "$0"; wc -l <"$0"; no-such-command 2>&1 | sed 's/.*slurm_script/slurm_script/'; echo "OLDPWD=$OLDPWD"`},
	{"whose files", `umask 027; ulimit -S -n 512; ulimit -S -s 4096; SBATCH -t 1 -o out job.sh`, `umask; stat -c %a out; ulimit -S -n -s -c; srun sh -c 'ulimit -S -n'`},
	{"limits that are asked for", `ulimit -S -n 512; ulimit -S -s 4096; SBATCH -t 1 -o out --propagate=STACK job.sh`, `ulimit -S -n -s`},
	{"files are added to", `echo before >out; SBATCH -t 1 --open-mode=append -o out job.sh`, `echo after`},
	{"what is exported", `export FOO=bar HIDDEN=1; SBATCH -t 1 -o out --export=A=1,FOO,ALL job.sh`, `env | grep -E '^(A|FOO|HIDDEN|SLURM_EXPORT_ENV)=' | sort; srun env | grep -E '^(A|FOO|HIDDEN)=' | sort`},
	{"nothing is exported", `export FOO=bar; SBATCH -t 1 -o out --export=NONE job.sh`, `env | grep -vE '^(SLURM|LIBRA|_)' | sort; echo $SLURM_EXPORT_ENV`},
	{"some is exported", `export FOO=bar LANG=C.UTF-8; SBATCH -t 1 -o out --export=FOO,B=2 job.sh`, `env | grep -vE '^(SLURM|LIBRA|_)' | sort; srun true 2>/dev/null; echo $?`},
	{"a login", `SBATCH -t 1 -o out --get-user-env job.sh`, `env | grep -vE '^(SLURM_|LIBRA_)' | sort; echo $SLURM_GET_USER_ENV`},
	{"variables of sbatch", `export SBATCH_TIMELIMIT=7 SBATCH_JOB_NAME=fromenv SBATCH_MEM_PER_NODE=300 SBATCH_OUTPUT=from-%x; SBATCH job.sh; SBATCH -J line -o out job.sh`, `echo "$SLURM_JOB_NAME $SLURM_MEM_PER_NODE"`},
	{"names of files", `SBATCH -t 1 -J a -o 'a.%N.%n.%t.%s.%a.%u.%%.%q' job.sh; SBATCH -t 1 -J b -a 1-3:2 -o '%x.%t.%a' job.sh; SBATCH -t 1 -o out job.sh`, `echo said; echo $SRUN_DEBUG`},
	{"on the path", `mkdir bin; cp job.sh bin/on-the-path; PATH=$PWD/bin:$PATH SBATCH -t 1 -o out on-the-path`, `echo "$SLURM_JOB_NAME"`},
	{"how tasks lie", `SBATCH -t 1 -n 2 -m cyclic:block --hint=nomultithread -o out job.sh`, `env | grep -E '^SLURM_(DISTRIBUTION|HINT|THREADS_PER_CORE)=' | sort`},
	{"no directory for temporary files", `TMPDIR=/there/is/none SBATCH -t 1 -o /dev/null job.sh`, `echo $TMPDIR >answer`},
	{"standard input", `echo text >in; echo 3 >in.3; SBATCH -t 1 -i in -o out job.sh; SBATCH -t 1 -a 3 -i in.%a -o out.%a job.sh`, `read -r line; echo "$line"; srun true`},
	{"elements with processors", `SBATCH -t 1 -a 3-5:2 -c 2 -o a.%a job.sh; SBATCH -t 1 -a 3-5:2%1 -N 1 -n 1 -c 3 --mem=300 -o b.%a job.sh`, ofElements},
	{"elements with tasks", `SBATCH -t 1 -a 3-5:2 -n 2 -o a.%a job.sh; SBATCH -t 1 -a 3-5:2%1 -n 2 -c 2 --mem=300 -o b.%a job.sh; SBATCH -t 1 -a 3-5:2 --ntasks-per-node=2 --mem-per-cpu=64 -o c.%a job.sh`, ofElements},
	{"elements with tasks and names of files", `SBATCH -t 1 -a 3-5:2 -n 2 -o %4a.%2t job.sh; SBATCH -t 1 -a 7 -n 2 -o b.%a job.sh`, `env | grep -E '^SLURM_(CPUS.*|JOB_NAME|JOB_CPUS_PER_NODE|NPROCS|NTASKS.*|TASKS_PER_NODE|MEM_PER.*|NNODES|JOB_NUM_NODES|NODEID)=' | sort; srun sh -c 'echo "$SLURM_PROCID of $SLURM_NTASKS"' 2>/dev/null | sort`},
	{"mail and a name", `SBATCH -t 1 --mail-type=NONE -J named -o out job.sh; SBATCH -t 1 --mail-type=NONE -o in <job.sh`, `echo "${SLURM_JOB_NAME-none}"`},
	{"options cut short", `SBATCH -t 1 -N 1 --tasks-per-node=2 --job=short --out=out --threads-per-c=1 job.sh`, `env | grep -E '^SLURM_(JOB_NAME|NTASKS.*|THREADS_PER_CORE)=' | sort`},
	{"memory as much as there is anyway", `SBATCH -t 1 -c 2 --mem=256 -o a job.sh; SBATCH -t 1 -N 1 -n 3 --mem=100 -o b job.sh; SBATCH -t 1 -a 3-5:2 --mem=128 -o c.%a job.sh`, `env | grep '^SLURM_MEM'; srun sh -c 'env | grep ^SLURM_MEM' | sort -u`},
	{"no time, no files, and what srun is told", `SBATCH -o out job.sh; SBATCH -t 1 -o none --hint=multithread --open-mode=append job.sh; SBATCH -t 1 --hint=nomultithread --ntasks-per-core=1 --export=ALL,X="'a,b'" -Q -o c job.sh`, `{ echo "$X"; env | grep -E '^SLURM_(HINT|NTASKS_PER_CORE|THREADS_PER_CORE|OPEN_MODE)=' | sort; } | tee "said.$SLURM_HINT.$SLURM_NTASKS_PER_CORE"`},
	{"what a mistake ends with", `SBATCH --bogus; echo $? >codes; printf '#!/bin/sh\n#SBATCH --mem\n' >m; SBATCH -t 1 m; echo $? >>codes; SBATCH -t 5m --wrap true; echo $? >>codes; SBATCH -t 1 --mem=5 --mem-per-cpu=5 --wrap true; echo $? >>codes; SBATCH -t 1 -; echo $? >>codes; SBATCH -t 1 --wrap true more; echo $? >>codes; SBATCH -Q --parsable -t 1 -o /dev/null --wrap true >said`, ``},
	{"lines of options", `SBATCH -t 1 job.sh`, "#SBATCH--nodes=1 -J a#b -n 3\n#SBATCH -o 'o\\'u\\t' # said\n#\n##SBATCH -n 4\n\n  #SBATCH -n 5\n#SBATCH --export=\"ALL,X=1 2\"\necho \"$SLURM_JOB_NAME $SLURM_NTASKS $X\"\n#SBATCH -n 2"},
	{"an environment of its user's", `export HOSTNAME=login1 ML=$'a\nb' ENVIRONMENT=mine SLURMD_NODENAME=x KRB5CCNAME=FILE:/tmp/x; f() { echo "called with $1"; }; export -f f; env 'a.b=c d' 'e-f=' bash -c "$(declare -f SBATCH); SBATCH -t 1 -o out job.sh"; env -u HOME -u LOGNAME -u USER -u SHELL bash -c "$(declare -f SBATCH); SBATCH -t 1 -o bare job.sh"; cp -r "${SLURM_CONF%/*}" /tmp/conf.$$; SLURM_CONF=/tmp/conf.$$/slurm.conf SBATCH -t 1 -o conf job.sh; rm -r /tmp/conf.$$; export LATIN=$'caf\xe9'; sed 's/LATIN/\xe9t\xe9/' job.sh >latin; SBATCH -t 1 -o latin.out latin $'arg\xfc'`, `[ -f "$SLURM_CONF" ] || echo no "$SLURM_CONF"; echo LATIN "$1"; f 1; srun bash -c 'f 2; echo "$ML"'; env | grep -vE '^(SLURM_|LIBRA_|PWD=|SHLVL=|_=)' | sed 's/^HOSTNAME=lt.*/HOSTNAME=NODE/; s/^SLURMD_NODENAME=lt.*/SLURMD_NODENAME=NODE/' | sort`},
	{"through a link", `mkdir real; ln -s real link; cd link; SBATCH -t 1 -o out ../job.sh; rm ../link`, `echo "$SLURM_SUBMIT_DIR"; cd ..; pwd -P; umask`},
	{"elements that others follow", `id=$(SBATCH --parsable -t 1 -a 1-2 -o /dev/null --wrap '[ $SLURM_ARRAY_TASK_ID = 1 ]'); SBATCH -t 1 -d afterok:${id}_1 -o good job.sh; SBATCH -t 1 -d afternotok:${id}_2,after:${id}_1 -o bad job.sh; SBATCH -t 1 -d "" -o free job.sh`, `echo "${SLURM_JOB_DEPENDENCY-none}" | tr -d 0-9`},
	{"one hands in the next", `export -f SBATCH; SBATCH -t 1 -c 2 --export=ALL,LIBRA_TOKEN -o out.1 job.sh; : job.sh`, `echo "${1-first} $SLURM_JOB_CPUS_PER_NODE $SLURM_JOB_NAME $SLURM_TRES_PER_TASK" | sed 's/cpu=1//'; srun -n 1 echo step 2>/dev/null; [ -n "$1" ] || SBATCH -t 1 -J next -d afterok:$SLURM_JOB_ID -o out.2 job.sh second >/dev/null 2>&1`},
	{"what srun reads", `SLURM_HINT=nomultithread SBATCH -t 1 -N 1 -n 2 -m plane=1 -o a job.sh; SBATCH -t 1 -n 2 -m Block:Cyclic,NoPack -o b job.sh; SBATCH -t 1 --hint=x --wrap true; echo $? >codes; SBATCH -t 1 --ntasks-per-core=0 --wrap true; echo $? >>codes`, `env | grep -E '^SLURM_(DIST.*|HINT|THREADS_PER_CORE)=' | sort; srun sh -c 'echo $SLURM_PROCID' | sort`},
	{"several programs", `printf '0 echo first\n1-2 sh -c "echo $SLURM_PROCID"\n' >multi; SBATCH -t 1 -N 1 -n 3 -o out job.sh`, `srun --multi-prog multi 2>/dev/null | sort; for i in 1 2 3; do srun --exact -n 1 --mem=20 sh -c "exit $i" 2>/dev/null & pids[i]=$!; done; for i in 1 2 3; do wait ${pids[i]}; echo $?; done; srun -K -n 3 sh -c '[ $SLURM_PROCID != 1 ] || exit 4' 2>/dev/null; echo $?; srun -n 1 no-such 2>/dev/null; echo $?`},
	{"other languages", `printf '#!/usr/bin/env python3\n#SBATCH -J py -t 1 -o py.out\nimport os, sys\nprint(sys.argv[1:], os.environ["SLURM_JOB_NAME"], sys.stdin.read(), os.nice(0), os.getsid(0) == os.getpid())\nopen("done." + os.environ["SLURM_JOB_ID"], "w")\n' >py; SBATCH py 'a b' ''; printf '#!/usr/bin/perl\n#SBATCH -t 1 -o perl.out\nprint "$0: @ARGV\\n" =~ s,.*/,,r, <DATA>; open(F, ">done.$ENV{SLURM_JOB_ID}");\n__DATA__\nsaid\n' >pl; SBATCH pl x; SBATCH -t 1 -o here <<<$'#!/bin/bash -eu\necho $-; >done.$SLURM_JOB_ID; false; echo no'; : job.sh job.sh job.sh`, `true`},
	{"an exit code", `SBATCH -W -t 1 -o out --wrap 'exit 7'; echo $? >code; SBATCH -W -t 1 -o /dev/null --wrap 'kill -9 $$'; echo $? >>code`, ``},
}

// ofElements says what an element of an array is told of its size, and what its steps are.
const ofElements = `env | grep -E '^SLURM_(ARRAY_TASK_.*|CPUS.*|JOB_CPUS_PER_NODE|NPROCS|NTASKS.*|TASKS_PER_NODE|MEM_PER.*|PROCID|LOCALID|NNODES|JOB_NUM_NODES|TRES_PER_TASK|DISTRIBUTION|HOSTFILE|OVERLAP)=' | sort; srun sh -c 'echo "$SLURM_PROCID of $SLURM_NTASKS, $SLURM_CPUS_PER_TASK, $SLURM_DISTRIBUTION$SLURM_HOSTFILE$SLURM_OVERLAP"' 2>/dev/null | sort`

// programs are how many a shell hands in: each element of an array is one.
func programs(shell string) int {
	return strings.Count(shell, "job.sh") + strings.Count(shell, "-a 1-3:2") + strings.Count(shell, "-a 3-5:2")
}

func scriptsOfPeople(t *testing.T, b *bazaar) {
	t.Helper()
	env := append(os.Environ(), append(b.slurm.Env(), "LIBRA_SERVER="+b.url, "LIBRA_TOKEN="+strings.TrimSpace(text(t, b.at("owner.token"))))...)
	done := func(by string, i int) {
		t.Helper()
		until(t, people[i].name+", "+by, func() bool {
			ended, _ := filepath.Glob(filepath.Join(b.dir, by, fmt.Sprint(i), "done.*"))
			return len(ended) >= programs(people[i].shell) || people[i].script == ""
		})
	}
	const ahead = 4 // on a busy machine all of them together would be more than the node has memory for
	ways := []struct{ by, command string }{{"plain", "sbatch -p " + slurmtest.PlainPartition}, {"sold", binary() + " sbatch --deadline=now+2hours"}}
	for _, way := range ways { // one after the other: what plain jobs take of the node keeps sold ones waiting
		by := way.by
		for i, p := range people {
			if i >= ahead {
				done(by, i-ahead)
			}
			dir := filepath.Join(b.dir, by, fmt.Sprint(i))
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "job.sh"), []byte("#!/bin/bash\n"+p.script+"\n>done.$SLURM_JOB_ID.$SLURM_ARRAY_TASK_ID\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "bash", "-c", "SBATCH() { "+way.command+" \"$@\"; }\n"+p.shell)
			cmd.Dir, cmd.Env = dir, env
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s, %s: %v: %s", p.name, by, err, out)
			}
		}
		for i := range people {
			done(by, i)
		}
	}
	for i, p := range people {
		var want string
		for _, way := range ways {
			got := filesOf(t, filepath.Join(b.dir, way.by, fmt.Sprint(i)))
			if way.by == "plain" {
				want = got
			} else if got != want {
				t.Errorf("%s, through the market: %s\nin all %s", p.name, difference(want, got), got)
			}
		}
	}
}

// filesOf is what is in a directory: the names of its files and what is in them.
func filesOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), "done.") {
			return err
		}
		fmt.Fprintf(&b, "%s:\n%s\n", strings.TrimPrefix(path, dir), text(t, path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), dir, "DIR")
}

// apart leaves out what newer versions of Slurm tell that is not the same for two jobs.
func apart(text string) string {
	return regexp.MustCompile(`(?m)^SLURM_(JOB_START_TIME|JOB_END_TIME)=.*\n`).ReplaceAllString(text, "")
}

// difference are the lines that only one of two texts has.
func difference(want, got string) string {
	var b strings.Builder
	for sign, pair := range map[string][2]string{"- ": {want, got}, "+ ": {got, want}} {
		for line := range strings.Lines(pair[0]) {
			if !strings.Contains(pair[1], line) {
				b.WriteString("\n" + sign + strings.TrimSpace(line))
			}
		}
	}
	return b.String()
}
