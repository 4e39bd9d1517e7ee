package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// slurmNode is a node of a real Slurm, and the agent beside it.
type slurmNode struct {
	*node

	slurm *slurmtest.Cluster
}

func newSlurmNode(t *testing.T, kind string, options slurmtest.Options) *slurmNode {
	t.Helper()
	slurmtest.Require(t)
	options.Nodes, options.NoRest = 1, true
	n := newControlNode(t)
	require(t, kind, n.tree.Kind() == kind)
	s := &slurmNode{n, slurmtest.Start(t, options)}
	if err := n.tree.Remove(); err != nil {
		t.Fatal(err)
	}
	n.config.Node = s.slurm.Nodes[0]
	n.config.Tree = "libra/" + n.config.Node // where the plugin looks
	var err error
	if n.tree, err = cgroup.OpenSlurm(n.config.Tree, n.config.Node); err != nil {
		t.Fatal(err)
	}
	n.start()
	t.Cleanup(func() { n.stop() }) // before Slurm, which clears the groups away
	return s
}

// submit hands a job in, held, and returns the order to hold it to a share.
func (s *slurmNode) submit(job int64, cpu float64, script string) task.Order {
	s.t.Helper()
	id := s.command("sbatch", "--parsable", "--hold", "--no-requeue", "--uid="+s.user.Name, "--gid="+strconv.Itoa(s.user.GID), "--chdir="+s.dir,
		"--output="+filepath.Join(s.dir, fmt.Sprintf("out-%d", job)), "--wrap", script)
	order := s.batch(job, 0, cpu)
	order.Batch = id
	return order
}

