package world

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent"
	"github.com/libra-market/libra/live/link"
	"github.com/libra-market/libra/live/store"
)

// World is one run of a day.
type World struct {
	day   *Day
	dir   string
	log   *slog.Logger
	began time.Time

	openedAt time.Duration // when everybody was there, and the day began

	alive   context.Context // until all is over
	stop    context.CancelFunc
	running sync.WaitGroup
	acting  atomic.Int64 // users, and who restores a backup, who are not done yet
	builds  atomic.Int64 // of the program, so far

	restoring chan struct{} // who puts a backup in the place of the store
	dismiss   func()        // the operator: nothing more is done then
	nodes     []*node
	slurm     *site // nil: agents run the jobs
	seats     []*seat

	mu       sync.Mutex
	disk     *store.Memory
	cuts     map[[2]string]int
	calm     bool             // the weather is good
	runs     map[int64][]*run // by job
	finished []*run
	outcomes []outcome
	lines    []string // what happened, each with its time
	wrong    []string // what should not have
	restored []span
	policy   string
	leading  *drive // who led last
}

// span is a time of the day.
type span struct{ from, to time.Duration }

func (w *World) hasRestored() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.restored) > 0
}

// Result is what came of a day.
type Result struct {
	Wrong  []string // empty: all is well
	Digest string   // of all that happened
	Lines  []string
	Jobs   map[string]int64 // by state
	Took   time.Duration    // of virtual time
}

// Run lives through a day in a bubble of testing/synctest, with a directory for the
// agents' files.
func Run(d *Day, dir string, log *slog.Logger) *Result {
	w := &World{
		day: d, dir: dir, log: log, began: time.Now(), //nolint:forbidigo // of the bubble
		disk: store.NewMemory("first"), restoring: make(chan struct{}, 1), cuts: map[[2]string]int{}, runs: map[int64][]*run{}, policy: d.Policy,
	}
	if log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	w.alive, w.stop = context.WithCancel(context.Background())
	w.open()
	w.openedAt = w.at()
	w.schedule()
	time.Sleep(d.Long)
	w.heal()
	w.settle()
	w.close()
	w.judge()
	return w.result()
}

// open lets the controllers and the agents begin, and gives everybody money.
func (w *World) open() {
	w.addTokens()
	if w.day.Slurm {
		w.openSlurm()
	}
	w.seats = append(w.seats, w.newSeat(0))
	if w.day.Standby {
		w.seats = append(w.seats, w.newSeat(1))
	}
	for _, s := range w.seats {
		s.start()
		time.Sleep(50 * time.Millisecond)
	}
	w.fund()
	if w.day.Slurm {
		return
	}
	for i := range w.day.Nodes {
		n := w.newNode(i, &w.day.Nodes[i])
		w.nodes = append(w.nodes, n)
		if err := w.furnish(n); err != nil {
			w.fail("%s: %v", n.name, err)
		}
		n.startAgent()
	}
}

// furnish gives a node what it would make of chance otherwise.
func (w *World) furnish(n *node) error {
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(n.dir, "seat"), []byte("seat-"+n.name), 0o600)
}

// startAgent lets an agent run the node.
func (n *node) startAgent() {
	n.mu.Lock()
	if n.stop != nil || n.on.Err() != nil {
		n.mu.Unlock()
		return
	}
	ctx, cancel := context.WithCancel(n.on)
	done := make(chan struct{})
	n.stop = func() { cancel(); <-done }
	n.mu.Unlock()
	cpus := make([]int, n.spec.CPUs)
	for i := range cpus {
		cpus[i] = i
	}
	c, err := client.New("http://market", n.w.secret(n.name), client.Options{Way: n.w.newLine(n.host), Retries: -1})
	if err != nil {
		n.w.fail("%s: %v", n.name, err)
		return
	}
	a, err := agent.New(agent.Config{
		Node: n.name, StateDir: n.dir, Version: "world", CPUs: cpus, Rating: n.spec.Speed, MemoryMB: 4096, DiskMB: 10_000,
		Processes: -1, AllProcesses: -1, OutputMB: -1, Self: "/none", Machine: n,
	}, link.New(c, n.name), n, n.w.log)
	if err != nil {
		n.w.fail("%s: %v", n.name, err)
		return
	}
	n.w.running.Go(func() {
		defer close(done)
		if err := a.Run(ctx); err != nil {
			n.w.fail("agent of %s: %v", n.name, err)
		}
	})
}

