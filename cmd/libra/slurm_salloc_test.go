package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// A terminal on processors that were bought: a command or a shell runs there as the user,
// its exit is the command's, and however it ends nothing stays held.
func TestSallocOnSlurm(t *testing.T) {
	slurmtest.Require(t)
	alice := slurmtest.User(t, slurmtest.Alice)
	cluster := slurmtest.Start(t, slurmtest.Options{Nodes: 2, Door: true})
	m := openSlurmMarket(t, cluster, "libra", "agents", alice)
	m.hire(t, 0.45)
	m.awaitNodes(t)
	program := filepath.Join(m.dir, "libra")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	token, err := m.makeToken(t.Context(), alice, v1.RoleUser, "a test")
	if err != nil {
		t.Fatal(err)
	}
	who, err := user.Lookup(alice)
	if err != nil {
		t.Fatal(err)
	}
	where := []string{"LIBRA_SERVER=" + m.url(), "LIBRA_TOKEN=" + token, "SHELL=/bin/sh", "HOME=" + m.dir}
	say := func(args ...string) (string, error) {
		return cluster.RunAs(t.Context(), alice, "env", append(append([]string{}, where...), args...)...)
	}
	last := func() v1.Job {
		t.Helper()
		var j v1.Job
		m.until(t, "the job to end", func() bool {
			jobs, err := m.market.Jobs(t.Context(), v1.JobQuery{Limit: 1})
			if err == nil && len(jobs) == 1 {
				j = jobs[0]
			}
			return j.ID != 0 && j.State.Final()
		})
		if j.Held != 0 || j.Charged <= 0 || j.Charged > j.Price {
			t.Errorf("job %d: %d held, %d charged of %d", j.ID, j.Held, j.Charged, j.Price)
		}
		return j
	}

	// 1. A command there, and its exit.
	out, err := say(program, "srun", "-t", "2", "sh", "-c", "echo I am $(id -un) in $SLURM_JOB_ID on $SLURMD_NODENAME; exit 7")
	j := last()
	if code := exitStatus(err); code != 7 || !strings.Contains(out, fmt.Sprintf("I am %s in %s on %s", alice, j.Tasks[0].Batch, j.Places[0].Node)) || !strings.Contains(out, "an hour") || !strings.Contains(out, "given back") {
		t.Errorf("exit %d: %s", code, out)
	}
	if held := time.Duration(j.EndedUS-j.StartedUS) * time.Microsecond; j.Charged > j.Price*6/10 {
		t.Errorf("%s were had, and %d of %d is charged for it", held, j.Charged, j.Price)
	}
	t.Log(out)

	// 2. A command here, whose steps are there.
	out, err = say(program, "salloc", "-t", "2", "-n", "2", "sh", "-c", "srun sh -c 'echo $SLURM_PROCID of $SLURM_NTASKS'")
	if err != nil || !strings.Contains(out, "0 of 2") || !strings.Contains(out, "1 of 2") {
		t.Errorf("%v: %s", err, out)
	}
	if j = last(); j.State != v1.Completed {
		t.Errorf("what ended well: %s %s", j.State, j.Detail)
	}

	// 3. A shell on a terminal.
	shell := exec.CommandContext(t.Context(), "setpriv", "--reuid="+who.Uid, "--regid="+who.Gid, "--clear-groups", "env")
	shell.Args = append(shell.Args, append(append(cluster.Env(), where...), "script", "-qec", program+" salloc -t 2", "/dev/null")...)
	shell.Dir = m.dir
	in, _ := shell.StdinPipe()
	var said strings.Builder
	shell.Stdout, shell.Stderr = &said, &said
	if err = shell.Start(); err != nil {
		t.Fatal(err)
	}
	m.until(t, "the allocation", func() bool {
		jobs, err := m.market.Jobs(t.Context(), v1.JobQuery{Limit: 1, States: []v1.State{v1.Running}})
		return err == nil && len(jobs) == 1 && len(jobs[0].Tasks) > 0 && jobs[0].Tasks[0].StartedUS > 0
	})
	_, _ = fmt.Fprintf(in, "tty; echo node=$SLURMD_NODENAME; exit\n")
	if err = shell.Wait(); err != nil || !strings.Contains(said.String(), "/dev/pts/") || !strings.Contains(said.String(), "node="+cluster.Nodes[0][:3]) {
		t.Errorf("%v: %s", err, said.String())
	}
	last()

	// 4. The time is over: what runs there ends.
	began := time.Now()
	out, err = say(program, "srun", "-t", "0:10", "sleep", "300")
	if err == nil || time.Since(began) > 90*time.Second {
		t.Errorf("%v after %s: %s", err, time.Since(began), out)
	}
	if j = last(); j.State != v1.Completed {
		t.Errorf("%s %s", j.State, j.Detail)
	}

	// 5. The terminal is closed.
	gone := exec.CommandContext(t.Context(), "setpriv", "--reuid="+who.Uid, "--regid="+who.Gid, "--clear-groups", "env")
	gone.Args = append(gone.Args, append(append(cluster.Env(), where...), program, "salloc", "-t", "10", "sleep", "300")...)
	gone.Dir = m.dir
	if err = gone.Start(); err != nil {
		t.Fatal(err)
	}
	m.until(t, "the allocation", func() bool {
		jobs, err := m.market.Jobs(t.Context(), v1.JobQuery{Limit: 1, States: []v1.State{v1.Running}})
		return err == nil && len(jobs) == 1 && len(jobs[0].Tasks) > 0 && jobs[0].Tasks[0].StartedUS > 0
	})
	time.Sleep(time.Second) // it has begun in Slurm; the command has not, for a moment
	_ = gone.Process.Signal(syscall.SIGHUP)
	_ = gone.Wait()
	if j = last(); j.State != v1.Cancelled {
		t.Errorf("%s %s", j.State, j.Detail)
	}

	// 6. Kept, and given back.
	if out, err = say(program, "salloc", "-t", "2", "--no-shell", "-Q"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err = say(program, "cancel", "slurm:"+strings.TrimSpace(out)); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	last()

	// 7. The node is lost: the command ends, and nothing is owed or begun again.
	lost := exec.CommandContext(t.Context(), "setpriv", "--reuid="+who.Uid, "--regid="+who.Gid, "--clear-groups", "env")
	lost.Args = append(lost.Args, append(append(cluster.Env(), where...), program, "srun", "-t", "10", "sh", "-c", "touch "+m.dir+"/began; sleep 300")...)
	lost.Dir = m.dir
	if err = lost.Start(); err != nil {
		t.Fatal(err)
	}
	running := func() v1.Job {
		jobs, err := m.market.Jobs(t.Context(), v1.JobQuery{Limit: 1, States: []v1.State{v1.Running}})
		if err != nil || len(jobs) != 1 || len(jobs[0].Tasks) == 0 || jobs[0].Tasks[0].StartedUS == 0 {
			return v1.Job{}
		}
		return jobs[0]
	}
	m.until(t, "the command", func() bool {
		_, err := os.Stat(filepath.Join(m.dir, "began"))
		j = running()
		return err == nil && j.ID != 0
	})
	if err = cluster.Kill("slurmd " + j.Places[0].Node); err != nil {
		t.Fatal(err)
	}
	if err = lost.Wait(); err == nil {
		t.Error("the command has ended well")
	}
	if now, err := m.market.Job(t.Context(), j.ID); err != nil || now.State != v1.Lost || now.Attempt != 0 || now.Held != 0 || now.Charged != 0 {
		t.Errorf("%+v %v", now, err)
	} else {
		t.Logf("%s %s, %d charged", now.State, now.Detail, now.Charged)
	}
}

func exitStatus(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}
