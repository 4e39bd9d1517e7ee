package slurm

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
)

// oneLane is a run whose job in Slurm is an array of elements 1 to 5, one after the other.
func oneLane() *run {
	r := sweptRun()
	r.orders, r.size, r.Nodes = map[int]task.Order{}, 0, nil
	r.setOrder(&task.Order{Spec: task.Spec{
		Key: task.Key{Job: 7}, Size: 1, Nodes: []string{"n1"}, Elements: []int{1, 2, 3, 4, 5}, Script: []byte("#!/bin/sh\n"), User: "ann", Env: []string{submitDir + "=/home/ann"},
	}})
	return r
}

// Who cancels elements that wait lets those go that wait for them, while others before them in their lane
// run: all of a lane could run at once, with memory and GPUs that were sold to others. They are told to
// wait for the last that has not ended, and Slurm runs no more at a time than there are lanes.
func TestWhoIsBehindACancelledElementWaits(t *testing.T) {
	b, _ := idle(t, Agents)
	b.slurm = &arraySlurm{Slurm: b.slurm}
	look := func(r *run, rows ...client.Job) {
		j := r.fold(40, rows, 200)
		r.job, r.asOf, r.acted, r.state = &j, noon, noon.Add(-time.Second), running
	}
	waits := because("Dependency")
	r := oneLane()
	look(r, rowOf(1, client.Running), rowOf(2, client.Pending, waits), rowOf(3, client.Pending, waits), rowOf(4, client.Pending, waits), rowOf(5, client.Pending, waits))
	if w := (&world{now: noon}); r.lags(w) || len(b.links(r)) > 0 {
		t.Errorf("all is well, and it is told %v", b.links(r))
	}
	cut := []client.Job{rowOf(1, client.Running), rowOf(2, client.Cancelled, nowhereEver), rowOf(3, client.Pending), rowOf(4, client.Cancelled, nowhereEver), rowOf(5, client.Pending)}
	look(r, cut...)
	want := []client.Link{link(3, "n1", 1), link(5, "n1", 3)}
	if got := b.links(r); !slices.Equal(got, want) || !r.lags(&world{now: noon}) {
		t.Fatalf("told are %v, want %v", got, want)
	}
	if _, err := b.place(t.Context(), r, 40); err != nil {
		t.Fatal(err)
	}
	if look(r, cut...); r.lags(&world{now: noon}) || len(b.links(r)) > 0 {
		t.Errorf("they are told again: %v", b.links(r))
	}
	look(r, rowOf(1, client.Completed), cut[1], rowOf(3, client.Pending), cut[3], rowOf(5, client.Pending))
	if r.lags(&world{now: noon}) {
		t.Errorf("the next is about to begin, and they are told %v", b.links(r))
	}
	later := oneLane() // of a market that was started anew: once more does no harm
	if look(later, cut...); !slices.Equal(b.links(later), want) {
		t.Errorf("after a start they are told %v", b.links(later))
	}
	early := oneLane() // they were cancelled before any was let go
	look(early, rowOf(1, client.Running), cut[1], rowOf(3, client.Pending, keptBack), rowOf(4, client.Pending, keptBack), rowOf(5, client.Pending, keptBack))
	if got, want := b.links(early), []client.Link{link(3, "n1", 1), link(4, "n1", 3), link(5, "n1", 4)}; !slices.Equal(got, want) {
		t.Errorf("let go are %v, want %v", got, want)
	}
	all, three := sweptBackend(t)
	all.nodes["n1"].hello, all.nodes["n2"].hello = &task.Hello{Elements: true}, &task.Hello{Elements: true}
	all.slurm = &arraySlurm{Slurm: roomySlurm{all.slurm}}
	if s, err := all.submission(three, three.inOrder(), "libra"); err != nil || s.Array != "1-5%3" {
		t.Errorf("Slurm is told of %q: %v", s.Array, err)
	}
}

// endsSlurm notes which jobs were ended.
type endsSlurm struct {
	client.Slurm
	ended chan int64
}

