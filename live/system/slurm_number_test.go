package system_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// login is a directory on a host where somebody says commands of Slurm's and Libra's.
type login struct {
	*bazaar
	dir, token string
}

// logIn lets alice in, with so much to spend.
func logIn(site *bazaar, units int64) *login {
	site.t.Helper()
	site.user(alice, units)
	b := &login{bazaar: site}
	b.dir, _ = unixUser(site.t, alice, site.dir)
	token, err := b.owner.MakeToken(site.t.Context(), v1.TokenRequest{User: alice})
	if err != nil {
		site.t.Fatal(err)
	}
	b.token = token.Secret
	return b
}

// command is what a command writes to its standard output.
func (b *login) command(argv ...string) string {
	b.t.Helper()
	if argv[0] == "libra" {
		argv = append([]string{binary()}, argv[1:]...)
	}
	cmd := exec.CommandContext(b.t.Context(), argv[0], argv[1:]...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), append(b.slurm.Env(), "LIBRA_SERVER="+b.url, "LIBRA_TOKEN="+b.token)...)
	out, err := cmd.Output()
	if err != nil {
		var said []byte
		if exit, is := err.(*exec.ExitError); is { //nolint:errorlint // it is the command's own
			said = exit.Stderr
		}
		b.t.Fatalf("%v: %v: %s%s", argv, err, out, said)
	}
	return strings.TrimSpace(string(out))
}

// The number that sbatch prints is Slurm's: squeue, scancel, the file that the job writes
// and the market mean the same job by it, while it runs and when it has ended.
func oneNumber(t *testing.T) {
	site := newSite(t, slurmtest.Options{Nodes: 1, CPUs: 2}, terms{}, 0.9)
	b := logIn(site, 10_000)
	script := filepath.Join(b.dir, "job.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n#SBATCH -t 1 -J numbered\necho \"I am $SLURM_JOB_ID, which is $LIBRA_JOB_ID\"\nexec sleep 60\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	plain := b.command("sbatch", "-p", slurmtest.PlainPartition, "--parsable", script, "an argument") // Slurm counts further than the market
	number, is := strings.CutPrefix(b.command("libra", "sbatch", "--deadline=now+30minutes", script, "an argument"), "Submitted batch job ")
	if !is || strings.Trim(number, "0123456789") != "" {
		t.Fatalf("it said %q: %s", number, b.command("libra", "job", "last"))
	}
	of := func(name string) (j v1.Job) {
		t.Helper()
		if err := json.Unmarshal([]byte(b.command("libra", "job", "--json", name)), &j); err != nil {
			t.Fatal(err)
		}
		return j
	}
	job := of("slurm:" + number)
	if fmt.Sprint(job.ID) == number || job.Batch != number || job.Name != "numbered" {
		t.Fatalf("slurm:%s is job %d, %s, %s", number, job.ID, job.Batch, job.Name)
	}
	if got := b.command("squeue", "-h", "-j", number, "-o", "%A %j"); got != number+" numbered" {
		t.Errorf("squeue -j %s: %s", number, got)
	}
	shown := func(number string) string {
		all := b.command("scontrol", "show", "job", number)
		if strings.Contains(b.command("sinfo", "--version"), "22.05") {
			all = strings.ReplaceAll(all, "Command=", "Command, which slurmrestd cannot be told: ")
		}
		return strings.ReplaceAll(strings.Join(regexp.MustCompile(`(?m)^ *(WorkDir|StdIn|StdOut|StdErr|Command)=.*$`).FindAllString(all, -1), "\n"), "slurm-"+number, "slurm-N")
	}
	if want, got := shown(plain), shown(number); got != want || !strings.Contains(want, "StdOut="+b.dir+"/slurm-N.out") {
		t.Errorf("scontrol show job says\n%s\nand of one by sbatch\n%s", got, want)
	}
	b.command("scancel", plain)
	wrote := fmt.Sprintf("I am %s, which is %d\n", number, job.ID)
	until(t, "what it writes", func() bool {
		out, _ := os.ReadFile(filepath.Join(b.dir, "slurm-"+number+".out"))
		return string(out) == wrote
	})
	if got := b.command("libra", "logs", "slurm:"+number); got+"\n" != wrote {
		t.Errorf("libra logs: %q", got)
	}
	waiting := b.numbersOfWhoWaits(job, of)
	b.command("scancel", number)
	if end := b.ended(job.ID); end.State != v1.Cancelled || end.Batch != number {
		t.Errorf("it ended %s, as %s: %s", end.State, end.Batch, end.Detail)
	}
	for number, id := range waiting { // for one that was cancelled
		if end := b.ended(id); end.State == v1.Completed || end.Charged != 0 {
			t.Errorf("slurm:%s, which waited for it, ended %s", number, end.State)
		}
		until(t, "it is gone from Slurm", func() bool { return b.command("squeue", "-h", "-a", "-u", alice, "-o", "%i") == "" })
	}
	if again := of("slurm:" + number); again.ID != job.ID {
		t.Errorf("slurm:%s is job %d now", number, again.ID)
	}
	if got := b.command("libra", "logs", "slurm:"+number); !strings.HasPrefix(got+"\n", wrote) {
		t.Errorf("libra logs of what has ended: %q", got)
	}
	b.verify()
}

// numbersOfWhoWaits hands in a chain of jobs behind another one: each has a number of Slurm's, by
// which the next one waits for it, squeue shows it and scancel cancels it. They are left to wait,
// by their numbers.
func (b *login) numbersOfWhoWaits(first v1.Job, of func(string) v1.Job) map[string]int64 {
	b.t.Helper()
	waiting := map[string]int64{}
	number, id := first.Batch, first.ID
	for range 3 {
		next := b.command("libra", "sbatch", "--parsable", "-t", "1", "-J", "next", "--deadline=now+30minutes", "--dependency=afterok:"+number, "--wrap", "true")
		if next == "" || strings.Trim(next, "0123456789") != "" {
			b.t.Fatalf("one that waits for %s is %q", number, next)
		}
		j := of("slurm:" + next)
		if after := j.Request.After; j.State != v1.Held || j.Batch != next || len(after) != 1 || after[0] != id {
			b.t.Errorf("slurm:%s is job %d, %s, %s, and waits for %v", next, j.ID, j.State, j.Batch, after)
		}
		if got := b.command("squeue", "-h", "-j", next, "-o", "%i %j %T"); got != next+" next PENDING" {
			b.t.Errorf("squeue -j %s: %s", next, got)
		}
		number, id = next, j.ID
		waiting[number] = id
	}
	b.command("scancel", number)
	if end := b.ended(id); end.State != v1.Cancelled {
		b.t.Errorf("scancel %s: job %d is %s", number, id, end.State)
	}
	delete(waiting, number)
	return waiting
}
