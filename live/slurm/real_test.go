package slurm_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/slurm"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/slurmtest"
	"github.com/libra-market/libra/live/store"
)

// floor is a market with nobody's agents on a real Slurm.
type floor struct {
	*controller.Controller
}

func (f floor) Lose(ctx context.Context, node, why string) error {
	_, _, err := f.Do(ctx, trade.Command{Node: &trade.NodeChange{Node: node, Why: why}}, trade.Key{})
	return err
}

func (f floor) Turn(ctx context.Context, node string, door trade.Door, why string, aheadUS int64) error {
	_, _, err := f.Do(ctx, trade.Command{Node: &trade.NodeChange{Node: node, Door: door, Why: why, AheadUS: aheadUS}}, trade.Key{})
	return err
}

func (f floor) Withhold(ctx context.Context, node string, gpus int) error {
	_, _, err := f.Do(ctx, trade.Command{Node: &trade.NodeChange{Node: node, Withheld: &gpus}}, trade.Key{})
	return err
}

var owner = trade.Identity{User: "owner", Role: trade.RoleOwner}

// openFloor is a market in a store, and a backend over a Slurm.
func openFloor(t testing.TB, address, policy string, control slurm.Control, batch client.Slurm) (floor, *slurm.Backend, func()) {
	t.Helper()
	st, err := store.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	setup := controller.Default()
	setup.Open.Policy = policy
	setup.Open.Rates.Processor = int64(market.Unit)
	setup.Lease = time.Minute
	c, err := controller.Start(ctx, st, setup)
	if err != nil {
		t.Fatal(err)
	}
	f := floor{c}
	if _, err = c.Epochs(ctx); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	b, err := slurm.New(ctx, slurm.Config{Partition: slurmtest.Partition, Control: control, Now: time.Now, Log: log, Path: slurm.PathWith(slurmtest.Find("srun"))}, f, batch, st)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { b.Run(ctx); close(ended) }()
	return f, b, func() {
		stop()
		<-ended
		<-c.Done()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}
}

// fund opens an account for a user and puts money into it.
func (f floor) fund(t testing.TB, user string) {
	t.Helper()
	for _, m := range []trade.MoneyCommand{{Op: "open", To: "lab/" + user, User: user}, {Op: "grant", To: "lab/" + user, Amount: int64(1e6 * market.Unit)}} {
		if _, _, err := f.Do(t.Context(), trade.Command{By: owner, Money: &m}, trade.Key{}); err != nil {
			t.Fatal(err)
		}
	}
}

func (f floor) hand(t testing.TB, user string, r trade.Request) int64 {
	t.Helper()
	by := trade.Identity{User: user, Role: trade.RoleUser}
	o, _, err := f.Do(t.Context(), trade.Command{By: by, Submit: &trade.Submit{Request: r}}, trade.Key{})
	if err != nil || o.Refusal != nil || o.Job == nil {
		t.Fatalf("%s: %v, refused: %+v", user, err, o.Refusal)
	}
	return o.Job.ID
}

func (f floor) await(t testing.TB, id int64, long time.Duration, ready func(*trade.Job) bool) trade.Job {
	t.Helper()
	for end := time.Now().Add(long); ; time.Sleep(50 * time.Millisecond) {
		j, err := f.Job(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if ready(&j) {
			return j
		}
		if time.Now().After(end) {
			t.Fatalf("job %d is %s after %s: %+v", id, j.State, long, j.Tasks)
		}
	}
}

func ended(j *trade.Job) bool { return j.State.Final() }

// nodesUp waits until the market has so many nodes.
func (f floor) nodesUp(t testing.TB, n int) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		nodes, err := f.Nodes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		up := 0
		for i := range nodes {
			if nodes[i].Up {
				up++
			}
		}
		if up == n {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d of %d nodes are up", up, n)
		}
	}
}

