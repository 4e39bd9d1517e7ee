package slurm

import (
	"maps"
	"reflect"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/limit"
)

// anew is what runs count for, each looked at.
func (b *Backend) anew() map[group]limit.Use {
	all := map[group]limit.Use{}
	for _, r := range b.runs {
		if !r.state.over() {
			is := group{limit.Who{User: r.User, QOS: r.qos}, b.partitionOf(r.Nodes)}
			use := all[is]
			use.Add(r.use())
			all[is] = use
		}
	}
	return all
}

// addedUp fails unless the sums that go along with the runs are those of the runs.
func addedUp(t *testing.T, b *Backend) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	has := map[group]limit.Use{}
	for is, sum := range b.added().by {
		has[is] = sum.use
	}
	if want := b.anew(); !maps.EqualFunc(has, want, func(x, y limit.Use) bool { return reflect.DeepEqual(x, y) }) {
		t.Errorf("added up they count for %+v, one by one for %+v", has, want)
	}
	for job, runs := range b.attempts {
		for _, r := range runs {
			if b.runs[r.key] != r || r.key.job != job {
				t.Errorf("run %s is none any more", r.key)
			}
		}
	}
}

// Whatever a run goes through, what its user has of Slurm's limits is known.
func TestSumsGoAlongWithRuns(t *testing.T) {
	b, n := idle(t, Agents)
	order := func(job int64, user string, env ...string) task.Order {
		return task.Order{Spec: task.Spec{
			Key: task.Key{Job: job}, Size: 1, Nodes: []string{"n1"}, User: user, Argv: []string{"true"}, Memory: 1 << 30, GPUs: 1, GPUKind: "a100", Env: env,
		}, CPU: 1}
	}
	d := task.Desired{Version: 2, LeaseMS: 60_000}
	apply := func(orders ...task.Order) {
		d.Orders = orders
		d.Version++
		b.applyOrders(n, &d)
		addedUp(t, b)
	}
	one, two := order(11, "ann"), order(12, "ann", task.Licenses+"=fluent:2")
	apply(one, two)
	apply(one, two, order(13, "bob"))
	wide := order(14, "bob")
	wide.Spec.Size = 2
	apply(one, two, wide)
	other := wide
	other.Spec.Rank = 1 // it comes later
	apply(one, two, wide, other)
	r := b.runs[runKey{12, 0}]
	steps := []struct {
		name string
		do   func()
	}{
		{"sent", func() { r.on(sent) }},
		{"known", func() { b.assignID(r, 40) }},
		{"licensed", func() { r.licensed = true; r.moved() }},
		{"an array", func() { r.array.is = true; r.moved() }},
		{"its node is in another partition", func() { n.slurm.Partition = "other"; b.addAnew() }},
		{"forgotten", func() { r.forget() }},
		{"over", func() { r.ends(verdict{state: task.Refused}, b.cfg.Now()) }},
	}
	for _, step := range steps {
		b.mu.Lock()
		step.do()
		b.mu.Unlock()
		addedUp(t, b)
		if t.Failed() {
			t.Fatal(step.name)
		}
	}
	apply(one)
	b.mu.Lock()
	read := b.newRun(runKey{15, 0}, 99) // without an order, as by a restart
	b.mu.Unlock()
	addedUp(t, b)
	b.mu.Lock()
	for _, gone := range []*run{r, read} {
		delete(b.runs, gone.key)
		b.drops(gone)
	}
	b.mu.Unlock()
	addedUp(t, b)
	if of := len(b.attempts[12]) + len(b.attempts[15]); of != 0 {
		t.Errorf("%d attempts of jobs of which there is none", of)
	}
}
