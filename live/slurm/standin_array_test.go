package slurm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
)

// queueArrays is a queueSlurm that can be told of elements.
type queueArrays struct {
	*queueSlurm

	asked []client.Submission
	keeps *error // nothing is dropped, and this is said of it
}

func (q *queueArrays) Submit(ctx context.Context, s client.Submission) (int64, error) {
	id, err := q.queueSlurm.Submit(ctx, s)
	if s.Array != "" {
		j := &q.jobs[len(q.jobs)-1]
		j.Array = j.ID
		var from, to int
		if _, err = fmt.Sscanf(s.Array, "%d-%d", &from, &to); err != nil {
			return 0, err
		}
		for e := from; e <= to; e++ {
			j.Elements = append(j.Elements, e)
		}
	}
	q.asked = append(q.asked, s)
	return id, err
}

func (q *queueArrays) Limits(context.Context, string) (*limit.Site, error) {
	return limit.Read(limit.Said{Config: "MaxArraySize = 1001\n", Partition: "PartitionName=libra\n"}), nil
}

func (q *queueArrays) Place(context.Context, int64, []client.Link) ([]client.Link, error) {
	return nil, nil
}

func (q *queueArrays) Drop(_ context.Context, id int64, elements []int) error {
	if q.keeps != nil {
		return *q.keeps
	}
	for i := range q.jobs {
		if j := &q.jobs[i]; j.ID == id {
			j.Elements = slices.DeleteFunc(slices.Clone(j.Elements), func(e int) bool { return slices.Contains(elements, e) })
		}
	}
	return nil
}

func (q *queueArrays) Numbers(context.Context, int64) ([]int64, error) { return nil, nil }

func (q *queueArrays) LetGo(context.Context, int64, []client.Link) error { return nil }

func (q *queueArrays) Throttle(context.Context, int64, int) error { return nil }

func (q *queueArrays) Arrays() bool { return true }

// linedArrays is a backend before such a Slurm, with one node whose agent holds elements together.
func linedArrays(t *testing.T) (*Backend, *queueArrays, *fakeLine) {
	t.Helper()
	b, q, l := lined(t)
	arrays := &queueArrays{queueSlurm: q}
	b.slurm = arrays
	b.nodes["n1"].hello = &task.Hello{Node: "n1", Processors: 4, Elements: true}
	return b, arrays, l
}

// waitingArray is the task of an array that waits, of elements 1 to 9.
func waitingArray(job int64) task.Spec {
	s := waitingTask(job)
	s.Span = &task.Span{First: 1, Step: 1, Count: 9}
	return s
}

// arrayBegins is the submission of that, now that it is put on so many lanes.
func arrayBegins(t *testing.T, b *Backend, spec task.Spec, lanes int) (s client.Submission, id int64, err error) {
	t.Helper()
	r := &run{key: runKey{spec.Job, spec.Attempt}, nonce: "n", binding: binding{Nodes: []string{"n1"}}}
	var orders []task.Order
	for rank := range lanes {
		lane := spec
		lane.Size, lane.Rank, lane.BornUS = lanes, rank, 99
		lane.Nodes = slices.Repeat([]string{"n1"}, lanes)
		lane.Span = &task.Span{First: spec.Span.First + rank*spec.Span.Step, Step: lanes * spec.Span.Step, Count: (spec.Span.Count - rank + lanes - 1) / lanes}
		orders = append(orders, task.Order{Spec: lane})
	}
	s, err = b.submission(r, orders, "libra")
	if err != nil {
		t.Fatal(err)
	}
	id, _, err = b.handIn(t.Context(), r.key, &orders[0].Spec, s)
	return s, id, err
}