// home is a directory that a user may write to.
func home(t testing.TB, user string) string {
	t.Helper()
	dir := filepath.Join("/home", user, strings.ReplaceAll(t.Name(), "/", "_"))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func said(t testing.TB, dir, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// TestJobsOfTwoUsers runs jobs of all shapes on a real Slurm, kills the daemons of
// Slurm and the market meanwhile, and asks how the jobs ended.
func TestJobsOfTwoUsers(t *testing.T) {
	slurmtest.Require(t)
	alice, bob := slurmtest.User(t, slurmtest.Alice), slurmtest.User(t, slurmtest.Bob)
	cluster := slurmtest.Start(t, slurmtest.Options{Nodes: 3, CPUs: 2})
	batch, err := client.Open(t.Context(), client.Options{Rest: cluster.RestURL, Conf: cluster.Conf})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("through %s", batch.Name())
	address := filepath.Join(t.TempDir(), "libra.db")
	f, _, stop := openFloor(t, address, "fcfs-bf", slurm.None, batch)
	defer func() { stop() }()
	f.nodesUp(t, 3)
	f.fund(t, alice)
	f.fund(t, bob)
	here, there := home(t, alice), home(t, bob)
	second := int64(1000)
	well := f.hand(t, alice, trade.Request{Argv: []string{"sh", "-c", "id -un; pwd; echo $LIBRA_NODE"}, Dir: here, Output: "well", EstimateMS: 10 * second})
	bad := f.hand(t, bob, trade.Request{Script: "#!/bin/sh\nid -un\nexit 7\n", Dir: there, Output: "bad", EstimateMS: 10 * second})
	wide := f.hand(t, alice, trade.Request{
		Argv: []string{"sh", "-c", "echo $LIBRA_RANK on $LIBRA_NODE; hostname -s >/dev/null"}, Dir: here, Output: "wide-%r", EstimateMS: 10 * second, Processors: 5,
	})
	sweep := f.hand(t, bob, trade.Request{
		Script: "#!/bin/sh\necho $LIBRA_ARRAY_INDEX\n[ $LIBRA_ARRAY_INDEX != 3 ] || exit 3\n", Dir: there, Output: "sweep-%a", EstimateMS: 10 * second,
		Array: &trade.Array{First: 1, Last: 4, Limit: 2},
	})
	once := f.hand(t, alice, trade.Request{
		Script: "#!/bin/sh\necho script on $LIBRA_NODE\nsrun sh -c 'echo $SLURM_PROCID on $SLURMD_NODENAME' | sort\nsrun -n 2 echo two\n",
		Dir:    here, Output: "once", EstimateMS: 10 * second, Processors: 5, Once: true,
	})
	threads := f.hand(t, bob, trade.Request{
		Script: "#!/bin/sh\necho $LIBRA_SIZE by $LIBRA_THREADS $OMP_NUM_THREADS $SLURM_CPUS_PER_TASK on $LIBRA_NODE\nsrun sh -c 'echo $SLURM_PROCID on $SLURMD_NODENAME' | sort\n",
		Dir:    there, Output: "threads", EstimateMS: 10 * second, Processors: 4, Threads: 2, Once: true,
	})
	missing := f.hand(t, alice, trade.Request{Argv: []string{"there-is-no-such-program"}, Dir: here, EstimateMS: 10 * second})
	nobody := f.hand(t, alice, trade.Request{Argv: []string{"true"}, Dir: "/there/is/none", EstimateMS: 10 * second})
	like := f.hand(t, alice, trade.Request{Argv: []string{"sh", "-c", "exit 127"}, Dir: here, EstimateMS: 10 * second})
	parallel := f.hand(t, bob, trade.Request{Argv: []string{"./there-is-none"}, Dir: there, EstimateMS: 10 * second, Processors: 2})
	closed := f.hand(t, bob, trade.Request{Argv: []string{"true"}, Dir: there, Output: "/etc/no/out", EstimateMS: 10 * second})
	const long = 3 * time.Minute
	for _, c := range []struct {
		what string
		job  int64
		want trade.State
		exit int
	}{
		{"a program", well, trade.Completed, 0},
		{"a script that fails", bad, trade.Failed, 7},
		{"a parallel job", wide, trade.Completed, 0},
		{"a script that starts its ranks", once, trade.Completed, 0},
		{"programs with threads", threads, trade.Completed, 0},
		{"a sweep", sweep, trade.Failed, 3},
		{"like a shell that found no program", like, trade.Failed, 127},
	} {
		j := f.await(t, c.job, long, ended)
		if j.State != c.want || len(j.Tasks) == 0 || j.Tasks[0].Exit != c.exit || j.Tasks[0].Batch == "" {
			t.Errorf("%s: %s %q, tasks %+v", c.what, j.State, j.Detail, j.Tasks)
		}
		if !j.State.Final() || j.Attempt != 0 {
			t.Errorf("%s: attempt %d", c.what, j.Attempt)
		}
	}
	for job, why := range map[int64]string{
		missing: "no such program: there-is-no-such-program", nobody: "directory /there/is/none, or output in it, cannot be opened: libra-",
		parallel: "no such program: ./there-is-none", closed: "output cannot be opened: /etc/no/out",
	} {
		j := f.await(t, job, long, ended)
		for _, s := range j.Tasks {
			// Where only Slurm looks at its watch, what took longer than our script needs is
			// not believed; a busy machine can be that slow.
			if !s.NeverBegan() && s.EndedUS-s.StartedUS > 1e6 {
				t.Logf("job %d: Slurm took %d us to find out: %+v", job, s.EndedUS-s.StartedUS, j.Tasks)
				continue
			}
			if !s.NeverBegan() || !strings.HasPrefix(s.Error, why) || s.Exit != 0 || s.Signal != "" || j.State == trade.Completed {
				t.Errorf("job %d: %s %q, %+v, want never begun: %s", job, j.State, j.Detail, s, why)
			}
		}
	}
	j, err := f.Job(t.Context(), well)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := said(t, here, "well"), alice+"\n"+here+"\n"+j.Places[0].Node+"\n"; got != want {
		t.Errorf("the program said %q, want %q", got, want)
	}
	if got := said(t, there, "bad"); got != bob+"\n" {
		t.Errorf("the script said %q", got)
	}
	j, err = f.Job(t.Context(), wide)
	if err != nil {
		t.Fatal(err)
	}
	for rank := range 5 {
		if got, want := said(t, here, fmt.Sprintf("wide-%d", rank)), fmt.Sprintf("%d on %s\n", rank, j.Places[rank].Node); got != want {
			t.Errorf("rank %d said %q, want %q", rank, got, want)
		}
	}
	if j, err = f.Job(t.Context(), once); err != nil {
		t.Fatal(err)
	}
	text := "script on " + j.Places[0].Node + "\n"
	for rank := range 5 {
		text += fmt.Sprintf("%d on %s\n", rank, j.Places[rank].Node)
	}
	// A step that begins while the one before is being put away makes srun say so.
	aside := regexp.MustCompile(`(?m)^srun: .*\n`)
	if got := aside.ReplaceAllString(said(t, here, "once"), ""); got != text+"two\ntwo\n" {
		t.Errorf("the script that starts its ranks said %q, want %q", got, text+"two\ntwo\n")
	}
	if j, err = f.Job(t.Context(), threads); err != nil {
		t.Fatal(err)
	}
	if one, two := j.NodeOf(0), j.NodeOf(1); one == two || j.Places[1].Node != one || j.Places[3].Node != two || j.Programs() != 2 || len(j.Tasks) != 2 {
		t.Errorf("programs with threads: on %v, %d tasks", j.Places, len(j.Tasks))
	} else if got, want := said(t, there, "threads"), fmt.Sprintf("2 by 2 2 2 on %[1]s\n0 on %[1]s\n1 on %[2]s\n", one, two); got != want {
		t.Errorf("programs with threads said %q, want %q", got, want)
	}
	for i := 1; i <= 4; i++ {
		if got := said(t, there, fmt.Sprintf("sweep-%d", i)); got != fmt.Sprintf("%d\n", i) {
			t.Errorf("element %d said %q", i, got)
		}
	}

	// A job that is cancelled in the market, and one that is cancelled in Slurm.
	running := func(j *trade.Job) bool { return len(j.Tasks) > 0 && j.Tasks[0].CPUUS > 0 }
	mine := f.hand(t, alice, trade.Request{Argv: []string{"sleep", "300"}, Dir: here, EstimateMS: 300 * second})
	theirs := f.hand(t, bob, trade.Request{Argv: []string{"sleep", "300"}, Dir: there, EstimateMS: 300 * second})
	f.await(t, mine, long, running)
	if _, _, err = f.Do(t.Context(), trade.Command{By: owner, Cancel: &trade.Cancel{Job: mine}}, trade.Key{}); err != nil {
		t.Fatal(err)
	}
	if j = f.await(t, mine, long, ended); j.State != trade.Cancelled {
		t.Errorf("cancelled in the market: %s %s", j.State, j.Detail)
	}
	f.await(t, theirs, long, running)
	if _, err = cluster.RunAs(t.Context(), bob, "scancel", "--name=sleep", "--user="+bob); err != nil {
		t.Fatal(err)
	}
	if j = f.await(t, theirs, long, ended); j.State != trade.Cancelled || !j.Tasks[0].Cancelled || j.Tasks[0].Signal != "SIGTERM" {
		t.Errorf("cancelled in Slurm: %s %s %+v", j.State, j.Detail, j.Tasks)
	}

	// The market and slurmctld are killed while a job runs: first when Slurm has
	// had time to write it down, then when it has not and forgets it.
	for _, calm := range []bool{true, false} {
		across := f.hand(t, alice, trade.Request{Argv: []string{"sh", "-c", "sleep 15; exit 5"}, Dir: here, EstimateMS: 60 * second})
		f.await(t, across, long, running)
		if calm {
			time.Sleep(7 * time.Second) // it saves every five, and later where the machine is busy
			if calm = cluster.Saved(startOf(t, batch), 6*time.Second); !calm {
				t.Log("slurmctld has saved nothing since the job began")
			}
		}
		stop()
		if err = cluster.Kill("slurmctld"); err != nil {
			t.Fatal(err)
		}
		f, _, stop = openFloor(t, address, "fcfs-bf", slurm.None, batch)
		if err = cluster.Restart(t.Context(), "slurmctld"); err != nil {
			t.Fatal(err)
		}
		j = f.await(t, across, 2*long, ended)
		if j.State != trade.Failed || calm && j.Attempt != 0 || j.Tasks[0].Exit != 5 {
			t.Errorf("across restarts (calm %v): %s, attempt %d, exit %d, signal %q", calm, j.State, j.Attempt, j.Tasks[0].Exit, j.Tasks[0].Signal)
		}
	}
	for waited := time.Now(); ; time.Sleep(time.Second) { // what slurmctld forgot and found again is ended when it is seen
		left, err := batch.Jobs(t.Context(), slurmtest.Partition)
		if err != nil {
			t.Fatal(err)
		}
		left = slices.DeleteFunc(left, func(j client.Job) bool { return j.State.Over() })
		if len(left) == 0 {
			break
		}
		if time.Since(waited) > long {
			t.Fatalf("left in Slurm: %+v", left)
		}
	}
}

// startOf is when the job that runs in Slurm began, or up to a second later.
func startOf(t *testing.T, batch client.Slurm) time.Time {
	t.Helper()
	jobs, err := batch.Jobs(t.Context(), slurmtest.Partition)
	if err != nil {
		t.Fatal(err)
	}
	var began int64
	for _, j := range jobs {
		if !j.State.Over() {
			began = max(began, j.Started)
		}
	}
	return time.Unix(began+1, 0) // Slurm counts in seconds: what was written in the one it began in may be of before
}
