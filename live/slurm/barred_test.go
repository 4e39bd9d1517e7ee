package slurm

import (
	"context"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/model"
)

// While Slurm begins nothing in the partition, the market is told that its nodes take no new jobs. What
// runs goes on, what was sold and had not begun is refused, and not moved; opened again they are sold.
func TestAPartitionThatBeginsNothingIsNotSold(t *testing.T) {
	play(t, 1, func(t *testing.T, th *theater, _ context.Context) {
		closed := func() (n int) {
			th.market.mu.Lock()
			defer th.market.mu.Unlock()
			for _, m := range th.market.nodes {
				if m.closed {
					n++
				}
			}
			return n
		}
		th.market.submit(1, 1, model.Program{Takes: 30 * time.Second, Exit: 3}, false)
		time.Sleep(4 * time.Second)
		th.change(func(f *model.Slurm) { f.Shut = "DOWN" })
		th.market.submit(2, 1, model.Program{Takes: time.Second, Exit: 3}, false) // sold before anybody knows
		time.Sleep(5 * time.Second)
		if n, all := closed(), len(th.market.nodes); n != all || n == 0 {
			t.Errorf("%d of %d nodes take no new jobs", n, all)
		}
		if s := th.market.ending(2); s.State != task.Refused || s.Attempt != 0 {
			t.Errorf("what had not begun ended as %+v", s)
		}
		th.change(func(f *model.Slurm) { f.Shut = "" })
		time.Sleep(5 * time.Second)
		if n := closed(); n != 0 {
			t.Errorf("the partition is open, and %d nodes are not", n)
		}
		th.market.submit(3, 1, model.Program{Takes: time.Second, Exit: 3}, false)
		time.Sleep(40 * time.Second)
		for _, id := range []int64{1, 3} {
			if s := th.market.ending(id); s.State != task.Ended || s.Exit != 3 || s.Attempt != 0 {
				t.Errorf("job %d ended as %+v", id, s)
			}
		}
	})
}

// A node that drains in a partition that begins nothing is closed for itself: what had not begun there
// is put elsewhere.
func TestANodeThatDrainsInAPartitionThatBeginsNothing(t *testing.T) {
	b, n := idle(t, Agents)
	n.barred = "partition libra is DOWN in Slurm"
	for name, c := range map[string]struct {
		is     client.Node
		why    string
		closed bool
	}{
		"well":   {client.Node{Name: "n1", Up: true}, n.barred, false},
		"drains": {client.Node{Name: "n1", Up: true, Draining: true, Reason: "smoke"}, "it drains in Slurm: smoke", true},
	} {
		n.slurm, n.door = c.is, trade.DoorClosed
		if door, why := n.doorOf(noon); door != trade.DoorClosed || why != c.why {
			t.Errorf("%s: it is %s: %s", name, door, why)
		}
		if got := b.closedFor(b.runs[runKey{5, 0}]); got != c.closed {
			t.Errorf("%s: its jobs are moved: %v", name, got)
		}
	}
	n.slurm, n.barred = client.Node{Name: "n1", Up: true}, ""
	for _, n.turning = range []bool{false, true} { // the market has sold it, and its answer is on the way
		if got := b.closedFor(b.runs[runKey{5, 0}]); got != !n.turning {
			t.Errorf("it is opened, the market is being told (%v), and its jobs are moved: %v", n.turning, got)
		}
	}
}

// What was said before counts while Slurm cannot say which partitions begin nothing, and of several
// each has its own nodes.
func TestWhoseNodesArePartOfAClosedPartition(t *testing.T) {
	b, n := idle(t, Agents)
	b.cfg.Partition = "libra,fast"
	other := b.node("n2")
	n.slurm.Partition, other.slurm.Partition = "libra", "fast"
	slurm := &closedSlurm{closed: map[string]string{"fast": "INACTIVE"}}
	b.slurm = slurm
	for _, slurm.err = range []error{nil, client.ErrAway} {
		b.hearClosed(t.Context())()
		if n.barred != "" || other.barred != "partition fast is INACTIVE in Slurm" {
			t.Errorf("%v: %q, %q", slurm.err, n.barred, other.barred)
		}
		slurm.closed = nil
	}
	slurm.err = nil
	if b.hearClosed(t.Context())(); other.barred != "" {
		t.Errorf("it is open: %q", other.barred)
	}
}

// closedSlurm says which partitions begin nothing.
type closedSlurm struct {
	client.Slurm

	closed map[string]string
	err    error
}

func (s *closedSlurm) Closed(context.Context) (map[string]string, error) { return s.closed, s.err }

// Where nobody measures an array has had what its elements ran, and nothing of the time in which Slurm
// began none.
func TestWhatAnArrayHasHadThatStandsStill(t *testing.T) {
	r := sweptRun()
	at := func(started, ended, paused int64) func(*client.Job) {
		return func(j *client.Job) { j.Started, j.Ended, j.Paused = started, ended, paused }
	}
	r.fold(40, []client.Job{
		rowOf(1, client.Completed, at(100, 130, 5)), rowOf(4, client.Pending, because("PartitionDown")),
		rowOf(2, client.Completed, at(100, 110, 0)), rowOf(5, client.Running, at(150, 0, 10)),
		rowOf(3, client.Cancelled, nowhereEver, at(90, 95, 0)),
	}, 200)
	for rank, want := range []int64{25, 10 + 40, 0} {
		if got := r.had(rank, 200); got != want {
			t.Errorf("lane %d had %d s, want %d", rank, got, want)
		}
	}
	if got := r.had(0, 2000); got != 25 {
		t.Errorf("while it stands still it has had %d s", got)
	}
}
