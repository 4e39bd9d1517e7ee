package system_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// goesBack is a script that saves how far it was and puts itself back into the queue, when it is told
// to, until it has run three times.
const goesBack = `#!/bin/sh
#SBATCH --requeue -t 1 -J steps -o steps.out --open-mode=append
echo "run ${SLURM_RESTART_COUNT:-0} of $SLURM_JOB_ID, $LIBRA_JOB_ID"
done=$(cat done 2>/dev/null)
echo "${done}x" >done
[ "${#done}" = 2 ] && exit 0
until [ -e "go${#done}" ]; do sleep 0.2; done
scontrol requeue "$SLURM_JOB_ID"
sleep 300
`

// A script that was handed in with --requeue puts itself back. Each time it has ended for the market,
// as its user wants, and is paid for what it used; what begins again has a price and a promise of its
// own, and the number in Slurm that it had. So it is where the market is killed meanwhile. What the
// market does not take any more ends, and says why; a job without --requeue stays where it is.
func ownersPutBack(t *testing.T) {
	site := newSite(t, slurmtest.Options{Nodes: 1, CPUs: 2, Door: true}, terms{}, 0.9)
	b := logIn(site, 10_000)
	script := filepath.Join(b.dir, "job.sh")
	if err := os.WriteFile(script, []byte(goesBack), 0o644); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(b.dir, name) }
	of := func(number string) (j v1.Job) {
		t.Helper()
		if err := json.Unmarshal([]byte(b.command("libra", "job", "--json", "slurm:"+number)), &j); err != nil {
			t.Fatal(err)
		}
		return j
	}
	next := func(number string, after int64) v1.Job {
		t.Helper()
		var j v1.Job
		until(t, "the job that comes after "+fmt.Sprint(after), func() bool { j = of(number); return j.ID != after })
		return j
	}
	tell := func(name string) {
		t.Helper()
		if err := os.WriteFile(at(name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	number := b.command("libra", "sbatch", "--parsable", "--deadline=now+30minutes", script)
	first := of(number)
	until(t, "the first run", func() bool { return text(t, at("done")) == "x\n" })
	tell("go0")
	second := next(number, first.ID)
	until(t, "the second run", func() bool { return text(t, at("done")) == "xx\n" })
	site.serve.kill()
	tell("go1")
	until(t, "Slurm to have put it back", func() bool {
		return strings.HasPrefix(b.command("squeue", "-h", "-j", number, "-o", "%T"), "PENDING")
	})
	site.open()
	third := next(number, second.ID)
	if last := b.completed(third.ID); last.Batch != number || last.Attempt != 0 || last.DueUS/1_000_000 < first.DueUS/1_000_000-1 || last.DueUS/1_000_000 > first.DueUS/1_000_000+1 {
		t.Errorf("the last is %s, attempt %d, due at %d; the first was due at %d", last.Batch, last.Attempt, last.DueUS, first.DueUS)
	}
	for _, id := range []int64{first.ID, second.ID} {
		j := b.ended(id)
		used := j.Tasks[0].CPUUS + j.Tasks[0].DeclinedUS
		if j.State != v1.Cancelled || j.Batch != number || j.Charged <= 0 || j.Charged > j.Price || j.Penalty != 0 || used <= 0 || !strings.Contains(j.Tasks[0].Error, "put back into the queue") {
			t.Errorf("job %d, which was put back, is %s as %s, charged %d of %d, penalty %d, and used %d us: %s", id, j.State, j.Batch, j.Charged, j.Price, j.Penalty, used, j.Tasks[0].Error)
		}
	}
	want := fmt.Sprintf("run 0 of %[1]s, %[2]d\nrun 1 of %[1]s, slurm:%[1]s\nrun 2 of %[1]s, slurm:%[1]s\n", number, first.ID)
	var runs strings.Builder
	for line := range strings.Lines(text(t, at("steps.out"))) {
		if strings.HasPrefix(line, "run ") {
			runs.WriteString(line)
		}
	}
	if runs.String() != want {
		t.Errorf("its runs say\n%s, want\n%s", &runs, want)
	}

	// No node takes it any more.
	for _, name := range []string{"done", "go0", "go1"} {
		_ = os.Remove(at(name)) // that it is there is seen by what it does
	}
	number = b.command("libra", "sbatch", "--parsable", "--deadline=now+30minutes", script)
	first = of(number)
	until(t, "its run", func() bool { return text(t, at("done")) == "x\n" })
	node := site.slurm.Nodes[0]
	b.command("scontrol", "update", "nodename="+node, "state=drain", "reason=test")
	until(t, "the market to know", func() bool {
		return strings.Contains(b.command("libra", "nodes"), "takes no new jobs")
	})
	tell("go0")
	if j := next(number, first.ID); j.State != v1.Rejected || j.Detail == "" {
		t.Errorf("slurm:%s is job %d now, %s: %s", number, j.ID, j.State, j.Detail)
	}
	until(t, "it to be cancelled in Slurm", func() bool {
		return strings.HasPrefix(b.command("squeue", "-h", "-t", "all", "-j", number, "-O", "state:12,admin_comment:40"), "CANCELLED   libra: put back, and refused: ")
	})
	if j := b.ended(first.ID); j.State != v1.Cancelled || j.Charged <= 0 {
		t.Errorf("job %d is %s, charged %d", first.ID, j.State, j.Charged)
	}
	b.command("scontrol", "update", "nodename="+node, "state=resume")
	until(t, "the market to know", func() bool {
		return !strings.Contains(b.command("libra", "nodes"), "takes no new jobs")
	})

	// One that did not ask for it.
	for _, name := range []string{"done", "go0"} {
		_ = os.Remove(at(name))
	}
	number = b.command("libra", "sbatch", "--parsable", "--no-requeue", "--deadline=now+30minutes", script)
	tell("go0")
	until(t, "Slurm to say no", func() bool {
		return strings.Contains(text(t, at("steps.out")), "Requested operation is presently disabled for job "+number)
	})
	b.command("scancel", number)
	if j := b.ended(of(number).ID); j.State != v1.Cancelled {
		t.Errorf("it is %s", j.State)
	}
	b.verify()
}