func (s *endsSlurm) Cancel(_ context.Context, id int64, _ bool) error {
	s.ended <- id
	return nil
}

// Slurm lets anybody say how many elements of an array may run at a time, and says no only then. Where
// that is fewer than were sold it is told so again; where more run, those that began last are cancelled,
// but not by the number by which all would be.
func TestSomebodyHasSaidHowManyMayRun(t *testing.T) {
	limited := because("JobArrayTaskLimit")
	last := func(j *client.Job) { j.ID = 40 }
	for name, c := range map[string]struct {
		rows []client.Job
		few  bool
		ends []int64
	}{
		"fewer":                         {[]client.Job{rowOf(1, client.Running), rowOf(2, client.Pending, limited), rowOf(3, client.Pending, limited)}, true, nil},
		"as many, one is cancelled":     {[]client.Job{rowOf(1, client.Running), rowOf(2, client.Suspended), rowOf(3, client.Running), rowOf(4, client.Cancelled, nowhereEver), rowOf(5, client.Pending, limited)}, false, nil},
		"one of them is about to end":   {[]client.Job{rowOf(1, client.Running), rowOf(2, client.Running), rowOf(3, client.Completing), rowOf(5, client.Pending, limited)}, false, nil},
		"what is held is not let go":    {[]client.Job{rowOf(1, client.Running), rowOf(5, client.Pending, limited, func(j *client.Job) { j.Held = true })}, false, nil},
		"all is well":                   {[]client.Job{rowOf(1, client.Running), rowOf(5, client.Pending, because("Dependency"))}, false, nil},
		"more":                          {[]client.Job{rowOf(1, client.Running), rowOf(4, client.Running), rowOf(3, client.Running), rowOf(2, client.Suspended)}, false, []int64{44}},
		"and the last has all's number": {[]client.Job{rowOf(1, client.Running), rowOf(2, client.Running), rowOf(3, client.Running), rowOf(4, client.Running), rowOf(5, client.Running, last)}, false, []int64{44, 43}},
	} {
		b, r := sweptBackend(t)
		slurm := &endsSlurm{&arraySlurm{Slurm: b.slurm}, make(chan int64, 9)}
		b.slurm = slurm
		r.ID, r.state = 40, running
		b.byBatch[40] = r
		for i := range c.rows {
			c.rows[i].Comment = b.commentOf(r)
		}
		b.applyListing(noon, slices.Clone(c.rows))
		b.applyListing(noon, c.rows) // it takes a while to end
		b.going.Wait()
		close(slurm.ended)
		var ends []int64
		for id := range slurm.ended {
			ends = append(ends, id)
		}
		slices.Sort(ends)
		slices.Reverse(ends)
		if r.array.few != c.few || r.lags(&world{now: noon}) != (c.few || r.array.loose || len(r.array.waiting) > 0) || !slices.Equal(ends, c.ends) {
			t.Errorf("%s: too few %t, ended %v", name, r.array.few, ends)
		}
	}
	for _, few := range []bool{true, false} {
		b, r := sweptBackend(t)
		slurm := &arraySlurm{Slurm: b.slurm}
		b.slurm = slurm
		r.ID, r.state, r.vouched, r.array.is, r.array.few, r.job = 40, running, noon, true, few, &client.Job{}
		if b.advance(t.Context(), r); (slurm.most == 3) != few {
			t.Errorf("Slurm is told of %d", slurm.most)
		}
	}
}

// roomySlurm has room for arrays.
type roomySlurm struct{ client.Slurm }

func (roomySlurm) Limits(context.Context, string) (*limit.Site, error) {
	return limit.Read(limit.Said{Config: "MaxArraySize = 1001\n"}), nil
}

