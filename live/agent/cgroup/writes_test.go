package cgroup

import (
	"errors"
	"slices"
	"testing"
)

// notebook is a layout that only writes down what it is told.
type notebook struct {
	layout
	told   []string
	refuse string
}

var errRefused = errors.New("refused")

func (n *notebook) note(what string) error {
	n.told = append(n.told, what)
	if what == n.refuse {
		return errRefused
	}
	return nil
}

func (n *notebook) setQuota(string, int64) error    { return n.note("quota") }
func (n *notebook) setWeight(string, float64) error { return n.note("weight") }
func (n *notebook) setMemory(string, int64) error   { return n.note("memory") }
func (n *notebook) setPids(string, int64) error     { return n.note("pids") }
func (n *notebook) setCPUs(string, []int) error     { return n.note("cpus") }

func (n *notebook) freeze(_ string, frozen bool) error {
	if frozen {
		return n.note("freeze")
	}
	return n.note("thaw")
}

func (n *notebook) frozen(string) (frozen, thawed bool, err error) {
	last := n.told[len(n.told)-1]
	return last == "freeze", last == "thaw", nil
}

func TestOnlyWhatChangedIsWritten(t *testing.T) {
	n := &notebook{}
	tree := &kernelTree{layout: n}
	tree.capacity.Store(noQuota)
	g := &kernelGroup{tree: tree, name: "job"}
	for _, step := range []struct {
		name   string
		limits Limits
		refuse string
		want   []string
	}{
		{"first", Limits{CPU: 0.5, Weight: 2}, "", []string{"memory", "pids", "cpus", "weight", "quota", "thaw"}},
		{"again", Limits{CPU: 0.5, Weight: 2}, "", nil},
		{"within rounding", Limits{CPU: 0.499999, Weight: 2}, "", nil},
		{"quota", Limits{CPU: 0.3, Weight: 2}, "", []string{"quota"}},
		{"weight and memory", Limits{CPU: 0.3, Memory: 1}, "", []string{"memory", "weight"}},
		{"the default is one", Limits{CPU: 0.3, Memory: 1, Weight: 1}, "", nil},
		{"within a page", Limits{CPU: 0.3, Memory: 4000}, "", nil},
		{"processors", Limits{CPU: 0.3, Memory: 1, CPUs: []int{1, 0}}, "", []string{"cpus"}},
		{"in another order", Limits{CPU: 0.3, Memory: 1, CPUs: []int{0, 1, 1}}, "", nil},
		{"frozen", Limits{CPU: 0, Memory: 1, CPUs: []int{0, 1}}, "", []string{"freeze"}},
		{"frozen, and another weight", Limits{CPU: 0, Weight: 3, Memory: 1, CPUs: []int{0, 1}}, "", []string{"weight"}},
		{"as before", Limits{CPU: 0.3, Weight: 3, Memory: 1, CPUs: []int{0, 1}}, "", []string{"thaw"}},
		{"refused", Limits{CPU: 0.4, Weight: 3, Memory: 1, CPUs: []int{0, 1}}, "quota", []string{"quota"}},
		{"so it is not known, even if as before", Limits{CPU: 0.3, Weight: 3, Memory: 1, CPUs: []int{0, 1}}, "", []string{"quota"}},
		{"no limit", Limits{CPU: -1, Weight: 3, Memory: 1, CPUs: []int{0, 1}}, "", []string{"quota"}},
		{"no limit, said otherwise", Limits{CPU: -7, Weight: 3, Memory: 1, CPUs: []int{0, 1}}, "", nil},
	} {
		n.told, n.refuse = nil, step.refuse
		if err := g.Set(step.limits); errors.Is(err, errRefused) != (step.refuse != "") {
			t.Fatalf("%s: %v", step.name, err)
		}
		if !slices.Equal(n.told, step.want) {
			t.Errorf("%s: wrote %v, want %v", step.name, n.told, step.want)
		}
	}
}
