package slurm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/libra-market/libra/live/slurm/client"
)

// fakeSlurm is a Slurm in memory: what its controller believes, and the
// processes on the nodes, which go on whatever the controller believes. It can
// forget its last seconds and give numbers out again, hang, answer that it did
// not do what it did, and leave jobs out of a listing.
type fakeSlurm struct {
	mu    sync.Mutex
	luck  *rand.Rand
	next  int64
	jobs  map[int64]*fakeJob
	procs []*fakeProcess
	nodes map[string]bool // up
	drain map[string]bool // they start nothing
	past  []fakePast
	tick  int64 // so that no two submissions are at the same second

	trouble float64         // how probable it is that a call goes wrong
	away    bool            // the controller does not answer
	born    int64           // since when it runs
	booked  map[string]bool // nodes that are reserved for later: they look well, and nothing starts
	limit   string          // why no job is started at all
	still   int             // so many starts fail before there is a process
	lost    map[string]bool // comments of jobs that were forgotten

	begun map[string]string // by node and number: the comment of what began there under it
	twice []string          // what a node was to begin under the number of another

	most   map[string]int // processes of a comment at the same time, at most
	starts map[string]int
}

type fakeJob struct {
	client.Job
	want     fakeProgram
	limit    time.Duration
	released time.Time
}

// fakeProgram is what a job does: it takes a time and ends.
type fakeProgram struct {
	takes time.Duration
	exit  int
}

// fakeProcess is a job that runs on its nodes.
type fakeProcess struct {
	id      int64
	comment string
	nodes   []string
	since   time.Time
	until   time.Time
	exit    int
	killed  bool
	done    bool
}

type fakePast struct {
	at   time.Time
	next int64
	jobs map[int64]fakeJob
}

var errFake = errors.New("the answer was lost")

func newFakeSlurm(seed uint64, nodes ...string) *fakeSlurm {
	f := &fakeSlurm{
		luck: rand.New(rand.NewPCG(seed, 7)), next: 1, jobs: map[int64]*fakeJob{}, nodes: map[string]bool{}, drain: map[string]bool{}, booked: map[string]bool{},
		lost: map[string]bool{}, begun: map[string]string{}, most: map[string]int{}, starts: map[string]int{},
	}
	for _, n := range nodes {
		f.nodes[n] = true
	}
	return f
}

// call is what every call goes through: it may hang, or lose its answer before
// or after it took effect.
func (f *fakeSlurm) call(ctx context.Context, effect func() error) error {
	f.mu.Lock()
	away, hang := f.away, f.luck.Float64() < f.trouble/4
	early, late := f.luck.Float64() < f.trouble, f.luck.Float64() < f.trouble
	delay := time.Duration(f.luck.IntN(40)) * time.Millisecond
	f.mu.Unlock()
	if away || hang {
		pause(ctx, 9*time.Second)
		return errFake
	}
	pause(ctx, delay)
	if ctx.Err() != nil && early || ctx.Err() == nil && early {
		return errFake
	}
	f.mu.Lock()
	err := effect()
	f.mu.Unlock()
	if late {
		return errFake
	}
	return err
}

func (f *fakeSlurm) Name() string { return "a fake" }

func (f *fakeSlurm) Ping(ctx context.Context) error { return f.call(ctx, func() error { return nil }) }

