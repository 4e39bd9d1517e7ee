package world

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/slurm"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/model"
	"github.com/libra-market/libra/live/store"
)

// slurmEvery: one day in so many runs on Slurm, without agents: jobs have whole
// processors, and Slurm says what became of them.
const slurmEvery = 8

// slurmWidth is how many processors the nodes of the model have.
const slurmWidth = 4

// onSlurm makes it a day on Slurm.
func (d *Day) onSlurm(r *rand.Rand) {
	d.Slurm, d.Policy, d.Faults = true, drawWhole(r), nil
	for i := range d.Nodes {
		d.Nodes[i] = Node{CPUs: slurmWidth, Speed: 1}
	}
	for i := range d.Deeds {
		e := &d.Deeds[i]
		e.Request.Optional, e.Refines, e.Refuse = nil, 0, false
	}
	kinds := []string{
		crashes, crashes, stops, fills, unsure, upgrades, pauses, stepsOn, stepsBack, restores, restores,
		slurmDies, slurmDies, slurmFails, slurmDrains, slurmLoses,
	}
	for range r.IntN(7) {
		f := Fault{At: between(r, 5*time.Second, d.Long), Kind: kinds[r.IntN(len(kinds))], Node: -1, For: between(r, time.Second, 40*time.Second)}
		if f.Kind == slurmFails || f.Kind == slurmDrains {
			f.Node = r.IntN(len(d.Nodes))
		}
		f.Copied = f.Kind == restores && r.IntN(2) == 0
		d.Faults = append(d.Faults, f)
	}
	slices.SortFunc(d.Faults, func(a, b Fault) int { return int(a.At - b.At) })
}

// drawWhole is a policy that gives whole processors: without agents nobody holds a job
// of Slurm's to less.
func drawWhole(r *rand.Rand) string {
	kinds := slices.DeleteFunc(slices.Clone(policy.Kinds()), func(k policy.Kind) bool { return k.TimeShared })
	return kinds[r.IntN(len(kinds))].Name
}

// site is a cluster that Slurm runs, by its model.
type site struct {
	*model.Slurm

	w     *World
	mu    sync.Mutex
	name  string // of the drive of who serves
	count map[string]int64
}

// openSlurm begins a Slurm. What its jobs are known by is drawn by the seed.
func (w *World) openSlurm() {
	names := make([]string, len(w.day.Nodes))
	for i := range names {
		names[i] = fmt.Sprintf("n%d", i+1)
	}
	s := &site{Slurm: model.New(w.day.Seed, names...), w: w, count: map[string]int64{}}
	s.Forgets, s.Program, s.Watch = false, s.program, s.watch
	s.Chance = s.lots
	w.slurm = s
	body, err := json.Marshal(map[string]string{"mark": "world", "secret": w.secret("slurm")})
	if err == nil {
		err = w.disk.Open().PutNotes(w.alive, []store.Note{{Kind: "slurm-market", Key: "identity", Body: body}})
	}
	if err != nil {
		w.fail("slurm: %v", err)
	}
	w.running.Go(func() {
		if sleep(w.alive, between(w.chance("slurm"), 0, 100*time.Millisecond)) {
			s.Run(w.alive)
		}
	})
}

// lots are those of a call, by what it is about and how often that was so since there
// is a new backend: whether the last one began a call in its last instant says nothing.
func (s *site) lots(about string) *rand.Rand {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count[about]++
	return s.w.chance("slurm "+s.name+" "+about, s.count[about])
}

// program is what a job really does, by its name.
func (s *site) program(sub client.Submission) model.Program {
	i := -1
	if _, err := fmt.Sscanf(sub.Name, "deed-%d", &i); err != nil || i < 0 || i >= len(s.w.day.Deeds) {
		return model.Program{Takes: time.Second}
	}
	d := &s.w.day.Deeds[i]
	return model.Program{Takes: time.Duration(d.Seconds / d.Hungry * 1e9), Exit: d.Exit}
}