// stopAgent ends it; what it started goes on.
func (n *node) stopAgent() {
	n.mu.Lock()
	stop := n.stop
	n.stop = nil
	n.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// schedule lets everybody do what they do, and things break.
func (w *World) schedule() {
	for i := range w.day.Deeds {
		w.acting.Add(1)
		w.running.Go(func() { defer w.acting.Add(-1); w.act(i) })
	}
	w.hire()
	for i := range w.day.Faults {
		// A backup that is restored when all has ended makes some of it begin again.
		awaited := int64(0)
		if w.day.Faults[i].Kind == restores {
			awaited = 1
		}
		w.acting.Add(awaited)
		w.running.Go(func() { defer w.acting.Add(-awaited); w.break_(i) })
	}
}

// settle waits until nothing is under way any more: nobody is starved. When everybody has
// asked for what they want, and nothing breaks any more, what is there takes no longer
// than if it were done piece by piece on the slowest node, each when it is due.
func (w *World) settle() {
	const often = 7 * time.Second
	for w.acting.Load() > 0 { // they give up at some time
		time.Sleep(often)
	}
	most := w.mostLeft()
	for waited := time.Duration(0); waited < most; waited += often {
		if w.idle() {
			time.Sleep(2 * w.day.Report) // what nodes still have to say
			return
		}
		time.Sleep(often)
	}
	w.fail("after %s there are jobs that have not ended: %s", most, w.pending())
}

// mostLeft is how long at the most it can take until everything has ended.
func (w *World) mostLeft() time.Duration {
	most, due, slowest := 5*time.Minute+3*w.day.Lease, time.Duration(0), w.day.Nodes[0].Speed
	for _, n := range w.day.Nodes {
		slowest = min(slowest, n.Speed)
	}
	for _, f := range w.day.Faults {
		most = max(most, 5*time.Minute+3*w.day.Lease+f.At+f.For-w.day.Long)
	}
	jobs := w.jobs()
	for i := range jobs {
		j := &jobs[i]
		if j.State.Final() {
			continue
		}
		seconds, hungry := 1.0, 1.0
		if d := w.deedOf(j); d != nil {
			seconds, hungry = d.Seconds+d.Refines, d.Hungry
		}
		most += time.Duration(seconds / slowest / hungry * 1e9)
		// Some policies give a job no more than it needs to be in time, and one that sleeps
		// makes less of that.
		due = max(due, time.Duration(float64(j.DueUS-w.began.UnixMicro())*1e3/hungry)-w.at())
	}
	return most + due
}

// close ends everything in order.
func (w *World) close() {
	w.dismiss()
	for _, n := range w.nodes {
		n.stopAgent()
	}
	w.audit()
	for _, s := range w.seats { // all at once: one that waits to lead must not follow on one that ends
		s.kills()
	}
	for _, s := range w.seats {
		s.end()
	}
	w.stop()
	w.running.Wait()
}

// at is the time of the day.
func (w *World) at() time.Duration { return time.Since(w.began) } //nolint:forbidigo // of the bubble

// note writes down what happened.
func (w *World) note(format string, args ...any) {
	at, text := w.at(), fmt.Sprintf(format, args...)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, fmt.Sprintf("%016.9f %s", at.Seconds(), text))
}

// fail writes down what should not have happened.
func (w *World) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.note("WRONG: %s", text)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrong = append(w.wrong, text)
}

