package system_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// A job that begins later, or when its user says so, is not in Slurm before, and runs there
// then like any other.
func jobsBeginLater(t *testing.T) {
	b := newSite(t, slurmtest.Options{Nodes: 1}, terms{}, 0.9)
	b.user("root", 100_000)
	run := func(argv ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
		cmd.Dir = b.dir
		cmd.Env = append(os.Environ(), append(b.slurm.Env(), "LIBRA_SERVER="+b.url, "LIBRA_TOKEN="+strings.TrimSpace(text(t, b.at("owner.token"))))...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v: %s", argv, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	number := func(options ...string) int64 {
		t.Helper()
		printed := run(append(append([]string{binary(), "sbatch", "--parsable", "-t", "1", "--deadline=now+2hours"}, options...), "--wrap", "date +%s")...)
		id, is := strings.CutPrefix(printed, "libra:")
		if !is {
			t.Fatalf("%v: %q is printed", options, printed)
		}
		return wholeNumber(t, id)
	}
	held, begins := number("-H", "-o", "held", "-J", "held"), number("--begin=now+15", "-o", "begins")
	j := b.completed(begins)
	if started := wholeNumber(t, strings.TrimSpace(text(t, b.at("begins")))); started*1_000_000+999_999 < j.BeginUS {
		t.Errorf("it began at %d, and may at %d", started, j.BeginUS)
	}
	if j, err := b.owner.Job(t.Context(), held); err != nil || j.State != v1.Held || !j.OnHold {
		t.Errorf("%v: %+v", err, j)
	}
	if out := run("squeue", "-h", "-a", "-n", "held"); out != "" {
		t.Errorf("in Slurm there is %s", out)
	}
	run(binary(), "release", "libra:"+strconv.FormatInt(held, 10))
	b.completed(held)
	b.verify()
}

func wholeNumber(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