// watch notes what runs, rank by rank.
func (s *site) watch(j *model.Job) func() {
	_, rest, _ := strings.Cut(j.Submission.Script, "# libra: job ")
	var key task.Key
	if _, err := fmt.Sscanf(rest, "%d, attempt %d", &key.Job, &key.Attempt); err != nil {
		s.w.fail("a job of Slurm's that is nobody's: %v", err)
	}
	number := strings.TrimPrefix(j.Submission.Name, "deed-")
	began := s.w.at()
	var overs []func(time.Duration)
	for rank := range max(1, j.Submission.Tasks) {
		key.Rank = rank
		_, over := s.w.begins(strings.Join(j.Submission.Nodes, "+"), &task.Spec{Key: key, Argv: []string{"work", number}})
		overs = append(overs, over)
	}
	return func() {
		for _, over := range overs {
			over(s.w.at() - began)
		}
	}
}

// suffer breaks something of Slurm's for a while.
func (s *site) suffer(w *World, f *Fault) {
	name := fmt.Sprintf("n%d", f.Node+1)
	set := func(change func()) { s.Mu.Lock(); change(); s.Mu.Unlock() }
	switch f.Kind {
	case slurmDies:
		s.Crash(w.alive, false)
	case slurmFails:
		s.FailNode(w.alive, name, f.For)
	case slurmDrains:
		set(func() { s.Drains[name] = true })
		sleep(w.alive, f.For)
		set(func() { s.Drains[name] = false })
	case slurmLoses:
		set(func() { s.Trouble += 0.2 })
		sleep(w.alive, f.For)
		set(func() { s.Trouble = max(0, s.Trouble-0.2) })
	}
}

// serve lets a backend run for a controller; it ends with ctx.
func (s *site) serve(ctx context.Context, c *controller.Controller, notes *drive, leads func() error, on *host) (<-chan struct{}, error) {
	s.mu.Lock()
	s.name, s.count = notes.name, map[string]int64{}
	s.mu.Unlock()
	b, err := slurm.New(ctx, slurm.Config{Partition: "libra", Control: slurm.None, Now: on.now, Log: s.w.log, Leads: leads}, desk{c, s}, s, notes)
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	s.w.running.Go(func() { defer close(ended); b.Run(ctx) })
	return ended, nil
}

// desk is the controller as a backend sees it; everybody comes at an instant of their own.
type desk struct {
	*controller.Controller

	site *site
}

var _ slurm.Fleet = desk{}

// coming gives a call its instants, by what it is about.
func (d desk) coming(ctx context.Context, about string) context.Context {
	h := fnv.New32a()
	_, _ = h.Write([]byte(about)) // it never fails
	return context.WithValue(ctx, turnKey{}, turns{d.site.lots(about), time.Duration(h.Sum32() % 1000)})
}

func (d desk) Hello(ctx context.Context, h task.Hello) (task.Welcome, error) {
	return d.Controller.Hello(d.coming(ctx, "hello "+h.Node), h)
}

func (d desk) Wanted(ctx context.Context, node string, after int64, wait time.Duration) (task.Desired, []dispatch.Want, error) {
	return d.Controller.Wanted(d.coming(ctx, "desired "+node), node, after, wait)
}

func (d desk) Report(ctx context.Context, r task.Report) (task.Reply, error) {
	slices.SortFunc(r.Tasks, func(a, b task.Status) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Attempt, b.Attempt))
	})
	about := "report " + r.Node
	for i := range r.Tasks {
		about += fmt.Sprint(" ", r.Tasks[i].Key, r.Tasks[i].State)
	}
	return d.Controller.Report(d.coming(ctx, about), r)
}

func (d desk) Lose(ctx context.Context, node, why string) error {
	return d.change(d.coming(ctx, "lose "+node), &trade.NodeChange{Node: node, Why: why})
}

func (d desk) Turn(ctx context.Context, node string, door trade.Door, why string, aheadUS int64) error {
	return d.change(d.coming(ctx, "turn "+node), &trade.NodeChange{Node: node, Door: door, Why: why, AheadUS: aheadUS})
}

func (d desk) Withhold(ctx context.Context, node string, gpus int) error {
	return d.change(d.coming(ctx, "withhold "+node), &trade.NodeChange{Node: node, Withheld: &gpus})
}

func (d desk) change(ctx context.Context, n *trade.NodeChange) error {
	_, _, err := d.Do(ctx, trade.Command{By: trade.Identity{User: "root", Role: trade.RoleOwner}, Node: n}, trade.Key{})
	return err
}