func (w *World) result() *Result {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.Sort(w.lines) // what happened at the same instant has no order
	sum := sha256.New()
	_, _ = sum.Write([]byte(strings.Join(w.lines, "\n"))) // it never fails
	last, _, err := w.disk.Open().Last(context.Background())
	if err == nil {
		_, _ = sum.Write(last.Hash)
	}
	counts, _ := w.disk.Open().CountJobs(context.Background(), store.Query{})
	return &Result{Wrong: w.wrong, Digest: hex.EncodeToString(sum.Sum(nil)), Lines: w.lines, Jobs: counts, Took: w.at()}
}

// latency is how long a message takes.
func (w *World) latency(r *rand.Rand) time.Duration {
	if r.IntN(40) == 0 {
		return between(r, 10*time.Millisecond, 900*time.Millisecond)
	}
	return between(r, 100*time.Microsecond, 5*time.Millisecond)
}

type weather struct{ lose, repeat float64 }

func (w *World) weather() weather {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.calm {
		return weather{}
	}
	return weather{w.day.Lose, w.day.Repeat}
}

// cut reports whether what one host says does not reach another.
func (w *World) cut(from, to string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cuts[[2]string{from, to}] > 0 || w.cuts[[2]string{from, "*"}] > 0 || w.cuts[[2]string{"*", to}] > 0
}

func (w *World) setCut(from, to string, by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cuts[[2]string{from, to}] += by
}

// heal makes all good again: what is under way has to come to an end.
func (w *World) heal() {
	w.mu.Lock()
	w.calm = true
	w.mu.Unlock()
}

// program is what a task really does.
type program struct {
	seconds float64 // of processor time, on all its processors
	refines float64 // beyond that, of what is optional
	hungry  float64
	exit    int
	refuse  bool
	obeys   time.Duration // negative: it does not
}

// program finds out what a task does: its argument names the deed.
func (w *World) program(s *task.Spec) program {
	p := program{seconds: 1, hungry: 1}
	if len(s.Argv) == 2 {
		if i, err := strconv.Atoi(s.Argv[1]); err == nil && i >= 0 && i < len(w.day.Deeds) {
			d := &w.day.Deeds[i]
			p = program{seconds: d.Seconds, refines: d.Refines, hungry: d.Hungry, exit: d.Exit, refuse: d.Refuse, obeys: time.Duration(d.ObeysMS) * time.Millisecond}
		}
	}
	p.seconds *= float64(s.Processors()) * float64(max(1, s.Len()))
	p.refines *= float64(s.Processors())
	return p
}

// run is a program that ran on a node.
type run struct {
	key          task.Key
	deed         string // whose program it was
	node         string
	began, ended time.Duration // of the day
	used         time.Duration
	done         time.Duration // when the mandatory part was; 0: that was all of it
	optional     time.Duration // used by the other
}

// kept is when what was promised of it was done.
func (r *run) kept() time.Duration {
	if r.done != 0 {
		return r.done
	}
	return r.ended
}

// begins notes that a program runs. No two of a task may at the same time, and no two
// attempts of a job.
func (w *World) begins(node string, s *task.Spec) (r *run, over func(used time.Duration)) {
	r = &run{key: s.Key, deed: "deed-" + s.Argv[len(s.Argv)-1], node: node, began: w.at()}
	w.note("%s begins %v", node, s.Key)
	w.mu.Lock()
	var beside *run
	for _, other := range w.runs[s.Job] {
		if other.key.Rank == s.Rank || other.key.Attempt != s.Attempt {
			beside = other
		}
	}
	w.runs[s.Job] = append(w.runs[s.Job], r)
	w.mu.Unlock()
	if beside != nil && !w.hasRestored() {
		w.fail("two at a time: %v begins on %s while %v runs on %s", s.Key, node, beside.key, beside.node)
	}
	return r, func(used time.Duration) {
		r.ended, r.used = w.at(), used
		if r.done != 0 {
			r.optional += used
		}
		w.note("%s ends %v after %s", node, s.Key, used)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.finished = append(w.finished, r)
		w.runs[s.Job] = slices.DeleteFunc(w.runs[s.Job], func(o *run) bool { return o == r })
	}
}
