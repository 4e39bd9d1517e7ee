package agent

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// fakeGroups are groups that note what was asked of them.
type fakeGroups struct {
	missing   []string
	processes int64
	groups    map[string]*fakeGroup

	memory, pids int64 // of all
}

func newFakeGroups(missing ...string) *fakeGroups {
	return &fakeGroups{missing: missing, groups: map[string]*fakeGroup{}}
}

func (f *fakeGroups) Make(name string, l cgroup.Limits) (cgroup.Group, error) {
	g := &fakeGroup{name: name}
	f.groups[name] = g
	return g, g.Set(l)
}

func (f *fakeGroups) Find(name string) (cgroup.Group, bool) {
	g, ok := f.groups[name]
	return g, ok
}

func (f *fakeGroups) List() ([]string, error)   { return nil, nil }
func (f *fakeGroups) SetWeight(float64) error   { return nil }
func (f *fakeGroups) SetCapacity(float64) error { return nil }
func (f *fakeGroups) SetRoom(memory, pids int64) error {
	f.memory, f.pids = memory, pids
	return nil
}
func (f *fakeGroups) Processes() int64  { return f.processes }
func (f *fakeGroups) Kind() string      { return "fake" }
func (f *fakeGroups) Missing() []string { return f.missing }

type fakeGroup struct {
	name   string
	said   []string
	sets   []cgroup.Limits
	frozen bool
	fail   error
	usage  cgroup.Usage
}

func (g *fakeGroup) Name() string { return g.name }
func (g *fakeGroup) Set(l cgroup.Limits) error {
	if g.fail != nil {
		return g.fail
	}
	g.sets = append(g.sets, l)
	g.frozen = l.CPU == 0
	return nil
}
func (g *fakeGroup) Enter() cgroup.EnterSpec { return cgroup.EnterSpec{} }
func (g *fakeGroup) Adopt(int) error         { return nil }
func (g *fakeGroup) Freeze() error           { g.frozen = true; return g.note("freeze") }
func (g *fakeGroup) Thaw() error             { return g.note("thaw") }
func (g *fakeGroup) Frozen() bool            { return g.frozen }

func (g *fakeGroup) Kill(context.Context) error   { return g.note("kill") }
func (g *fakeGroup) Signal(syscall.Signal) error  { return g.note("signal") }
func (g *fakeGroup) Procs() ([]int, error)        { return []int{1}, nil }
func (g *fakeGroup) Usage() (cgroup.Usage, error) { return g.usage, nil }
func (g *fakeGroup) Used() (time.Duration, error) { return g.usage.CPU, nil }
func (g *fakeGroup) Remove() error                { return g.note("remove") }
func (g *fakeGroup) note(word string) error       { g.said = append(g.said, word); return nil }

func fakeRunner(t *testing.T, groups *fakeGroups) (*runner, *fakeGroup) {
	t.Helper()
	a, err := New(Config{Node: "n", StateDir: "/none", CPUs: []int{4, 6}, Self: "/none"}, newBoard(), groups, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(a, task.Key{Job: 1})
	r.phase, r.folder = tended, folder(t.TempDir())
	r.status.State = task.Running
	group := &fakeGroup{usage: cgroup.Usage{Procs: 1}}
	r.group = group
	return r, group
}

func TestOnlyWhatChangedIsSet(t *testing.T) {
	r, group := fakeRunner(t, newFakeGroups())
	order := task.Order{CPU: 0.5, Weight: 2, Processor: 1, Spec: task.Spec{Memory: 1 << 20}}
	r.limit(&order)
	r.limit(&order)
	again := order
	r.limit(&again)
	want := cgroup.Limits{CPU: 0.5, Weight: 2, CPUs: []int{6}, Processors: 1, Memory: 1 << 20, Pids: DefaultProcesses}
	if len(group.sets) != 1 || !same(group.sets[0], want) {
		t.Fatalf("set %+v, want once %+v", group.sets, want)
	}
	again.CPU = 0
	r.limit(&again)
	if got, _ := r.current(); got.State != task.Frozen || !group.frozen {
		t.Errorf("state %s", got.State)
	}
	again.CPU = 0.25
	r.limit(&again)
	if got, _ := r.current(); got.State != task.Running || len(group.sets) != 3 || r.meter.share != 0.25 {
		t.Errorf("state %s after %+v", got.State, group.sets)
	}
}

func TestLimitsThatWereRefusedAreSetAgain(t *testing.T) {
	r, group := fakeRunner(t, newFakeGroups())
	group.fail = errors.New("no")
	order := task.Order{CPU: 0.5}
	r.limit(&order)
	if r.meter.share != 0 {
		t.Error("counts on a share that was not granted")
	}
	group.fail = nil
	r.limit(&order)
	if len(group.sets) != 1 {
		t.Errorf("set %+v", group.sets)
	}
}

func TestWhatSomebodyThawsIsFrozenAgain(t *testing.T) {
	r, group := fakeRunner(t, newFakeGroups())
	order := task.Order{CPU: 0}
	r.limit(&order)
	group.frozen = false
	r.limit(&order)
	if !slices.Equal(group.said, []string{"freeze"}) {
		t.Errorf("said %v", group.said)
	}
	order.CPU = 0.5
	r.limit(&order)
	if !slices.Equal(group.said, []string{"freeze", "thaw"}) || r.held {
		t.Errorf("said %v", group.said)
	}
}

func TestWhatANodeCannotEnforceIsNotAskedFor(t *testing.T) {
	r, group := fakeRunner(t, newFakeGroups("cpuset", "memory", "pids", "weight"))
	r.limit(&task.Order{CPU: 0.5, Weight: 3, Spec: task.Spec{Memory: 1 << 20}})
	if len(group.sets) != 1 || !same(group.sets[0], cgroup.Limits{CPU: 0.5, Processors: 1}) {
		t.Errorf("set %+v", group.sets)
	}
}
