package system_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// lease is short, so that the tests are. Between hosts whose cables are pulled it is
// longer: a machine that stands still for seconds must not be taken for one that is cut off.
const (
	lease      = 6 * time.Second
	hostsLease = 10 * time.Second
)

// A controller and three nodes, each on a host of its own, speak TLS and know
// each other by certificates. Cables are pulled, machines die, the controller is
// away: no job is run by two at a time, and none is forgotten.
func TestSeveralHosts(t *testing.T) {
	h := newHosts(t, 3)
	t.Parallel()
	b := newBazaar(t, terms{lease: hostsLease, hosts: h})
	for name := range h.last {
		if name != "ctl" {
			b.hire(name, "--cpus", "0")
		}
	}
	b.user("root", 10_000)
	t.Run("a parallel job", func(t *testing.T) { parallelJob(t, b) })
	t.Run("a cut shorter than the lease", func(t *testing.T) { shortCut(t, b) })
	t.Run("a cut longer than the lease", func(t *testing.T) { longCut(t, b) })
	t.Run("an agent that stood still for too long", func(t *testing.T) { stoodStill(t, b) })
	t.Run("a machine dies", func(t *testing.T) { machineDies(t, b) })
	t.Run("the controller is away", func(t *testing.T) { controllerAway(t, b) })
	b.verify()
}

// begin hands in a job that beats for so long, waits until it does, and says on
// which host.
func (b *bazaar) begin(t *testing.T, name string, life time.Duration) (id int64, file, host string) {
	t.Helper()
	file = b.at("beats-" + name)
	r := b.shell(beating(file, life), life+2*time.Second)
	r.DeadlineMS = 120_000
	id = submit(t, b.owner, r).ID
	until(t, "the first beat", func() bool { return len(lives(t, file)) > 0 })
	return id, file, b.hostOf(b.job(id).Places[0].Node)
}

// hostOf is the host of a node.
func (b *bazaar) hostOf(node string) string {
	for name, w := range b.agents {
		if w.node == node {
			return name
		}
	}
	b.t.Fatalf("there is no node %s", node)
	return ""
}

func parallelJob(t *testing.T, b *bazaar) {
	r := b.shell(`echo "$LIBRA_RANK $LIBRA_SIZE $LIBRA_NODE $LIBRA_NODES"`, 2*time.Second)
	r.Processors, r.DeadlineMS, r.Output = 2, 60_000, b.at("parallel-%r")
	j := b.completed(submit(t, b.owner, r).ID)
	if len(j.Places) != 2 || j.Places[0].Node == j.Places[1].Node {
		t.Fatalf("it ran on %+v", j.Places)
	}
	nodes := j.Places[0].Node + "," + j.Places[1].Node
	for rank := range 2 {
		want := fmt.Sprintf("%d 2 %s %s\n", rank, j.Places[rank].Node, nodes)
		if got := text(t, b.at(fmt.Sprintf("parallel-%d", rank))); got != want {
			t.Errorf("rank %d wrote %q, want %q", rank, got, want)
		}
	}
}

func shortCut(t *testing.T, b *bazaar) {
	id, file, host := b.begin(t, "short", 6*time.Second)
	b.hosts.cut(host)
	time.Sleep(hostsLease / 5) // what was lost on the line is sent again later and later: up to as long again
	b.hosts.heal(host)
	if j := b.completed(id); j.Attempt != 0 {
		t.Errorf("it was started again (%d)", j.Attempt)
	}
	oneAfterTheOther(t, file, fmt.Sprintf("%d.0.0", id))
}

func longCut(t *testing.T, b *bazaar) {
	id, file, host := b.begin(t, "long", 30*time.Second)
	b.hosts.cut(host)
	cut := time.Now()
	j := b.completed(id)
	b.hosts.heal(host)
	if j.Attempt != 1 || b.hostOf(j.Places[0].Node) == host {
		t.Errorf("attempt %d on %s; %s was cut off", j.Attempt, b.hostOf(j.Places[0].Node), host)
	}
	all := oneAfterTheOther(t, file, fmt.Sprintf("%d.0.0", id), fmt.Sprintf("%d.0.1", id))
	if len(all) == 2 {
		t.Logf("cut off: stopped there after %.1f s, begun elsewhere after %.1f s",
			float64(all[0].last-cut.UnixNano())/1e9, float64(all[1].first-cut.UnixNano())/1e9)
	}
	b.joined(b.agents[host]) // the node is back
}