func (f *fakeSlurm) Submit(ctx context.Context, s client.Submission) (int64, error) {
	var id int64
	err := f.call(ctx, func() error {
		if strings.Contains(s.Script, "refuse me") {
			return fmt.Errorf("%w: as asked for", client.ErrRefused)
		}
		id = f.next
		f.next++
		f.tick++
		f.jobs[id] = &fakeJob{
			Job: client.Job{
				ID: id, Name: s.Name, Comment: s.Comment, User: s.User, State: client.Pending, Held: true, Wanted: s.Nodes,
				Submitted: time.Now().Unix()*1000 + f.tick,
			},
			want: programOf(s.Script), limit: s.Limit,
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

// programOf reads what the program of a script does: "takes 3s exit 4".
func programOf(script string) fakeProgram {
	var p fakeProgram
	_, rest, _ := strings.Cut(script, "takes ")
	var takes string
	_, _ = fmt.Sscanf(rest, "%s exit %d", &takes, &p.exit)
	p.takes, _ = time.ParseDuration(takes)
	return p
}

func (f *fakeSlurm) Began(ctx context.Context) (int64, error) {
	var born int64
	err := f.call(ctx, func() error { born = f.born; return nil })
	return born, err
}

func (f *fakeSlurm) Release(ctx context.Context, id int64, nodes []string) error {
	return f.call(ctx, func() error {
		j := f.jobs[id]
		if j == nil || j.State != client.Pending {
			return fmt.Errorf("%w: no such job", client.ErrRefused)
		}
		j.Held, j.released, j.Wanted = false, time.Now(), nodes
		return nil
	})
}

func (f *fakeSlurm) Cancel(ctx context.Context, id int64, _ bool) error {
	return f.call(ctx, func() error { f.end(id, client.Cancelled); return nil })
}

// end ends a job, and its processes if there are any. The lock is held.
func (f *fakeSlurm) end(id int64, how client.State) {
	j := f.jobs[id]
	if j == nil || j.State.Over() {
		return
	}
	for _, p := range f.procs {
		if p.id == id && p.comment == j.Comment && !p.done {
			p.done, p.killed = true, true
		}
	}
	j.State, j.Ended, j.Signal, j.Held = how, time.Now().Unix(), 15, false
}

func (f *fakeSlurm) Jobs(ctx context.Context, _ string) ([]client.Job, error) {
	var jobs []client.Job
	err := f.call(ctx, func() error {
		empty := f.luck.Float64() < f.trouble/4
		for _, id := range slices.Sorted(maps.Keys(f.jobs)) {
			if !empty {
				jobs = append(jobs, f.jobs[id].Job)
			}
		}
		return nil
	})
	return jobs, err
}

func (f *fakeSlurm) Nodes(ctx context.Context, _ string) ([]client.Node, error) {
	var nodes []client.Node
	err := f.call(ctx, func() error {
		for _, name := range slices.Sorted(maps.Keys(f.nodes)) {
			nodes = append(nodes, client.Node{Name: name, Up: f.nodes[name], Draining: f.drain[name], Processors: 4, MemoryMB: 1000})
		}
		return nil
	})
	return nodes, err
}

// run lets time pass in Slurm until ctx is done.
func (f *fakeSlurm) run(ctx context.Context) {
	for ctx.Err() == nil {
		f.step(time.Now())
		pause(ctx, 100*time.Millisecond)
	}
}

func (f *fakeSlurm) step(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.away {
		f.work(now, false)
		return
	}
	f.work(now, true)
	for _, id := range slices.Sorted(maps.Keys(f.jobs)) {
		j := f.jobs[id]
		if j.State != client.Pending || j.Held || now.Sub(j.released) < time.Second || !f.up(j.Wanted) {
			continue
		}
		if j.Reason = f.why(j); j.Reason != "" {
			continue
		}
		j.State, j.Started, j.Nodes = client.Running, now.Unix(), j.Wanted
		if f.still > 0 {
			f.still--
			j.State, j.Ended, j.Exit = client.Failed, j.Started, 1
			continue
		}
		if !f.launches(id, j) {
			continue
		}
		f.procs = append(f.procs, &fakeProcess{id: id, comment: j.Comment, nodes: j.Wanted, since: now, until: now.Add(j.want.takes), exit: j.want.exit})
		f.starts[j.Comment]++
		alive := 0
		for _, p := range f.procs {
			if p.comment == j.Comment && !p.done {
				alive++
			}
		}
		f.most[j.Comment] = max(f.most[j.Comment], alive)
	}
	past := fakePast{at: now, next: f.next, jobs: map[int64]fakeJob{}}
	for id, j := range f.jobs {
		past.jobs[id] = *j
	}
	f.past = append(f.past, past)
	if len(f.past) > 100 {
		f.past = f.past[1:]
	}
}

// work ends the processes whose time has come, and tells the controller of
// those that it knows.
func (f *fakeSlurm) work(now time.Time, tell bool) {
	for _, p := range f.procs {
		if !p.done && !now.Before(p.until) {
			p.done = true
		}
		j := f.jobs[p.id]
		if !tell || !p.done || j == nil || j.Comment != p.comment || j.State != client.Running {
			continue
		}
		j.Ended, j.Exit, j.State = now.Unix(), p.exit, client.Completed
		if p.killed {
			j.State, j.Exit, j.Signal = client.Failed, 0, 9
		} else if p.exit != 0 {
			j.State = client.Failed
		}
	}
}

// launches reports whether its nodes begin a job: one that has begun another under the
// same number does not, and the job is cancelled.
func (f *fakeSlurm) launches(id int64, j *fakeJob) bool {
	for _, node := range j.Nodes {
		place := fmt.Sprint(node, " ", id)
		if was := f.begun[place]; was != "" && was != j.Comment {
			f.twice = append(f.twice, fmt.Sprintf("%s began %s, and was to begin %s", place, was, j.Comment))
			j.State, j.Ended = client.Cancelled, j.Started
			return false
		}
		f.begun[place] = j.Comment
	}
	return true
}

// why is why the controller does not start a job whose nodes are up.
func (f *fakeSlurm) why(j *fakeJob) string {
	for _, n := range j.Wanted {
		if f.drain[n] || f.booked[n] {
			return "ReqNodeNotAvail, UnavailableNodes:" + n
		}
	}
	return f.limit
}

func (f *fakeSlurm) up(nodes []string) bool {
	for _, n := range nodes {
		if !f.nodes[n] {
			return false
		}
	}
	return true
}
