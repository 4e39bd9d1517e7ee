package webtest

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/libra-market/libra/core/task"
)

// Node is a machine that a test plays: it does what it is told, on paper. How
// much work a task really is, its script says: "work 3s". What it writes is what
// follows echo, and a line for every step of its work.
type Node struct {
	f     *Floor
	name  string
	mu    sync.Mutex
	tasks map[task.Key]*played
}

type played struct {
	order  task.Order
	work   time.Duration
	cpu    time.Duration
	lines  []string
	began  time.Time
	ended  bool
	killed bool
}

// Join lets a node of so many processors join the market.
func (f *Floor) Join(name string, processors int) *Node { return f.JoinIn("", name, processors) }

// JoinIn is a node of a partition.
func (f *Floor) JoinIn(partition, name string, processors int) *Node {
	f.Helper()
	_, err := f.Market.Hello(context.Background(), task.Hello{
		Node: name, Processors: processors, Rating: 1, Speed: 1, MemoryMB: 64 << 10, DiskMB: 1 << 20, Boot: "b", Limits: "cgroup v2", Agent: "test",
		Partition: partition,
	})
	if err != nil {
		f.Fatal(err)
	}
	return &Node{f: f, name: name, tasks: map[task.Key]*played{}}
}

// Play lets the node work in real time until the test ends.
func (n *Node) Play() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	n.f.Cleanup(func() { cancel(); <-done })
	go func() {
		defer close(done)
		last := n.f.Clock.Now()
		for ctx.Err() == nil {
			now := n.f.Clock.Now()
			n.Turn(ctx, now.Sub(last))
			last = now
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
			}
		}
	}()
}

// Turn lets so much time pass on the node: it takes in what it should do, works,
// and reports.
func (n *Node) Turn(ctx context.Context, passed time.Duration) {
	d, err := n.f.Market.Desired(ctx, n.name, -1, 0)
	if err != nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	wanted := map[task.Key]bool{}
	report := task.Report{Node: n.name, Version: d.Version}
	for _, o := range d.Orders {
		wanted[o.Spec.Key] = true
		report.Tasks = append(report.Tasks, n.advance(o, passed))
	}
	for key := range n.tasks {
		if !wanted[key] {
			n.tasks[key].ended = true // what it wrote can still be read
		}
	}
	for _, t := range d.Tails {
		_ = n.f.Market.Chunk(ctx, n.name, t.ID, n.tail(t)) // it may have been answered already
	}
	if len(report.Tasks) > 0 {
		_, _ = n.f.Market.Report(ctx, report) // the next one says it again
	}
}

var amount = regexp.MustCompile(`work ([0-9.]+(?:ms|s|m|h))`)

func (n *Node) advance(o task.Order, passed time.Duration) task.Status {
	p := n.tasks[o.Spec.Key]
	if p == nil {
		p = &played{work: 2 * time.Second, began: n.f.Clock.Now()}
		text := string(o.Spec.Script) + strings.Join(o.Spec.Argv, " ")
		if m := amount.FindStringSubmatch(text); m != nil {
			if work, err := time.ParseDuration(m[1]); err == nil {
				p.work = work
			}
		}
		for line := range strings.Lines(text) {
			if said, ok := strings.CutPrefix(strings.TrimSpace(line), "echo "); ok {
				p.lines = append(p.lines, said)
			}
		}
		n.tasks[o.Spec.Key] = p
		passed = 0
	}
	before := p.order.CPU
	p.order = o
	if !p.ended {
		p.cpu += time.Duration(float64(passed) * before)
	}
	s := task.Status{Key: o.Spec.Key, State: task.Running, CPUUS: p.cpu.Microseconds(), StartedUS: p.began.UnixMicro(), PeakBytes: 64 << 20}
	switch {
	case o.Stop != task.GoOn:
		p.ended, p.killed = true, true
	case p.cpu >= p.work:
		p.ended, p.cpu = true, p.work
	}
	if p.ended {
		s.State, s.CPUUS, s.EndedUS = task.Ended, p.cpu.Microseconds(), n.f.Clock.Now().UnixMicro()
		if p.killed {
			s.Signal = "SIGTERM"
		}
	}
	return s
}

// tail is a piece of what a task has written.
func (n *Node) tail(t task.Tail) task.Chunk {
	p := n.tasks[t.Key]
	if p == nil {
		return task.Chunk{Error: "no such file"}
	}
	var text strings.Builder
	for _, line := range p.lines {
		text.WriteString(line + "\n")
	}
	step := max(p.work/20, time.Millisecond)
	for at := step; at <= p.cpu; at += step {
		fmt.Fprintf(&text, "step %2d of 20   %s\n", at/step, at.Round(time.Millisecond))
	}
	if p.ended && !p.killed {
		text.WriteString("done\n")
	}
	all := []byte(text.String())
	from := t.Offset
	if from < 0 {
		from = max(0, int64(len(all))+from)
	}
	from = min(from, int64(len(all)))
	to := min(int64(len(all)), from+t.Limit)
	return task.Chunk{Offset: from, Size: int64(len(all)), Data: all[from:to]}
}