// An array that waits has a number in Slurm, under which its elements run, as many at a time as it was
// sold with. That is not known before.
func TestAnArrayStandsIn(t *testing.T) {
	b, q, l := linedArrays(t)
	b.StandIn(t.Context(), waitingArray(12), 5, "libra")
	if b.Stands(12, 0).Number != "71" || len(q.asked) != 1 || q.asked[0].Array != "1-9" || !q.asked[0].Later {
		t.Fatalf("it is %q: %+v", b.Stands(12, 0).Number, q.asked)
	}
	if use := b.had(had{})[runKey{12, standsIn}].use; use.Jobs+use.Waiting != 9 {
		t.Errorf("to Slurm's limits it is %+v", use)
	}

	// Who cancels one element has cancelled that alone, also where Slurm has given it a number of its own.
	q.jobs[0].Elements = []int{1, 2, 4, 5, 6, 7, 8, 9}
	own := q.jobs[0]
	own.ID, own.Elements, own.State = 72, []int{3}, client.Cancelled
	if others := lists(b, noon, append(slices.Clone(q.jobs), own)); len(others) != 0 || len(l.withdrawn)+len(q.cancelled) != 0 {
		t.Errorf("withdrawn %v, ended %v, others %v", l.withdrawn, q.cancelled, others)
	}
	b.going.Wait()
	if fmt.Sprint(l.left) != "[12 [1 2 4 5 6 7 8 9]]" {
		t.Errorf("the market is told %q", l.left)
	}
	if use := b.had(had{})[runKey{12, standsIn}].use; use.Jobs+use.Waiting != 8 {
		t.Errorf("without that it is %+v", use)
	}
	if lists(b, noon, append(slices.Clone(q.jobs), own)); len(l.left) != 1 {
		t.Errorf("it is told again: %q", l.left)
	}

	again, err := New(t.Context(), b.cfg, b.fleet, q, b.notes)
	if err != nil {
		t.Fatal(err)
	}
	again.ctx, again.standIns.open = t.Context(), true
	again.node("n1").hello = b.nodes["n1"].hello
	again.nodes["n1"].slurm = b.nodes["n1"].slurm
	s, id, err := arrayBegins(t, again, waitingArray(12), 2)
	if id != 71 || err != nil || q.adopted[71].Array != "1-9%2" || s.Comment != q.adopted[71].Comment || len(q.cancelled) != 0 {
		t.Errorf("it runs as %d: %v, told %+v", id, err, q.adopted)
	}
	lists(again, noon, append(slices.Clone(q.jobs), own)) // what was cancelled has the old comment
	if len(q.cancelled) != 0 || len(again.standIns.of) != 0 {
		t.Errorf("ended %v, standing %v", q.cancelled, again.standIns.of)
	}
}

func TestAnArrayThatStandsInIsFollowed(t *testing.T) {
	for name, c := range map[string]struct {
		happens         func(*Backend, *queueArrays)
		withdrawn, ends bool
	}{
		"all are cancelled in Slurm": {func(_ *Backend, q *queueArrays) { // then it lists none of them
			q.jobs[0].State, q.jobs[0].Array, q.jobs[0].Elements = client.Cancelled, 0, nil
		}, true, false},
		"one is let go": {func(_ *Backend, q *queueArrays) {
			own := q.jobs[0]
			own.ID, own.Elements, own.Held = 72, []int{3}, false
			q.jobs = append(q.jobs, own)
		}, false, true},
		"its user cancels it": {func(b *Backend, _ *queueArrays) { b.StandDown(12) }, false, true},
	} {
		b, q, l := linedArrays(t)
		b.StandIn(t.Context(), waitingArray(12), 5, "libra")
		c.happens(b, q)
		lists(b, noon, q.jobs)
		lists(b, noon.Add(askEach), q.jobs)
		if slices.Contains(l.withdrawn, 12) != c.withdrawn || slices.Contains(q.cancelled, 71) != c.ends || b.standIns.of[12] != nil {
			t.Errorf("%s: withdrawn %v, ended %v, standing %v", name, l.withdrawn, q.cancelled, b.standIns.of)
		}
	}
}

// Where the array is another than the one that waited, it gets another number.
func TestAnArrayIsAnotherThanItsStandIn(t *testing.T) {
	for name, change := range map[string]func(*task.Spec, *Backend){
		"another script":             func(s *task.Spec, _ *Backend) { s.Script = []byte("#!/bin/sh\nfalse\n") },
		"it is begun again":          func(s *task.Spec, _ *Backend) { s.Attempt = 1 },
		"a node holds them no more":  func(_ *task.Spec, b *Backend) { b.nodes["n1"].hello.Elements = false },
		"Slurm takes no arrays here": func(_ *task.Spec, b *Backend) { b.slurm = b.slurm.(*queueArrays).queueSlurm },
	} {
		b, q, _ := linedArrays(t)
		b.StandIn(t.Context(), waitingArray(12), 5, "libra")
		spec := waitingArray(12)
		change(&spec, b)
		if _, id, err := arrayBegins(t, b, spec, 1); id != 72 || err != nil || len(q.adopted) != 0 || !slices.Equal(q.cancelled, []int64{71}) {
			t.Errorf("%s: it runs as %d: %v; ended %v", name, id, err, q.cancelled)
		}
	}
}

