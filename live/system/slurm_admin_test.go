package system_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// What root does to a job in Slurm: suspended it has no progress, and goes on when it is
// resumed; put back into the queue, held or not, it is begun again by the market, and
// never runs twice at a time. Its price stays what was promised.
func rootMeddles(t *testing.T) {
	b := newSite(t, slurmtest.Options{Nodes: 2}, terms{}, 0.9)
	b.user("root", 10_000)
	ctx := t.Context()
	control := func(words ...string) { // to the one job that runs
		t.Helper()
		number, err := b.slurm.Run(ctx, "squeue", "-h", "-t", "R,S", "-o", "%A")
		if err != nil || number == "" {
			t.Fatalf("no job runs: %v", err)
		}
		if out, err := b.slurm.Run(ctx, "scontrol", slices.Insert(words, min(len(words), 2), number)...); err != nil {
			t.Fatalf("scontrol %q: %v: %s", words, err, out)
		}
	}

	// A job that sleeps has what it was granted, and did not want it; one that is suspended
	// was granted nothing.
	began := time.Now()
	r := b.shell("echo >> "+b.at("begins")+"; "+untilTold, 5*time.Minute)
	r.DeadlineMS = 360_000
	id := submit(t, b.owner, r).ID
	until(t, "the job", func() bool { return text(t, b.at("begins")) == "\n" })
	control("suspend")
	state := "/sys/fs/cgroup/freezer/slurm_" + b.job(id).Places[0].Node + "/uid_*/job_*/step_batch/freezer.state"
	until(t, "Slurm to have suspended it", func() bool {
		found, _ := filepath.Glob(state)
		return len(found) == 1 && text(t, found[0]) == "FROZEN\n"
	})
	until(t, "it to be shown as suspended", func() bool { j := b.job(id); return j.Suspended && j.Shown() == "suspended" })
	from := time.Now()
	time.Sleep(25 * time.Second)
	suspended := time.Since(from)
	control("resume")
	until(t, "it to be shown as running", func() bool { return b.job(id).Shown() == "running" })
	said, err := b.slurm.Run(ctx, "squeue", "-h", "-t", "R", "-o", "%S")
	if at, bad := time.ParseInLocation("2006-01-02T15:04:05", said, time.Local); err != nil || bad != nil || b.job(id).BegunUS != at.UnixMicro() {
		t.Errorf("Slurm says that it began at %s, the market at %d: %v, %v", said, b.job(id).BegunUS, err, bad)
	}
	tell(t, b.dir)
	j := b.completed(id)
	most := time.Since(began) - suspended
	had := time.Duration(j.Tasks[0].CPUUS+j.Tasks[0].DeclinedUS) * time.Microsecond
	t.Logf("it had %s in %s", had, most)
	if had > most || j.Attempt != 0 || text(t, b.at("begins")) != "\n" || j.Charged != j.Price {
		t.Errorf("suspended and resumed it had %s in %s: attempt %d, agreed on %d, charged %d", had, most, j.Attempt, j.Price, j.Charged)
	}

	for _, word := range []string{"requeue", "requeuehold"} {
		file := b.at("beats-" + word)
		r := b.shell(beating(file, 20*time.Second), 30*time.Second) // Slurm lets two minutes pass before it begins it again
		r.DeadlineMS = 600_000
		id := submit(t, b.owner, r).ID
		until(t, "the first beats", func() bool { return len(lives(t, file)) > 0 })
		control("update", "job", "requeue=1") // it was handed in with none
		control(word)
		if j := b.completed(id); j.Attempt != 1 || j.Charged != j.Price {
			t.Errorf("%s: attempt %d, agreed on %d, charged %d", word, j.Attempt, j.Price, j.Charged)
		}
		oneAfterTheOther(t, file, fmt.Sprintf("%d.0.0", id), fmt.Sprintf("%d.0.1", id))
	}
	until(t, "Slurm to have put all away", func() bool {
		left, err := b.slurm.Run(ctx, "squeue", "-h", "-o", "%A %T")
		return err == nil && left == ""
	})
	b.verify()
}
