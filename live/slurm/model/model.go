package model

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
	"github.com/libra-market/libra/live/slurm/limit"
)

// Slurm is a Slurm in memory: what its controller believes, and the
// processes on the nodes, which go on whatever the controller believes. It can
// forget its last seconds and give numbers out again, hang, answer that it did
// not do what it did, and leave jobs out of a listing. What is exported of it is
// to be used with Mu held.
type Slurm struct {
	Mu    sync.Mutex
	luck  *rand.Rand
	next  int64
	Known map[int64]*Job // to the controller
	Procs []*process
	nodes map[string]bool // up
	Past  []past
	tick  int64 // so that no two submissions are at the same second

	// Chance gives the lots of a call by what it is about, and not by whose turn it is, so
	// that a day can be lived again; nil: whoever comes draws next.
	Chance func(about string) *rand.Rand

	// What a job does, and who is told that its processes begin: they are told when those
	// have ended. Nil: "takes 3s exit 4" in the script says it, and nobody.
	Program func(client.Submission) Program
	Watch   func(*Job) (over func())
	Forgets bool // a crash may make the controller forget its last seconds

	Drains  map[string]bool // nodes that start nothing
	Stopped map[string]bool // nodes whose slurmd was stopped, which the controller has not noticed
	slurmds map[string]int64
	Trouble float64         // how probable it is that a call goes wrong
	away    bool            // the controller does not answer
	unfound bool            // nodes have not found it yet
	born    int64           // since when it runs
	Backup  bool            // there is another to take over, and nobody can say when it did
	Booked  map[string]bool // nodes that are reserved for later: they look well, and nothing starts
	Limit   string          // why no job is started at all
	Shut    string          // in what state the partition is, where it begins nothing

	Reserved []limit.Reserved
	Licenses string // as scontrol says them
	Config   string // what scontrol says of accounting
	Manager  string // and of associations and QOS: what is used of them is the market's own

	Partition string          // what it says of the partition beside its name
	Still     int             // so many starts fail before there is a process
	Lost      map[string]bool // comments of jobs that were forgotten

	begun map[string]string // by node and number: the comment of what began there under it
	Twice []string          // what a node was to begin under the number of another

	Most   map[string]int // processes of a comment at the same time, at most
	Starts map[string]int
}

// Job is a job as the controller knows it.
type Job struct {
	client.Job
	Submission client.Submission
	Restarts   int    // how often it was put back into the queue
	Remark     string // what root has noted with it
	want       Program
	released   time.Time
}

// Program is what a job does: it takes a time and ends.
type Program struct {
	Takes time.Duration
	Exit  int
}

// process is a job that runs on its nodes.
type process struct {
	id      int64
	comment string
	nodes   []string
	since   time.Time
	until   time.Time
	exit    int
	killed  bool
	done    bool
	told    bool      // the controller has heard of its end: it is not told again if it forgets that
	halted  time.Time // since then it is suspended; zero: it is not
	over    func()    // nil: nobody waits for that
}

// ends ends it.
func (p *process) ends(killed bool) {
	p.done, p.killed = true, killed
	if p.over != nil {
		p.over()
	}
}

type past struct {
	at   time.Time
	next int64
	jobs map[int64]Job
}

// ErrLost is what is heard of a call whose answer was lost.
var ErrLost = errors.New("the answer was lost")

// New is a Slurm with nodes.
func New(seed uint64, nodes ...string) *Slurm {
	f := &Slurm{
		born: 1, // before everything
		luck: rand.New(rand.NewPCG(seed, 7)), Forgets: true, next: 1, Known: map[int64]*Job{}, nodes: map[string]bool{}, Drains: map[string]bool{}, Stopped: map[string]bool{}, slurmds: map[string]int64{}, Booked: map[string]bool{},
		Lost: map[string]bool{}, begun: map[string]string{}, Most: map[string]int{}, Starts: map[string]int{},
	}
	for _, n := range nodes {
		f.nodes[n] = true
	}
	return f
}

// lots are those of a call. The lock is held.
func (f *Slurm) lots(about string) *rand.Rand {
	if f.Chance != nil {
		return f.Chance(about)
	}
	return f.luck
}

// call is what every call goes through: it may hang, or lose its answer before
// or after it took effect.
func (f *Slurm) call(ctx context.Context, about string, effect func(*rand.Rand) error) error {
	f.Mu.Lock()
	luck := f.lots(about)
	away, hang := f.away, luck.Float64() < f.Trouble/4
	early, late := luck.Float64() < f.Trouble, luck.Float64() < f.Trouble
	delay := time.Duration(luck.IntN(40)) * time.Millisecond
	if f.Chance != nil { // and at an instant of its own
		delay += time.Duration(luck.IntN(int(time.Millisecond)))
	}
	f.Mu.Unlock()
	if away || hang {
		pause(ctx, 9*time.Second)
		return ErrLost
	}
	pause(ctx, delay)
	if early {
		return ErrLost
	}
	f.Mu.Lock()
	err := effect(luck)
	f.Mu.Unlock()
	if late {
		return ErrLost
	}
	return err
}