// After aftercorr not all elements run: the others are cancelled before the rest has the number, and
// where they are there still nothing begins.
func TestFewerElementsThanStoodIn(t *testing.T) {
	fewer := waitingArray(12)
	fewer.Span = &task.Span{First: 1, Step: 2, Count: 4} // 1, 3, 5, 7
	b, q, _ := linedArrays(t)
	b.StandIn(t.Context(), waitingArray(12), 5, "libra")
	q.jobs[0].Elements = []int{1, 2, 4, 5, 6, 7, 8, 9} // its user has cancelled one
	if _, id, err := arrayBegins(t, b, fewer, 2); id != 71 || err != nil || !slices.Equal(q.jobs[0].Elements, []int{1, 5, 7}) || q.adopted[71].Array != "1-7:2%2" {
		t.Errorf("it runs as %d: %v; left are %v", id, err, q.jobs[0].Elements)
	}
	for _, said := range []error{nil, client.ErrAway} {
		b, q, _ = linedArrays(t)
		b.StandIn(t.Context(), waitingArray(12), 5, "libra")
		q.keeps = &said
		if _, id, err := arrayBegins(t, b, fewer, 2); id != 0 || !errors.Is(err, errNotAsked) || len(q.adopted)+len(q.cancelled) != 0 || b.standIns.of[12] == nil {
			t.Errorf("%v: it runs as %d: %v", said, id, err)
		}
	}
}

// Whether an array is one in Slurm the agents say: those who wait are asked for a stand-in again then.
func TestAnArrayWaitsForAWordOfTheAgents(t *testing.T) {
	b, q, l := linedArrays(t)
	hello := b.nodes["n1"].hello
	b.nodes["n1"].hello = nil
	if b.StandIn(t.Context(), waitingArray(12), 5, "libra"); len(q.jobs) != 0 {
		t.Errorf("it stands as %+v", q.jobs)
	}
	b.cfg.Line = l
	for range mostMissed + 2 {
		lists(b, noon, nil)
	}
	b.nodes["n1"].hello = hello
	if b.StandIn(t.Context(), waitingArray(12), 5, "libra"); l.asked != 1 || b.Stands(12, 0).Number != "71" {
		t.Errorf("asked for all who wait %d times; it is %q", l.asked, b.Stands(12, 0).Number)
	}
	b, q, _ = linedArrays(t)
	q.refuses = errors.New("no answer")
	b.StandIn(t.Context(), waitingArray(12), 5, "libra")
	if _, id, err := arrayBegins(t, b, waitingArray(12), 2); id != 0 || err == nil || b.standIns.of[12] == nil {
		t.Errorf("nobody knows whether Slurm has heard: it runs as %d: %v", id, err)
	}
}

// What the market cannot be told of elements that were cancelled it is told again. Meanwhile the array
// does not begin.
func TestElementsThatTheMarketIsNotToldOf(t *testing.T) {
	b, q, l := linedArrays(t)
	b.StandIn(t.Context(), waitingArray(12), 5, "libra")
	q.jobs[0].Elements = []int{1, 9}
	look := func() {
		lists(b, noon, slices.Clone(q.jobs))
		b.going.Wait()
	}
	l.fails = errors.New("away")
	if look(); b.standIns.of[12].Elements != 9 || b.standIns.of[12].busy {
		t.Errorf("nobody has heard, and it is %+v", b.standIns.of[12])
	}
	l.fails, b.standIns.of[12].busy = nil, true
	if look(); len(l.left) != 0 {
		t.Errorf("it begins, and the market is told %q", l.left)
	}
	b.standIns.of[12].busy = false
	if look(); fmt.Sprint(l.left) != "[12 [1 9]]" || b.standIns.of[12].Elements != 2 {
		t.Errorf("told %q: %+v", l.left, b.standIns.of[12])
	}
}