func (s *slurmNode) command(argv ...string) string {
	s.t.Helper()
	out, err := s.slurm.Run(s.t.Context(), argv[0], argv[1:]...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// ended waits until Slurm says that a job is over, and returns how.
func (s *slurmNode) ended(id string) string {
	s.t.Helper()
	said := ""
	until(s.t, "Slurm to end job "+id, func() bool {
		said = s.command("scontrol", "--oneliner", "show", "job", id)
		for _, state := range []string{"COMPLETED", "FAILED", "CANCELLED"} {
			if strings.Contains(said, "JobState="+state) {
				return true
			}
		}
		return false
	})
	return said
}

// burn is a script that works for some seconds by the clock.
const burn = `end=$(( $(date +%s%N) + 4000000000 ))
while [ $(date +%s%N) -lt $end ]; do i=0; while [ $i -lt 500 ]; do i=$((i+1)); done; done`

// average is what a job used per second of its life, by the last report on it.
func (s *slurmNode) average(order task.Order) float64 {
	s.t.Helper()
	var got task.Status
	s.await(s.t, "the last word on what it used", func() bool { got = s.last[order.Spec.Key]; return got.EndedUS > 0 })
	s.t.Logf("job %s used %.3f s in 4 s, declined %.3f s", order.Batch, float64(got.CPUUS)/1e6, float64(got.DeclinedUS)/1e6)
	if got.State != task.Running || got.CPUUS != s.spent(order.Batch).Microseconds() {
		s.t.Errorf("reported as %s, the kernel says %v", show(got), s.spent(order.Batch))
	}
	return float64(got.CPUUS) / 4e6
}

func TestARealSlurmJobIsHeldFromItsFirstInstruction(t *testing.T) {
	s := newSlurmNode(t, cgroup.V1, slurmtest.Options{})
	order := s.submit(1, 0.2, burn)
	s.order(order)
	s.state(t, order.Spec.Key, task.Starting)
	s.command("scontrol", "release", order.Batch)
	s.state(t, order.Spec.Key, task.Running)
	if said := s.ended(order.Batch); !strings.Contains(said, "ExitCode=0:0") {
		t.Errorf("ended as %s", said)
	}
	// A second without the quota would be 0.4. It begins a little before its clock does, on a busy
	// machine half a second. How much less it has where others have the processors, no agent can help.
	if got := s.average(order); got > 0.28 || got < 0.02 {
		t.Errorf("used %.3f of a processor, want .2", got)
	}
	s.withdraw()
	s.gone(order.Batch)

	// Cancelled while it has next to nothing, it ends at once: it is not frozen.
	order = s.submit(2, 0, "trap '' TERM; "+spin)
	s.order(order)
	s.state(t, order.Spec.Key, task.Starting)
	s.command("scontrol", "release", order.Batch)
	s.state(t, order.Spec.Key, task.Running)
	s.command("scancel", "--signal=KILL", "--full", order.Batch)
	s.ended(order.Batch)
	s.await(t, "its end to be seen", func() bool { return s.last[order.Spec.Key].EndedUS > 0 })

	// The lease ends it for Slurm too, suspended or not.
	order = s.submit(3, 0.5, spin)
	s.change(func(d *task.Desired) { d.Orders, d.LeaseMS = []task.Order{order}, 3000 })
	s.state(t, order.Spec.Key, task.Starting)
	s.command("scontrol", "release", order.Batch)
	s.state(t, order.Spec.Key, task.Running)
	s.command("scontrol", "suspend", order.Batch)
	s.goAway(true)
	until(t, "all processes to be killed", func() bool {
		group, ok := s.tree.Find("slurm_" + order.Batch)
		if !ok {
			return false
		}
		procs, err := group.Procs()
		return err == nil && len(procs) == 0
	})
	s.goAway(false)
	if got := s.end(t, order.Spec.Key); got.State != task.Lost || got.Error != task.LeaseRanOut {
		t.Errorf("ended as %s", show(got))
	}
	if said := s.ended(order.Batch); !strings.Contains(said, "ExitCode=0:9") {
		t.Errorf("Slurm says %s", said)
	}
}

func TestARealSlurmJobIsHeldWithoutThePlugin(t *testing.T) {
	s := newSlurmNode(t, cgroup.V1, slurmtest.Options{NoPlugin: true})
	order := s.submit(1, 0.2, "(setsid sh -c '"+burn+"' &)\n"+burn)
	s.order(order)
	s.state(t, order.Spec.Key, task.Starting)
	s.command("scontrol", "release", order.Batch)
	s.state(t, order.Spec.Key, task.Running)
	until(t, "both processes to be held", func() bool {
		group, ok := s.tree.Find("slurm_" + order.Batch)
		if !ok {
			return false
		}
		procs, err := group.Procs()
		return err == nil && len(procs) >= 2
	})
	s.ended(order.Batch)
	// Only the time since it was found is counted, and held: never more than the share.
	if got := s.average(order); got > 0.28 {
		t.Errorf("used %.3f of a processor, want at most .2", got)
	}
	text, err := os.ReadFile(filepath.Join(s.dir, "out-1"))
	if err != nil || len(text) > 0 {
		t.Errorf("it wrote %q, %v", text, err)
	}
}

// How long the agent takes from an order to the quota is logged, for people.
func TestReshareOnARealCgroupIsQuick(t *testing.T) {
	t.Parallel()
	n := newStoodInNode(t).start()
	order := n.batch(1, 0, 0.5)
	n.order(order)
	n.state(t, order.Spec.Key, task.Starting)
	worst := time.Duration(0)
	for i := range 20 {
		want := 0.1 + float64(i)/100
		began := awake()
		n.reorder(order.Spec.Key, func(o *task.Order) { o.CPU = want })
		for n.quota(order.Batch) < want-1e-9 || n.quota(order.Batch) > want+1e-4 {
			if awake()-began > patience {
				t.Fatalf("the quota is %v, want %v", n.quota(order.Batch), want)
			}
			time.Sleep(200 * time.Microsecond)
		}
		worst = max(worst, awake()-began)
	}
	t.Logf("the slowest of 20 re-shares took %v", worst)
}

// leaveBehind is a script that ends, and would leave three processes: in groups of its user's own below
// those of Slurm, one frozen there, and one whose parents are gone. Their numbers are in a file.
const leaveBehind = `freezer=/sys/fs/cgroup/freezer$(grep :freezer: /proc/self/cgroup | cut -d: -f3)
memory=/sys/fs/cgroup/memory$(grep :memory: /proc/self/cgroup | cut -d: -f3)
mkdir $freezer/mine $freezer/still $memory/mine
hide() { sh -c "echo \$\$ >>left; echo \$\$ >$freezer/$1/cgroup.procs; echo \$\$ >$memory/mine/cgroup.procs; $2"; }
hide mine "while :; do :; done" &
hide still "while :; do :; done" &
(setsid sh -c "echo \$\$ >>left; echo \$\$ >$freezer/mine/cgroup.procs; while :; do :; done" &)
while [ $(wc -l <left) -lt 3 ]; do sleep 0.1; done
sleep 1
echo FROZEN >$freezer/still/freezer.state
exit 0`

// What a job leaves that Slurm has ended is ended, and its groups go. Another job of the same user,
// beside it, is left alone.
func TestWhatARealSlurmJobLeavesIsEnded(t *testing.T) {
	s := newSlurmNode(t, cgroup.V1, slurmtest.Options{})
	order, beside := s.submit(1, 0.3, leaveBehind), s.submit(2, 0.3, "(sleep 1000 &); "+spin)
	s.order(order, beside)
	for _, o := range []task.Order{order, beside} {
		s.state(t, o.Spec.Key, task.Starting)
		s.command("scontrol", "release", o.Batch)
		s.state(t, o.Spec.Key, task.Running)
	}
	s.ended(order.Batch)
	text, err := os.ReadFile(filepath.Join(s.dir, "left"))
	if err != nil {
		t.Fatal(err)
	}
	numbers := strings.Fields(string(text))
	living := 0
	for _, pid := range numbers {
		if runs(pid) {
			living++
		}
	}
	if t.Logf("Slurm has ended it, and %d of %d go on", living, len(numbers)); len(numbers) != 3 {
		t.Errorf("it has left %q", numbers)
	}
	over := order
	over.Over = true
	s.change(func(d *task.Desired) { d.Orders = []task.Order{over, beside} })
	for _, pid := range numbers { // before nobody wants anything of it
		until(t, "process "+pid+" to end", func() bool { return !runs(pid) })
	}
	s.change(func(d *task.Desired) { d.Orders = []task.Order{beside} })
	s.gone(order.Batch)
	places := "/sys/fs/cgroup/*/slurm_" + s.config.Node + "/uid_*/job_"
	if left, e := filepath.Glob(places + order.Batch); e != nil || len(left) > 0 {
		t.Errorf("groups %v are left, %v", left, e)
	}
	group, ok := s.tree.Find("slurm_" + beside.Batch)
	if !ok {
		t.Fatal("the group of the job beside it has gone")
	}
	if procs, e := group.Procs(); e != nil || len(procs) < 2 {
		t.Errorf("of the job beside it %v are left, %v", procs, e)
	}
	s.command("scancel", beside.Batch)
	s.ended(beside.Batch)
	s.withdraw()
	s.gone(beside.Batch)
}

// runs reports whether a process lives.
func runs(pid string) bool {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(rest, "Z")
}