// The market was killed before it had the number of an array, and its user has cancelled all of it
// meanwhile: it did not succeed.
func TestAnArrayThatWasCancelledUnseen(t *testing.T) {
	b, r := sweptBackend(t)
	j := asHandedIn(b, r, 40)
	j.State, j.Held, j.Ended = client.Cancelled, false, 95
	b.applyListing(noon, []client.Job{j})
	w := b.world(r, noon)
	if r.infer(&w); r.state.over() {
		t.Fatalf("it ended as %+v", r.end)
	}
	b.applyListing(noon.Add(time.Second), []client.Job{j})
	if r.infer(&w); r.end == nil || r.end.state != task.Refused || !r.end.user {
		t.Errorf("it is %s: %+v", r.state, r.end)
	}
}

// What is left of an array is held in Slurm, and cannot be let go: it does not stand still for ever. Where
// its user may not be there any more, what has ended is paid for.
func TestAnArrayIsHeldForGood(t *testing.T) {
	for reason, c := range map[string]struct {
		after        time.Duration
		lost, barred bool
	}{
		"JobHeldAdmin":   {slowest - time.Second, false, false},
		"JobHeldUser":    {slowest, true, false},
		"InvalidAccount": {quiet, false, true},
		"BadConstraints": {quiet, false, true},
	} {
		r := oneLane()
		r.fold(40, []client.Job{rowOf(1, client.Completed), rowOf(2, client.Pending, keptBack, because(reason))}, 1000)
		r.checkStuck(&world{now: time.Unix(1000, 0).Add(c.after)})
		if (r.lost != "") != c.lost || (r.barred != "") != c.barred {
			t.Errorf("%s: lost %q, barred %q", reason, r.lost, r.barred)
		}
	}
}

// Between two elements of an array nothing runs, and Slurm does not say that anything does.
func TestAGapIsNotHollow(t *testing.T) {
	hollow := func(rows ...client.Job) bool {
		r := oneLane()
		j := r.fold(40, rows, 200)
		r.job, r.asOf, r.empty = &j, noon.Add(2*quiet), noon
		return r.hollow(&world{now: noon.Add(2 * quiet), control: Agents, good: noon})
	}
	if hollow(rowOf(1, client.Completed), rowOf(2, client.Pending, because("Resources"))) {
		t.Error("the next has not begun")
	}
	if !hollow(rowOf(1, client.Completed), rowOf(2, client.Running)) {
		t.Error("Slurm says that it runs")
	}
}

// shutSlurm says when slurmctld and the slurmd of its nodes were started.
type shutSlurm struct {
	client.Slurm
	nodes []client.Node
}

func (s *shutSlurm) Began(context.Context) (int64, error) { return 1, nil }

func (s *shutSlurm) Nodes(context.Context, string) ([]client.Node, error) { return s.nodes, nil }

