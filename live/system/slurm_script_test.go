package system_test

import (
	"fmt"
	"os"
	"os/exec"
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
		for plain, sold := range map[string]string{"3": "3", "5": "5", "4294967294": "%a"} {
			if array := strings.Contains(shape, "-a"); array == (sold == "%a") {
				continue
			}
			whole := func(name string) func() bool {
				return func() bool {
					out, err := os.ReadFile(b.at(name))
					return err == nil && strings.HasSuffix(string(out), "step\n")
				}
			}
			plain, sold = fmt.Sprintf("plain-%d-%s", i, plain), fmt.Sprintf("sold-%d-%s", i, sold)
			until(t, plain, whole(plain))
			until(t, sold, whole(sold))
			if want, got := apart(text(t, b.at(plain))), apart(text(t, b.at(sold))); got != want {
				t.Errorf("%q through the market: %s", shape, difference(want, got))
			}
		}
	}
	b.verify()
}

// apart leaves out what newer versions of Slurm tell that is not the same for two jobs, or
// is not told through the market (docs/slurm.md).
func apart(text string) string {
	return regexp.MustCompile(`(?m)^SLURM_(JOB_START_TIME|JOB_END_TIME|TRES_PER_TASK)=.*\n`).ReplaceAllString(text, "")
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
