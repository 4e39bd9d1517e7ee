package system_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// Two users' jobs share the nodes of a Slurm. Slurm runs each as its owner; the
// kernel gives each the share that its deadline asks for, from outside of Slurm,
// and all are done in time, at the price they were quoted.
func TestPromisesAreKeptOnSlurm(t *testing.T) {
	slurmtest.Require(t)
	alone(t)
	b := newSite(t, slurmtest.Options{Nodes: 2}, terms{set: []string{"spare=none"}}, 0.9)
	homes := map[string]string{}
	people := map[string]*client.Client{}
	for _, name := range []string{alice, bob} {
		homes[name], _ = unixUser(t, name, b.dir)
		people[name] = b.user(name, 1000)
	}
	mostly(t, func() error { return shareNodes(t, b, homes, people) })
	b.verify()
}

// shareNodes runs the jobs; the error is about what may go better another time.
func shareNodes(t *testing.T, b *bazaar, homes map[string]string, people map[string]*client.Client) error {
	var jobs []*wanted
	owners := map[*wanted]string{}
	for i := range 6 {
		j := &wanted{cpu: time.Duration(3+i) * time.Second, deadline: time.Duration(20+3*i) * time.Second}
		owner := []string{alice, bob}[i%2]
		r := v1.Request{
			Argv: busyProgram(j.cpu * 9 / 10), Dir: homes[owner], Env: []string{"GOMAXPROCS=1"}, Output: "used-%j",
			EstimateMS: j.cpu.Milliseconds(), DeadlineMS: j.deadline.Milliseconds(),
		}
		var err error
		if j.quote, err = people[owner].AskQuote(t.Context(), r, 0); err != nil {
			t.Fatal(err)
		}
		if j.job, err = people[owner].Submit(t.Context(), r, j.quote.ID); err != nil {
			t.Fatal(err)
		}
		jobs, owners[j] = append(jobs, j), owner
	}
	ctx, stop := context.WithCancel(t.Context())
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watchSlurm(ctx, b.slurm.Nodes, jobs)
	}()
	for _, j := range jobs {
		j.job = b.completed(j.job.ID)
	}
	stop()
	<-watched

	var wrong error
	t.Logf("%-4s %-12s %9s %9s %9s %9s %9s %9s", "job", "of", "estimate", "deadline", "ended", "target", "measured", "error")
	for _, j := range jobs {
		j.checkBill(t)
		j.checkOwner(t, owners[j], homes[owners[j]])
		if j.job.EndedUS > j.job.DueUS {
			wrong = errors.Join(wrong, fmt.Errorf("job %d ended %.3f s late", j.job.ID, float64(j.job.EndedUS-j.job.DueUS)/1e6))
		}
		node, err := b.node(b.agents[j.job.Places[0].Node])
		if err != nil {
			t.Fatal(err)
		}
		from, to := j.steady()
		target, got, n := j.compare(node.Rating, from, to)
		t.Logf("%-4d %-12s %8.1fs %8.1fs %8.2fs %8.2f%% %8.2f%% %+8.2f%%", j.job.ID, owners[j], j.cpu.Seconds(), j.deadline.Seconds(),
			float64(j.job.EndedUS-j.job.SubmittedUS)/1e6, 100*target, 100*target*got, 100*(got-1))
		if n < 50 || got < 1-tolerance { // somebody else used the processor; if it is always so, that fails as well
			wrong = errors.Join(wrong, errExcused)
		}
		if n < 50 || math.Abs(got-1) > tolerance {
			wrong = errors.Join(wrong, fmt.Errorf("job %d got %.2f %% of what it was to get, by %d readings", j.job.ID, 100*got, n))
		}
	}
	return wrong
}

// steady is the longest time in which the share of this one job did not change.
func (j *wanted) steady() (fromUS, toUS int64) {
	changes := []int64{j.job.EndedUS}
	for _, p := range j.job.Timeline {
		changes = append(changes, p.AtUS)
	}
	if len(j.seen) > 0 {
		changes = append(changes, j.seen[0].atUS)
	}
	slices.Sort(changes)
	for i, at := range changes[:len(changes)-1] {
		if from := at + settling.Microseconds(); changes[i+1]-from > toUS-fromUS && len(j.seen) > 0 && at >= j.seen[0].atUS {
			fromUS, toUS = from, changes[i+1]
		}
	}
	return fromUS, min(toUS, fromUS+longest.Microseconds())
}

// checkOwner checks that what a job wrote is its owner's.
func (j *wanted) checkOwner(t *testing.T, owner, home string) {
	t.Helper()
	out := filepath.Join(home, fmt.Sprintf("used-%d", j.job.ID))
	if said := text(t, out); !strings.HasPrefix(said, "used ") {
		t.Errorf("job %d of %s wrote %q", j.job.ID, owner, said)
	}
	if _, uid := userOf(t, owner); uidOf(t, out) != uid {
		t.Errorf("%s is not of %s", out, owner)
	}
}

// watchSlurm reads what the jobs use out of the groups that they are held in. A
// group has the number that a job has in Slurm; its processes know the other.
func watchSlurm(ctx context.Context, nodes []string, jobs []*wanted) {
	known := map[string]*wanted{}
	strange := map[string]int{}
	punctually(ctx, func() {
		for _, node := range nodes {
			groups, _ := filepath.Glob("/sys/fs/cgroup/cpuacct/libra/" + node + "/slurm_*")
			for _, group := range groups {
				j := known[group]
				if j == nil {
					if strange[group]++; strange[group]%5 != 1 {
						continue // it has no processes yet
					}
					if j = jobIn(group, jobs); j == nil {
						continue
					}
					known[group] = j
				}
				content, err := os.ReadFile(group + "/cpuacct.usage")
				if err != nil {
					continue
				}
				if used, ok := usageIn(string(content)); ok {
					j.seen = append(j.seen, reading{time.Now().UnixMicro(), used})
				}
			}
		}
	})
}

// jobIn is the job whose processes are in a group.
func jobIn(group string, jobs []*wanted) *wanted {
	pids, _ := os.ReadFile(group + "/cgroup.procs")
	for pid := range strings.FieldsSeq(string(pids)) {
		variables, _ := os.ReadFile("/proc/" + pid + "/environ")
		for _, j := range jobs {
			if strings.Contains("\x00"+string(variables), fmt.Sprintf("\x00LIBRA_JOB_ID=%d\x00", j.job.ID)) {
				return j
			}
		}
	}
	return nil
}