// now is the time of whoever runs it.
func now() time.Time { return time.Now() } //nolint:forbidigo // of a bubble

// pause waits, or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Name says what it is.
func (f *Slurm) Name() string { return "a fake" }

// Ping answers, or does not.
func (f *Slurm) Ping(ctx context.Context) error {
	return f.call(ctx, "ping", func(*rand.Rand) error { return nil })
}

// Submit takes a job in, held.
func (f *Slurm) Submit(ctx context.Context, s client.Submission) (int64, error) {
	var id int64
	err := f.call(ctx, "submit "+s.Name, func(*rand.Rand) error {
		if strings.Contains(s.Script, "refuse me") {
			return fmt.Errorf("%w: as asked for", client.ErrRefused)
		}
		id = f.next
		f.next++
		f.tick++
		f.Known[id] = &Job{
			Job: client.Job{
				ID: id, Name: s.Name, Comment: s.Comment, User: s.User, State: client.Pending, Held: true, Wanted: s.Nodes,
				Submitted: now().Unix()*1000 + f.tick,
			},
			want: f.programOf(&s), Submission: s,
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

// programOf is what a job does.
func (f *Slurm) programOf(s *client.Submission) Program {
	if f.Program != nil {
		return f.Program(*s)
	}
	script := s.Script
	var p Program
	_, rest, _ := strings.Cut(script, "takes ")
	var takes string
	_, _ = fmt.Sscanf(rest, "%s exit %d", &takes, &p.Exit)
	p.Takes, _ = time.ParseDuration(takes)
	return p
}

// Began is since when the controller runs; 0: nobody can say.
func (f *Slurm) Began(ctx context.Context) (int64, error) {
	var born int64
	err := f.call(ctx, "began", func(*rand.Rand) error {
		if !f.Backup {
			born = f.born
		}
		return nil
	})
	return born, err
}

// Limits are those of the partition: what else keeps a job waiting here is Limit.
func (f *Slurm) Limits(context.Context, string) (*limit.Site, error) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	return limit.Read(limit.Said{Config: f.Config, Manager: f.Manager, Partition: "PartitionName=libra " + f.Partition + "\n", Licenses: f.Licenses, Reserved: f.Reserved}), nil
}

// Reservations are those that there are.
func (f *Slurm) Reservations(context.Context) ([]limit.Reserved, error) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	return slices.Clone(f.Reserved), nil
}

// Closed says that the partition begins nothing, if it is so.
func (f *Slurm) Closed(context.Context) (map[string]string, error) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if f.Shut == "" {
		return nil, nil
	}
	return map[string]string{"libra": f.Shut}, nil
}

// Release lets a job start.
func (f *Slurm) Release(ctx context.Context, id int64, nodes []string) error {
	return f.call(ctx, fmt.Sprint("release ", id), func(*rand.Rand) error {
		j := f.Known[id]
		if j == nil || j.State != client.Pending {
			return fmt.Errorf("%w: no such job", client.ErrRefused)
		}
		j.Held, j.released, j.Wanted = false, now(), nodes
		return nil
	})
}

// Cancel ends a job.
func (f *Slurm) Cancel(ctx context.Context, id int64, _ bool) error {
	return f.call(ctx, fmt.Sprint("cancel ", id), func(*rand.Rand) error { f.end(id, client.Cancelled); return nil })
}

// end ends a job, and its processes if there are any. The lock is held.
func (f *Slurm) end(id int64, how client.State) {
	j := f.Known[id]
	if j == nil || j.State.Over() {
		return
	}
	for _, p := range f.Procs {
		if p.id == id && p.comment == j.Comment && !p.done {
			p.ends(true)
		}
	}
	j.State, j.Ended, j.Signal, j.Held = how, now().Unix(), 15, false
}

// Jobs lists what the controller knows.
func (f *Slurm) Jobs(ctx context.Context, _ string) ([]client.Job, error) {
	var jobs []client.Job
	err := f.call(ctx, "jobs", func(luck *rand.Rand) error {
		empty := luck.Float64() < f.Trouble/4
		for _, id := range slices.Sorted(maps.Keys(f.Known)) {
			if !empty {
				jobs = append(jobs, f.Known[id].Job)
			}
		}
		return nil
	})
	return jobs, err
}

// Nodes lists the nodes.
func (f *Slurm) Nodes(ctx context.Context, _ string) ([]client.Node, error) {
	var nodes []client.Node
	err := f.call(ctx, "nodes", func(*rand.Rand) error {
		for _, name := range slices.Sorted(maps.Keys(f.nodes)) {
			nodes = append(nodes, client.Node{Name: name, Up: f.nodes[name] && !f.unfound, Draining: f.Drains[name], Processors: 4, MemoryMB: 1000, Slurmd: f.slurmds[name]})
		}
		return nil
	})
	return nodes, err
}

// Run lets time pass in Slurm until ctx is done.
func (f *Slurm) Run(ctx context.Context) {
	for ctx.Err() == nil {
		f.step(now())
		pause(ctx, 100*time.Millisecond)
	}
}

func (f *Slurm) step(now time.Time) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if f.away {
		f.work(now, false)
		return
	}
	f.work(now, true)
	for _, id := range slices.Sorted(maps.Keys(f.Known)) {
		j := f.Known[id]
		f.putAway(j)
		if j.State != client.Pending || j.Held || now.Sub(j.released) < time.Second || !f.up(j.Wanted) {
			continue
		}
		if j.Reason = f.why(j); j.Reason != "" {
			continue
		}
		j.State, j.Started, j.Nodes = client.Running, now.Unix(), j.Wanted
		if f.Still > 0 {
			f.Still--
			j.State, j.Ended, j.Exit = client.Failed, j.Started, 1
			continue
		}
		if !f.launches(id, j) || f.guarded(j) {
			continue
		}
		p := &process{id: id, comment: j.Comment, nodes: j.Wanted, since: now, until: now.Add(j.want.Takes), exit: j.want.Exit}
		if f.Watch != nil {
			p.over = f.Watch(j)
		}
		f.Procs = append(f.Procs, p)
		f.Starts[j.Comment]++
		alive := 0
		for _, p := range f.Procs {
			if p.comment == j.Comment && !p.done {
				alive++
			}
		}
		f.Most[j.Comment] = max(f.Most[j.Comment], alive)
	}
	if !f.Forgets {
		return
	}
	was := past{at: now, next: f.next, jobs: map[int64]Job{}}
	for id, j := range f.Known {
		was.jobs[id] = *j
	}
	f.Past = append(f.Past, was)
	if len(f.Past) > 100 {
		f.Past = f.Past[1:]
	}
}

