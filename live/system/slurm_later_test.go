package system_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// A job that begins later, or when its user says so, is held in Slurm before, and runs there
// then like any other, under the number that it had; so is one that waits for the start of another,
// and an array, also one that waits element by element for another.
func jobsBeginLater(t *testing.T) {
	b := newSite(t, slurmtest.Options{Nodes: 1, CPUs: 4}, terms{}, 0.9)
	b.user("root", 100_000)
	run := func(argv ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
		cmd.Dir = b.dir
		cmd.Env = append(os.Environ(), append(b.slurm.Env(), "LIBRA_SERVER="+b.url, "LIBRA_TOKEN="+strings.TrimSpace(text(t, b.at("owner.token"))))...)
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v: %s%s", argv, err, out, &said)
		}
		return strings.TrimSpace(string(out))
	}
	numbers := map[int64]string{} // in Slurm
	number := func(script string, options ...string) int64 {
		t.Helper()
		printed := run(append(append([]string{binary(), "sbatch", "--parsable", "-t", "1", "--deadline=now+2hours"}, options...), "--wrap", script)...)
		var j v1.Job
		if err := json.Unmarshal([]byte(run(binary(), "job", "--json", "slurm:"+printed)), &j); err != nil || j.Batch != printed {
			t.Fatalf("%v: %q is printed, and that is %+v: %v", options, printed, j, err)
		}
		numbers[j.ID] = printed
		return j.ID
	}
	after := func(kind string, id int64) string {
		return "--dependency=" + kind + ":libra:" + strconv.FormatInt(id, 10)
	}
	held := number("until [ -e told ]; do sleep 0.2; done", "-H", "-o", "%x", "-J", "held") // it ends when who follows its start has run
	begins, told := number("date +%s", "--begin=now+15", "-o", "begins"), number("touch told", after("after", held))
	first := number("true", after("afterok", held), "--array=1-3")
	second := number("echo $SLURM_ARRAY_TASK_ID >>each", after("aftercorr", first), "--array=2,3,5%1")
	licencesAreKept(t, run, b)
	j := b.completed(begins)
	if started := wholeNumber(t, strings.TrimSpace(text(t, b.at("begins")))); started*1_000_000+999_999 < j.BeginUS {
		t.Errorf("it began at %d, and may at %d", started, j.BeginUS)
	}
	if j, err := b.owner.Job(t.Context(), held); err != nil || j.State != v1.Held || !j.OnHold {
		t.Errorf("%v: %+v", err, j)
	}
	if out := run("squeue", "-h", "-a", "-n", "held", "-o", "%i %T"); out != numbers[held]+" PENDING" {
		t.Errorf("in Slurm there is %s", out)
	}
	run(binary(), "release", "libra:"+strconv.FormatInt(held, 10))
	for _, id := range []int64{held, told, first, second} {
		if j, was := b.completed(id), numbers[id]; was != "" && j.Batch != was {
			t.Errorf("job %d ran as %s, and waited as %s", id, j.Batch, was)
		}
	}
	if j.Batch != numbers[begins] {
		t.Errorf("job %d ran as %s, and waited as %s", begins, j.Batch, numbers[begins])
	}
	if ran := text(t, b.at("each")); ran != "2\n3\n" { // the other array has no fifth
		t.Errorf("of the second array these have run: %q", ran)
	}
	b.verify()
}

// licencesAreKept hands in jobs for the two licences that there are.
func licencesAreKept(t *testing.T, run func(argv ...string) string, b *bazaar) {
	t.Helper()
	sbatch := func(options ...string) []string {
		return append([]string{binary(), "sbatch", "--parsable", "-t", "1", "--deadline=now+2hours", "-o", "/dev/null"}, options...)
	}
	fails := func(says string, argv ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
		cmd.Dir = b.dir
		cmd.Env = append(os.Environ(), append(b.slurm.Env(), "LIBRA_SERVER="+b.url, "LIBRA_TOKEN="+strings.TrimSpace(text(t, b.at("owner.token"))))...)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), says) {
			t.Errorf("%v: %v: %s", argv, err, out)
		}
	}
	refused := func(says string, options ...string) {
		t.Helper()
		fails(says, sbatch(options...)...)
	}
	job := func(printed string) int64 {
		t.Helper()
		if printed != "" && strings.Trim(printed, "0123456789") == "" {
			printed = "slurm:" + printed
		}
		var j v1.Job
		if err := json.Unmarshal([]byte(run(binary(), "job", "--json", printed)), &j); err != nil {
			t.Fatal(err)
		}
		return j.ID
	}
	holds := run(sbatch("-L", "fluent:2", "--wrap", "until [ -e given-back ]; do sleep 0.2; done")...)
	until(t, "Slurm counts its licences", func() bool { return strings.Contains(run("scontrol", "--oneliner", "show", "licenses"), "Used=2") })
	refused("0 are free", "-L", "fluent", "--wrap", "true")
	refused("Slurm has 2", "-L", "fluent:3", "--wrap", "true")
	refused("no licences called abaqus", "-L", "abaqus", "--wrap", "true")
	refused("Slurm has 2", "-H", "-L", "fluent:3", "--wrap", "true")
	// Those who wait have theirs when they begin, and stay on hold while there are none.
	follows := run(sbatch("-L", "fluent:2", "--dependency=afterany:libra:"+strconv.FormatInt(job(holds), 10), "--wrap", "true")...)
	vain := job(run(sbatch("-H", "-L", "fluent", "--wrap", "true")...))
	release := []string{binary(), "release", "libra:" + strconv.FormatInt(vain, 10)}
	fails("it stays on hold", release...)
	fails("0 are free", release...)
	if j, err := b.owner.Job(t.Context(), vain); err != nil || j.State != v1.Held || !j.OnHold {
		t.Errorf("%v: %s: %s", err, j.State, j.Detail)
	}
	run("touch", "given-back")
	b.completed(job(holds))
	b.completed(job(follows))
	run(release...)
	b.completed(vain)
	b.completed(job(run(sbatch("-L", "fluent:2", "--wrap", "true")...)))
	// Each element has its own: of four as many run at a time as there are licences.
	array := job(run(sbatch("-a", "1-4", "-L", "fluent", "--wrap", `echo "$SLURM_JOB_LICENSES" >told-$SLURM_ARRAY_TASK_ID; until [ -e all-at-once ]; do sleep 0.2; done`)...))
	until(t, "Slurm counts a licence for each of two elements", func() bool { return strings.Contains(run("scontrol", "--oneliner", "show", "licenses"), "Used=2") })
	until(t, "two elements run", func() bool { return strings.Count(run("ls"), "told-") == 2 })
	if j, err := b.owner.Job(t.Context(), array); err != nil || j.Request.Array.Limit != 2 {
		t.Errorf("%v: %+v", err, j.Request.Array)
	}
	run("touch", "all-at-once")
	b.completed(array)
	if told := text(t, b.at("told-4")); told != "\n" && told != "fluent\n" && told != "fluent:1\n" {
		t.Errorf("an element is told of the licences of others: %q", told)
	}
}

func wholeNumber(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
