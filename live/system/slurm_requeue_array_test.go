package system_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// comesAgain is what each element does: the first time it runs it puts itself back, when it is told to.
const comesAgain = `#!/bin/sh
#SBATCH --requeue -t 1 -J again -o again-%a.out --open-mode=append
echo "run ${SLURM_RESTART_COUNT:-0} as $SLURM_JOB_ID of $LIBRA_JOB_ID"
n=${SLURM_RESTART_COUNT:-0}
[ "$n" != 0 ] || echo >"began-$SLURM_ARRAY_TASK_ID"
until [ -e "go$n-$SLURM_ARRAY_TASK_ID" ]; do sleep 0.2; done
[ "$n" != 0 ] || { scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"; sleep 300; }
[ "$SLURM_ARRAY_TASK_ID" != 2 ] || exit 7
`

// Elements of an array put themselves back, and one its user from outside. They have their turn again in
// the array that was bought, under their numbers; it ends when all have, is one job, and is paid for
// once. So it is where the market is killed meanwhile. What has ended is not begun again.
func elementsPutBack(t *testing.T) {
	site := newSite(t, slurmtest.Options{Nodes: 1, CPUs: 2, Door: true}, terms{}, 0.9)
	b := logIn(site, 100_000)
	script := filepath.Join(b.dir, "job.sh")
	if err := os.WriteFile(script, []byte(comesAgain), 0o644); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(b.dir, name) }
	tell := func(names ...string) {
		t.Helper()
		for _, name := range names {
			if err := os.WriteFile(at(name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	there := func(name string) bool { _, err := os.Stat(at(name)); return err == nil }
	runs := func(e, n int) bool {
		said, _ := os.ReadFile(at(fmt.Sprintf("again-%d.out", e)))
		return strings.Contains(string(said), fmt.Sprintf("run %d as ", n))
	}

	number := b.command("libra", "sbatch", "--parsable", "-a", "1-4%2", "--deadline=now+30minutes", script)
	job := b.of(number)
	until(t, "two run", func() bool { return there("began-1") && there("began-2") })
	tell("go0-1")
	until(t, "the first to run again", func() bool { return runs(1, 1) })
	if there("began-3") {
		t.Error("who is behind it has begun")
	}
	site.serve.kill()
	tell("go0-2", "go1-1") // nobody lets the second begin again; the third follows the first
	until(t, "the third, with nobody there", func() bool { return there("began-3") })
	until(t, "the second to be put back", func() bool {
		return strings.HasPrefix(b.command("squeue", "-h", "-j", number+"_2", "-o", "%T"), "PENDING")
	})
	site.open()
	until(t, "the second to run again", func() bool { return runs(2, 1) })
	tell("go1-2")
	until(t, "the fourth", func() bool { return there("began-4") })
	if out, err := b.slurm.RunAs(t.Context(), alice, "scontrol", "requeuehold", number+"_3"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tell("go0-4")
	until(t, "the third and the fourth to run again", func() bool { return runs(3, 1) && runs(4, 1) })
	tell("go1-3", "go1-4")
	end := b.ended(job.ID)
	how, used := map[int]string{}, int64(0)
	for _, rank := range end.Tasks {
		used += rank.CPUUS + rank.DeclinedUS
		for _, e := range rank.Elements {
			how[e.Index] = fmt.Sprint(e.Exit, e.Signal)
		}
	}
	if want := (map[int]string{1: "0", 2: "7", 3: "0", 4: "0"}); fmt.Sprint(how) != fmt.Sprint(want) || end.State != v1.Failed || end.Attempt != 0 || end.Batch != number || end.Charged <= 0 || used <= 0 {
		t.Errorf("it is %s, attempt %d of %s, charged %d, used %d us, elements %v, want %v: %s", end.State, end.Attempt, end.Batch, end.Charged, used, how, want, end.Detail)
	}
	for e := 1; e <= 4; e++ {
		var said []string
		for line := range strings.Lines(text(t, at(fmt.Sprintf("again-%d.out", e)))) {
			if words := strings.Fields(line); words[0] == "run" {
				said = append(said, words[1]+" "+words[5])
			}
		}
		if want := fmt.Sprintf("0 %[1]d,1 %[1]d", job.ID); strings.Join(said, ",") != want {
			t.Errorf("element %d ran as %s, want %s", e, strings.Join(said, ","), want)
		}
	}

	// What has ended is nobody's.
	until(t, "the market to have forgotten it", func() bool {
		out, err := b.slurm.RunAs(t.Context(), alice, "scontrol", "requeue", number+"_1")
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return true
	})
	until(t, "it to be cancelled", func() bool {
		return strings.HasPrefix(b.command("squeue", "-h", "-a", "-t", "all", "-j", number+"_1", "-o", "%T"), "CANCELLED")
	})
	if strings.Contains(text(t, at("again-1.out")), "run 2") || b.of(number).ID != job.ID {
		t.Errorf("what had ended is job %d, and ran again", b.of(number).ID)
	}
	b.elementsPutBackAndCancelled(t, script)
	b.verify()
}

// elementsPutBackAndCancelled has all elements put back, and cancels them before one begins again: what
// ran is paid for.
func (b *login) elementsPutBackAndCancelled(t *testing.T, script string) {
	for e := 1; e <= 2; e++ {
		_ = os.Remove(filepath.Join(b.dir, fmt.Sprintf("began-%d", e)))
		_ = os.Remove(filepath.Join(b.dir, fmt.Sprintf("go0-%d", e)))
	}
	number := b.command("libra", "sbatch", "--parsable", "-a", "1-2", "--deadline=now+30minutes", script)
	until(t, "both run", func() bool {
		_, one := os.Stat(filepath.Join(b.dir, "began-1"))
		_, two := os.Stat(filepath.Join(b.dir, "began-2"))
		return one == nil && two == nil
	})
	b.serve.kill()
	for _, argv := range [][]string{{"scontrol", "requeue", number}, {"scancel", number}} {
		if out, err := b.slurm.RunAs(t.Context(), alice, argv[0], argv[1:]...); err != nil {
			t.Fatalf("%v: %v: %s", argv, err, out)
		}
	}
	b.open()
	if j := b.ended(b.of(number).ID); j.State != v1.Cancelled || j.Charged <= 0 {
		t.Errorf("an array that was put back and cancelled is %s, charged %d: %s", j.State, j.Charged, j.Detail)
	}
}
