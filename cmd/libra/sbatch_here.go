package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/directive"
)

// What a job gets of where it is handed in, beside the environment, as by sbatch: options in
// variables, the umask and the limits of its user's shell, and a script that is on the path.

// fromEnviron puts what is in SBATCH_ variables before the options of a command line.
func (o *sbatchCommand) fromEnviron(line *directive.Command) {
	var options []string
	for _, option := range directive.FromEnviron(os.Environ()) {
		if option == "--wait" {
			o.wait = true
			continue
		}
		options = append(options, option)
	}
	line.Options = append(options, line.Options...)
}

// tell says what was taken to mean less than it says; of what is so where agents run the jobs,
// nothing where Slurm does.
func (o *sbatchCommand) tell(con *console, batch bool) {
	for _, n := range o.notes {
		if !o.quiet && (!n.Agents || !batch && !o.holds) {
			con.warn("%s", n)
		}
	}
	o.notes = nil
}

// fillTime estimates how long a job runs that says nothing of it: as long as it did before, or as
// the market takes such a job to run in its partition (0: it takes none).
func (o *sbatchCommand) fillTime(ctx context.Context, con *console, market *client.Client, r *v1.Request, prices *v1.Prices) error {
	quiet := *con
	if o.quiet {
		quiet.err = io.Discard
	}
	if fillEstimate(ctx, &quiet, market, r, "-t"); r.EstimateMS > 0 {
		return nil
	}
	usual, own := prices.UsualIn[r.Partition]
	if !own {
		usual = prices.UsualMS
	}
	if usual <= 0 {
		return usagef("-t is missing: how long it runs with a processor to itself, as in: libra sbatch -t 10 job.sh (or in the script: #SBATCH -t 10)")
	}
	if r.EstimateMS = usual; !o.quiet {
		con.warn("it does not say how long it runs, and is taken to need %s; -t says another", lastingMS(usual))
	}
	return nil
}

// rlimits are limits of a process by their names, as Slurm has them.
var rlimits = map[string]int{
	"AS": unix.RLIMIT_AS, "CORE": unix.RLIMIT_CORE, "CPU": unix.RLIMIT_CPU, "DATA": unix.RLIMIT_DATA, "FSIZE": unix.RLIMIT_FSIZE,
	"MEMLOCK": unix.RLIMIT_MEMLOCK, "NOFILE": unix.RLIMIT_NOFILE, "NPROC": unix.RLIMIT_NPROC, "RSS": unix.RLIMIT_RSS, "STACK": unix.RLIMIT_STACK,
}

// propagate sends the umask and the soft limits of this process along.
func propagate(head *directive.Head) {
	if mask := umask(); mask != "" {
		head.Request.Env = append(head.Request.Env, task.Umask+"="+mask)
	}
	for _, name := range task.LimitNames {
		var limit unix.Rlimit
		if unix.Getrlimit(rlimits[name], &limit) != nil {
			continue
		}
		if name == "NOFILE" {
			limit.Cur = openFiles(limit.Cur)
		}
		head.Limit(name, limit.Cur)
	}
}

// umask is that of this process: asked of the system, since who asks the process itself has to
// set another.
func umask() string {
	about, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(about), "\nUmask:\t")
	mask, _, _ := strings.Cut(rest, "\n")
	return mask
}

// openFiles is how many files a program that this process starts may have open: Go has raised
// that for itself, and for nobody else.
func openFiles(raised uint64) uint64 {
	said, err := exec.Command("/bin/sh", "-c", "ulimit -S -n").Output()
	if err != nil {
		return raised
	}
	if n, err := strconv.ParseUint(strings.TrimSpace(string(said)), 10, 64); err == nil {
		return n
	}
	return unix.RLIM_INFINITY
}

// asStarted is an environment in which a shell has started sbatch, and not this program: it says
// in "_" what it has started, and a script of a shell that does not say it anew is told of it.
func asStarted(environ []string) []string {
	path, err := exec.LookPath("sbatch")
	if err != nil {
		return environ
	}
	for i, setting := range environ {
		if strings.HasPrefix(setting, "_=") {
			environ[i] = "_=" + path
		}
	}
	return environ
}

// onPath is a script that is not here but in a directory where programs are looked for, as
// sbatch finds it.
func onPath(name string) string {
	if _, err := os.Stat(name); err == nil || name == "-" || strings.Contains(name, "/") {
		return name
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if about, err := os.Stat(path); err == nil && about.Mode().IsRegular() && about.Mode()&0o111 != 0 {
			return path
		}
	}
	return name
}

// asText has what Slurm is to hand a job as it is, and may be in any encoding, go along as text.
func asText(r *v1.Request) {
	r.Script = task.AsText(r.Script)
	for _, texts := range [][]string{r.Argv, r.Env} {
		for i := range texts {
			texts[i] = task.AsText(texts[i])
		}
	}
}
