package system_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// savesItself is a script that sleeps until it is told to go back into the queue: by the signal that
// --signal asks for, or by a file. It runs three times.
const savesItself = `#!/bin/sh
#SBATCH --requeue -t 1 -J saves -o saves.out --open-mode=append --signal=B:USR1@100
back() { echo "saved ${SLURM_RESTART_COUNT:-0}"; scontrol requeue "$SLURM_JOB_ID"; sleep 300; }
trap back USR1
echo "run ${SLURM_RESTART_COUNT:-0}"
[ "${SLURM_RESTART_COUNT:-0}" = 2 ] && exit 0
echo >"begun${SLURM_RESTART_COUNT:-0}"
until [ -e "go${SLURM_RESTART_COUNT:-0}" ]; do sleep 0.2; done
back
`

// Who puts a job back pays for all that ran of it, once: whenever the market is killed meanwhile, also
// where it is cancelled before it begins again, and whatever else its user says to Slurm.
func ownersPutBackAtTheirCost(t *testing.T) {
	books := keepsBooks()
	site := newSite(t, slurmtest.Options{Nodes: 1, CPUs: 2, Door: true, Accounting: books}, terms{}, 0.9)
	b := logIn(site, 100_000)
	script := filepath.Join(b.dir, "job.sh")
	if err := os.WriteFile(script, []byte(savesItself), 0o644); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(b.dir, name) }
	forget := func() {
		for _, name := range []string{"begun0", "begun1", "go0", "go1", "saves.out"} {
			_ = os.Remove(at(name))
		}
	}
	tell := func(name string) {
		t.Helper()
		if err := os.WriteFile(at(name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	there := func(name string) bool { _, err := os.Stat(at(name)); return err == nil }
	handIn := func() (string, v1.Job) {
		t.Helper()
		forget()
		number := b.command("libra", "sbatch", "--parsable", "--deadline=now+30minutes", script)
		until(t, "its first run", func() bool { return there("begun0") })
		return number, b.of(number)
	}
	waits := func(number string) bool {
		return !strings.HasPrefix(b.command("squeue", "-h", "-a", "-t", "all", "-j", number, "-o", "%T"), "RUNNING")
	}

	// The market is killed at moments that do not suit it.
	var number string
	for k := range 3 {
		var last v1.Job
		number, last = handIn()
		ids := []int64{last.ID}
		for run := range 2 {
			until(t, "a run", func() bool { return there(fmt.Sprint("begun", run)) })
			tell(fmt.Sprint("go", run))
			until(t, "it to be back", func() bool { return waits(number) })
			if run == 0 {
				time.Sleep(time.Duration(k) * 700 * time.Millisecond)
			} else { // between its end and what comes then
				until(t, "its end", func() bool { return k == 0 || b.job(last.ID).State.Final() })
			}
			site.serve.kill()
			site.open()
			last = b.next(number, last.ID)
			ids = append(ids, last.ID)
		}
		if j := b.completed(last.ID); j.Batch != number {
			t.Errorf("the last is %s", j.Batch)
		}
		for _, id := range ids[:2] {
			b.paid(id, number)
		}
		if said := text(t, at("saves.out")); strings.Count(said, "run ") != 3 || !strings.Contains(said, "run 0\n") || !strings.Contains(said, "run 1\n") || !strings.Contains(said, "run 2\n") {
			t.Errorf("its runs say\n%s", said)
		}
	}

	// By a signal before its limit.
	number, first := handIn()
	if out, err := b.slurm.Run(t.Context(), "scontrol", "update", "jobid="+number, "timelimit=2"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	second := b.next(number, first.ID)
	b.paid(first.ID, number)
	if said := text(t, at("saves.out")); !strings.Contains(said, "saved 0") {
		t.Errorf("it says\n%s", said)
	}

	// What its user may not do to it, running or waiting.
	refused := func(argv ...string) {
		t.Helper()
		if out, err := b.slurm.RunAs(t.Context(), alice, argv[0], argv[1:]...); err == nil {
			t.Errorf("%v is not refused: %s", argv, out)
		}
	}
	does := func(argv ...string) {
		t.Helper()
		if out, err := b.slurm.RunAs(t.Context(), alice, argv[0], argv[1:]...); err != nil {
			t.Fatalf("%v: %v: %s", argv, err, out)
		}
	}
	until(t, "the second run", func() bool { return there("begun1") })
	for _, words := range [][]string{{"update", "jobid=" + number, "timelimit=20:00:00"}, {"update", "jobid=" + number, "numcpus=2"}, {"update", "jobid=" + number, "requeue=0"}, {"update", "jobid=" + number, "admincomment=libra: start 2 "}, {"suspend", number}} {
		refused(append([]string{"scontrol"}, words...)...)
	}
	does("scontrol", "requeuehold", "State=SpecialExit", number)
	third := b.next(number, second.ID)
	if third.State != v1.Held {
		t.Errorf("the third is %s: %s", third.State, third.Detail)
	}
	b.paid(second.ID, number)
	refused("scontrol", "release", number)
	refused("scontrol", "requeue", number)
	refused("scontrol", "update", "jobid="+number, "priority=100")
	b.command("libra", "cancel", "slurm:"+number)
	if j := b.ended(third.ID); j.State != v1.Cancelled || j.Charged != 0 {
		t.Errorf("the third, which never began, is %s, charged %d", j.State, j.Charged)
	}

	// Put back and cancelled, at once and a little later; it sleeps, so that it used next to nothing.
	for k := range 4 {
		number, first = handIn()
		does("scontrol", "requeue", number)
		time.Sleep(time.Duration(k) * 600 * time.Millisecond)
		does("scancel", number)
		b.paid(first.ID, number)
		until(t, "Slurm to have ended it", func() bool {
			return strings.HasPrefix(b.command("squeue", "-h", "-a", "-t", "all", "-j", number, "-o", "%T"), "CANCELLED")
		})
		time.Sleep(3 * time.Second) // what comes after it would be there
		if j := b.of(number); j.ID != first.ID && (j.State != v1.Cancelled || j.Charged != 0 && !there("begun1")) {
			t.Errorf("slurm:%s is job %d, %s, charged %d", number, j.ID, j.State, j.Charged)
		}
	}
	until(t, "Slurm to have ended all", func() bool { return b.command("squeue", "-h", "-a", "-o", "%i %T") == "" })
	if books {
		until(t, "sacct to say so", func() bool {
			return strings.HasPrefix(b.command("sacct", "-n", "-X", "-P", "-j", number, "-o", "State"), "CANCELLED")
		})
	}
	b.statement()
	b.verify()
}

// of is the newest of the market's jobs under a number of Slurm's.
func (b *login) of(number string) (j v1.Job) {
	b.t.Helper()
	if err := json.Unmarshal([]byte(b.command("libra", "job", "--json", "slurm:"+number)), &j); err != nil {
		b.t.Fatal(err)
	}
	return j
}

// next is the one that comes after another.
func (b *login) next(number string, after int64) (j v1.Job) {
	b.t.Helper()
	until(b.t, "the job that comes after "+fmt.Sprint(after), func() bool { j = b.of(number); return j.ID != after })
	return j
}

// paid holds a job that has begun, and was put back, to what it owes: here, all that was agreed.
func (b *login) paid(id int64, number string) {
	b.t.Helper()
	if j := b.ended(id); j.State != v1.Cancelled || j.Charged != j.Price || j.Price == 0 || j.Penalty != 0 || j.Batch != number {
		b.t.Errorf("job %d, which ran as %s, is %s as %s, agreed on %d, charged %d, penalty %d: %s", id, number, j.State, j.Batch, j.Price, j.Charged, j.Penalty, j.Detail)
	}
}

// keepsBooks reports whether Slurm can have accounts here.
func keepsBooks() bool {
	for _, program := range []string{"slurmdbd", "mariadbd", "mariadb-install-db"} {
		if _, err := exec.LookPath(program); err != nil {
			return false
		}
	}
	return os.Getenv("LIBRA_SLURM_ROOT") == "" // which may have none of its own
}

// statement holds what has gone off alice's account to what her jobs say, each once.
func (b *login) statement() {
	b.t.Helper()
	s, err := b.owner.Statement(b.t.Context(), client.Period{Account: "people/" + alice, FromUS: 1, ToUS: time.Now().Add(time.Hour).UnixMicro()})
	if err != nil {
		b.t.Fatal(err)
	}
	gone := map[int64]int64{}
	for _, l := range s.Lines {
		if l.Job != v1.NoJob {
			gone[l.Job] -= l.Amount
		}
	}
	for id, amount := range gone {
		if j := b.job(id); amount != j.Charged-j.Penalty {
			b.t.Errorf("job %d: the statement says %d, the job %d", id, amount, j.Charged-j.Penalty)
		}
	}
	if s.Held != 0 || len(gone) < 10 {
		b.t.Errorf("held is %d, and %d jobs are in the statement", s.Held, len(gone))
	}
}