// An element whose machine is shut down in order is said to have failed, by a signal: the array is begun
// anew. One that ended so by itself, while its slurmd was there, has failed, whatever node is started anew later.
func TestAnElementsNodeIsShutDown(t *testing.T) {
	struck := func(change func(*client.Job)) client.Job {
		return rowOf(1, client.Failed, func(j *client.Job) { j.Started, j.Ended, j.Signal = 101, 200, 15 }, change)
	}
	same := func(*client.Job) {}
	for name, c := range map[string]struct {
		row  client.Job
		n1   client.Node
		asks bool
		lost string
	}{
		"its slurmd is another":         {struck(same), client.Node{Name: "n1", Up: true, Slurmd: 205}, true, "element 1 was ended, and its node n1 was started anew"},
		"its node is gone":              {struck(same), client.Node{Name: "n1"}, true, "element 1 was ended, and its node n1 is gone"},
		"all is as it was":              {struck(same), client.Node{Name: "n1", Up: true, Slurmd: 50}, true, ""},
		"a shell was killed":            {struck(func(j *client.Job) { j.Signal, j.Exit = 0, 137 }), client.Node{Name: "n1"}, true, "element 1 was ended, and its node n1 is gone"},
		"it failed":                     {struck(func(j *client.Job) { j.Signal, j.Exit = 0, 1 }), client.Node{Name: "n1"}, false, ""},
		"its user has cancelled it":     {struck(func(j *client.Job) { j.State = client.Cancelled }), client.Node{Name: "n1"}, false, ""},
		"another node is started":       {struck(same), client.Node{Name: "n2", Up: true, Slurmd: 205}, true, ""},
		"it was cancelled, and nowhere": {struck(nowhereEver), client.Node{Name: "n1"}, false, ""},
	} {
		b, r := sweptBackend(t)
		nodes := []client.Node{{Name: "n1", Up: true, Slurmd: 50}, {Name: "n2", Up: true, Slurmd: 50}}
		for i := range nodes {
			if nodes[i].Name == c.n1.Name {
				nodes[i] = c.n1
			}
		}
		b.slurm = &shutSlurm{b.slurm, nodes}
		r.ID, r.state, r.asked = 40, running, noon
		w := &world{now: noon, control: Agents, orders: true, listed: noon}
		look := func(rows ...client.Job) action {
			j := r.fold(40, rows, 210)
			r.observeJob(&j, noon)
			r.vouched = noon
			return r.decide(w)
		}
		if does := look(c.row, rowOf(2, client.Running)); (does == inquire) != c.asks {
			t.Errorf("%s: it does %d", name, does)
			continue
		}
		b.inquire(t.Context(), r)
		if r.lost != c.lost {
			t.Errorf("%s: lost is %q", name, r.lost)
		}
		if does := look(c.row, rowOf(2, client.Running)); does == inquire {
			t.Errorf("%s: it is asked for ever", name)
		}
	}
	r := sweptRun() // whoever was asked about is not asked about again when all are over
	j := r.fold(40, []client.Job{struck(same), rowOf(2, client.Completed), rowOf(3, client.Completed), rowOf(4, client.Completed), rowOf(5, client.Completed)}, 210)
	r.job, r.array.struck = &j, nil
	if r.struckDown() || j.Signal != 15 {
		t.Errorf("%+v", j)
	}
}

// Slurm could not start one element, and others ran: it failed, and what the others did is told.
func TestSlurmCouldNotStartOne(t *testing.T) {
	r := sweptRun()
	j := r.fold(40, []client.Job{rowOf(1, client.Failed), rowOf(2, client.Completed), rowOf(3, client.Completed), rowOf(4, client.Completed), rowOf(5, client.Completed)}, 200)
	r.job, r.state = &j, running
	r.infer(&world{now: time.Unix(300, 0), control: None})
	if r.end == nil || r.end.state != task.Ended {
		t.Fatalf("%+v", r.end)
	}
	if s := r.status(0, None); s.Good() || s.State != task.Ended || len(s.Elements) != 2 || s.Elements[0].Signal == "" || s.CPUUS != 20e6 {
		t.Errorf("%+v", s)
	}
	if s := r.status(1, None); !s.Good() || len(s.Elements) != 2 {
		t.Errorf("the other lane: %+v", s)
	}
	r = oneLane()
	var rows []client.Job
	for e := 1; e <= 5; e++ {
		rows = append(rows, rowOf(e, client.Failed))
	}
	j = r.fold(40, rows, 200)
	r.job, r.state = &j, running
	if r.infer(&world{now: time.Unix(300, 0), control: None}); r.end == nil || r.end.state != task.Refused {
		t.Errorf("Slurm could start none: %+v", r.end)
	}
}

// Slurm is asked for all elements that are jobs, for everybody, time and again: there are not more of them
// in an array than it can list.
func TestVeryManyElementsAreOneJob(t *testing.T) {
	b := &Backend{slurm: &arraySlurm{}}
	env := []string{submitDir + "=/home/ann"}
	for n, want := range map[int]bool{mostSwept: true, mostSwept + 1: false} {
		specs := []task.Spec{{Span: &task.Span{First: 1, Step: 1, Count: n}, Env: env}}
		r := &trade.Request{Array: &trade.Array{First: 1, Last: n}, Env: env}
		if b.arraysOf(specs, 1<<20) != want || b.sweeps(r, 1<<20) != want {
			t.Errorf("of %d: %t, %t", n, b.arraysOf(specs, 1<<20), b.sweeps(r, 1<<20))
		}
	}
}