// stoodStill wakes an agent when its job has been stopped, because the lease was
// over, and the controller has hardly given the node up yet: then the node says what
// has happened, and the job begins again.
func stoodStill(t *testing.T, b *bazaar) {
	id, file, host := b.begin(t, "still", 30*time.Second)
	w := b.agents[host]
	w.pause(t)
	paused := time.Now()
	until(t, "the job to be stopped", func() bool {
		return time.Since(paused) > hostsLease && time.Now().UnixNano()-lives(t, file)[0].last > time.Second.Nanoseconds()
	})
	w.resume(t)
	if j := b.completed(id); j.Attempt != 1 {
		t.Errorf("attempt %d", j.Attempt)
	}
	oneAfterTheOther(t, file, fmt.Sprintf("%d.0.0", id), fmt.Sprintf("%d.0.1", id))
	b.joined(w)
}

func machineDies(t *testing.T, b *bazaar) {
	id, file, host := b.begin(t, "dies", 30*time.Second)
	w := b.agents[host]
	w.dies(t)
	j := b.completed(id)
	if j.Attempt != 1 || b.hostOf(j.Places[0].Node) == host {
		t.Errorf("attempt %d on %s; %s had died", j.Attempt, b.hostOf(j.Places[0].Node), host)
	}
	oneAfterTheOther(t, file, fmt.Sprintf("%d.0.0", id), fmt.Sprintf("%d.0.1", id))
	w.start(b.t)
	b.joined(w)
	if got := text(t, file); strings.Contains(got, fmt.Sprintf("%d.0.2", id)) {
		t.Error("it was started a third time")
	}
}

// dies kills the agent, every shepherd and every program of a node.
func (w *worker) dies(t testing.TB) {
	t.Helper()
	w.kill()
	folders, err := filepath.Glob(filepath.Join(w.state, "tasks", "*", "lock"))
	if err != nil {
		t.Fatal(err)
	}
	for _, lock := range folders {
		if pid, err := strconv.Atoi(strings.TrimSpace(text(t, lock))); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
	}
	if err := clearTree(w.tree()); err != nil {
		t.Fatal(err)
	}
}

func controllerAway(t *testing.T, b *bazaar) {
	const attempts = 4
	for i := range attempts {
		if controllerAwayOnce(t, b, i) {
			return
		}
	}
	t.Errorf("the controller could not be away for less than the lease in %d days", attempts)
}

// controllerAwayOnce reports whether there was something to judge: a job that ended while
// the controller was away, and for less than the lease.
func controllerAwayOnce(t *testing.T, b *bazaar, day int) bool {
	longer, longerFile, _ := b.begin(t, fmt.Sprintf("away-longer-%d", day), 12*time.Second)
	short, shortFile, _ := b.begin(t, fmt.Sprintf("away-short-%d", day), 3*time.Second)
	b.serve.kill()
	away := time.Now()
	early := lives(t, shortFile)[0].ends == 1
	until(t, "the end of the short one", func() bool { return lives(t, shortFile)[0].ends == 1 })
	time.Sleep(2 * time.Second) // for its end to be noticed by the node, too
	b.open()
	back := time.Now()
	if gone := back.Sub(away); early || gone > hostsLease-2*time.Second {
		t.Logf("the controller was away for %v, and the short job ended before: %v; another day", gone, early)
		b.ended(short)
		b.ended(longer)
		return false
	}
	j := b.completed(short)
	switch ended := time.UnixMicro(j.Tasks[0].EndedUS); {
	case ended.After(back) && ended.Before(back.Add(2*time.Second)):
		t.Logf("the node noticed its end at %v, when the controller was back; another day", ended)
		b.ended(longer)
		return false
	case ended.Before(away) || ended.After(back):
		t.Errorf("it ended at %v; the controller was away from %v to %v", ended, away, back)
	}
	oneAfterTheOther(t, shortFile, fmt.Sprintf("%d.0.0", short))
	b.completed(longer)
	oneAfterTheOther(t, longerFile, fmt.Sprintf("%d.0.0", longer))
	return true
}