// work ends the processes whose time has come, and tells the controller of
// those that it knows.
func (f *Slurm) work(now time.Time, tell bool) {
	for _, p := range f.Procs {
		if !p.done && p.halted.IsZero() && !now.Before(p.until) {
			p.ends(false)
		}
		j := f.Known[p.id]
		if !tell || !p.done || p.told || j == nil || j.Comment != p.comment || j.State != client.Running {
			continue
		}
		p.told = true
		j.Ended, j.Exit, j.State = now.Unix(), p.exit, client.Completed
		if p.killed {
			j.State, j.Exit, j.Signal = client.Failed, 0, 9
		} else if p.exit != 0 {
			j.State = client.Failed
		}
	}
}

// launches reports whether its nodes begin a job: one that has begun another under the
// same number does not, and the job is cancelled. Nor does one where it runs already, if
// the controller is another that nodes have not told what they have.
func (f *Slurm) launches(id int64, j *Job) bool {
	for _, p := range f.Procs {
		if f.Backup && p.id == id && p.comment == j.Comment && !p.done {
			j.State, j.Ended = client.Cancelled, j.Started
			p.ends(true)
			return false
		}
	}
	for _, node := range j.Nodes {
		place := fmt.Sprint(node, " ", id)
		if was := f.begun[place]; was != "" && was != j.Comment {
			f.Twice = append(f.Twice, fmt.Sprintf("%s began %s, and was to begin %s", place, was, j.Comment))
			j.State, j.Ended = client.Cancelled, j.Started
			return false
		}
		f.begun[place] = j.Comment
	}
	return true
}

// why is why the controller does not start a job whose nodes are up.
func (f *Slurm) why(j *Job) string {
	for _, n := range j.Wanted {
		if f.Drains[n] || f.Booked[n] {
			return "ReqNodeNotAvail, UnavailableNodes:" + n
		}
	}
	if f.Shut != "" {
		return "PartitionDown"
	}
	return f.Limit
}

func (f *Slurm) up(nodes []string) bool {
	for _, n := range nodes {
		if !f.nodes[n] || f.Stopped[n] {
			return false
		}
	}
	return true
}