// A deadline that is missed because a node is lost, and the next one slow to take
// over, is paid for, to the second.
func TestALostNodeIsPaidFor(t *testing.T) {
	h := newHosts(t, 2)
	t.Parallel()
	b := newBazaar(t, terms{lease: lease, hosts: h, set: []string{"tolerance=1", "spare=none"}}) // it sleeps, which declines what it is granted
	for name := range h.last {
		if name != "ctl" {
			b.hire(name, "--cpus", "0")
		}
	}
	b.user("root", 1000)
	const attempts = 3 // a machine that stands still for seconds spoils a day
	var j *v1.Job
	for i := range attempts {
		if j = b.losesItsNode(t, h, b.at(fmt.Sprintf("begins-%d", i))); j != nil {
			break
		}
	}
	if j == nil {
		t.Fatalf("the second copy did not begin late in %d days", attempts)
	}
	late := float64(j.EndedUS-j.DueUS) / 1e6
	if paid := float64(j.Penalty) / 1e6; paid < late-1 || paid <= 0 || paid > late+0.01 { // by the node's clock, which is before the report
		t.Errorf("%.3f s late, %.6f paid; receipt %+v", late, paid, j.Receipt)
	}
	if j.Receipt == nil || j.Receipt.Net != j.Charged-j.Penalty || j.Charged != j.Price {
		t.Errorf("price %d, receipt %+v", j.Price, j.Receipt)
	}
	t.Logf("%.3f s late, charged %.6f, paid back %.6f", late, float64(j.Charged)/1e6, float64(j.Penalty)/1e6)
	b.verify()
}

// losesItsNode lets a job lose its node, and the other begin it just before it is
// due. Every moment is counted back from the deadline, so that a slow start costs
// nothing. A node is given up 8.6 s after it was last heard of, which may be a
// second before it is cut off: 6.2 s to 5.2 s before the deadline, when there is
// time for the estimate. The other stands still before that, and goes on before it
// is given up too. Where that did not come about there is nothing to judge: nil.
func (b *bazaar) losesItsNode(t *testing.T, h *hosts, file string) *v1.Job {
	t.Helper()
	const cutOff, still, again = 13800 * time.Millisecond, 7 * time.Second, time.Second
	r := b.shell(fmt.Sprintf("echo >> %s; [ $LIBRA_ATTEMPT = 0 ] && sleep 60; sleep 1.5", file), 2*time.Second)
	r.DeadlineMS, r.Soft, r.PenaltyMicros = 25_000, true, 1_000_000
	id := submit(t, b.owner, r).ID
	until(t, "the first copy", func() bool { _, err := os.Stat(file); return err == nil })
	due := time.UnixMicro(b.job(id).DueUS)
	host := b.hostOf(b.job(id).Places[0].Node)
	other := b.agents[map[string]string{"n1": "n2", "n2": "n1"}[host]]
	time.Sleep(time.Until(due) - cutOff)
	h.cut(host)
	time.Sleep(time.Until(due) - still)
	other.pause(t)
	time.Sleep(time.Until(due) - again)
	other.resume(t)
	j := b.ended(id)
	h.heal(host)
	b.joined(b.agents[host])
	b.joined(other)
	if j.State != v1.Completed || j.Attempt != 1 || j.EndedUS <= j.DueUS {
		t.Logf("%s in attempt %d, %.3f s after its deadline: another day", j.State, j.Attempt, float64(j.EndedUS-j.DueUS)/1e6)
		return nil
	}
	return &j
}

// pause stops the agent in its tracks, as a machine that has too much to do.
func (w *worker) pause(t testing.TB)  { w.signal(t, syscall.SIGSTOP) }
func (w *worker) resume(t testing.TB) { w.signal(t, syscall.SIGCONT) }

func (w *worker) signal(t testing.TB, sig syscall.Signal) {
	t.Helper()
	if err := w.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}
