package slurm

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// sweptRun is a run whose job in Slurm is an array of elements 1 to 5, on two lanes of n1 and one of n2.
func sweptRun() *run {
	r := &run{key: runKey{7, 0}, nonce: "abc", orders: map[int]task.Order{}, statuses: map[int]task.Status{}}
	nodes := []string{"n1", "n1", "n2"}
	for rank, elements := range [][]int{{1, 4}, {2, 5}, {3}} {
		r.setOrder(&task.Order{Spec: task.Spec{
			Key: task.Key{Job: 7, Rank: rank}, Size: 3, Nodes: nodes, Elements: elements, Script: []byte("#!/bin/sh\n"), User: "ann", Env: []string{submitDir + "=/home/ann"},
		}})
	}
	r.ID = 40
	return r
}

// rowOf is one element as Slurm lists it.
func rowOf(element int, state client.State, change ...func(*client.Job)) client.Job {
	j := client.Job{ID: int64(40 + element), Array: 40, Elements: []int{element}, State: state, User: "ann", Submitted: 90, Reason: "None"}
	if state != client.Pending {
		j.Started, j.Nodes = int64(100+element), []string{"n1"}
	}
	if state.Over() {
		j.Ended = int64(110 + element)
	}
	for _, c := range change {
		c(&j)
	}
	return j
}

func keptBack(j *client.Job) { j.Held, j.Reason = true, "JobHeldUser" }

func because(reason string) func(*client.Job) { return func(j *client.Job) { j.Reason = reason } }

func exits(code int) func(*client.Job) { return func(j *client.Job) { j.Exit = code } }

func nowhereEver(j *client.Job) { j.Nodes = nil }

func TestElementsAreOneJob(t *testing.T) {
	completed := func(elements ...int) (rows []client.Job) {
		for _, e := range elements {
			rows = append(rows, rowOf(e, client.Completed))
		}
		return rows
	}
	waits := because("Dependency")
	for name, c := range map[string]struct {
		rows  []client.Job
		want  client.State
		check func(*client.Job, *run) bool
	}{
		"handed in": {
			[]client.Job{{ID: 40, Array: 40, Elements: []int{1, 2, 3, 4, 5}, State: client.Pending, Held: true, Submitted: 90}},
			client.Pending,
			func(j *client.Job, r *run) bool { return j.Held && j.Started == 0 && len(r.array.waiting) == 5 },
		},
		"let go": {
			[]client.Job{rowOf(1, client.Pending), rowOf(2, client.Pending), rowOf(3, client.Pending), rowOf(4, client.Pending, waits), rowOf(5, client.Pending, keptBack)},
			client.Pending,
			func(j *client.Job, r *run) bool {
				return !j.Held && j.Reason == "None" && slices.Equal(r.array.waiting, []int{5})
			},
		},
		"what keeps the first is its reason": {
			[]client.Job{rowOf(4, client.Pending, waits), rowOf(5, client.Pending, because("Resources"))},
			client.Pending,
			func(j *client.Job, _ *run) bool { return j.Reason == "Resources" },
		},
		"two run": {
			append(completed(1), rowOf(2, client.Running), rowOf(3, client.Running), rowOf(4, client.Pending, waits)), client.Running,
			func(j *client.Job, r *run) bool {
				return j.Started == 101 && slices.Equal(r.array.members["n1"], []string{"42", "43"}) && len(r.array.done) == 1 && r.array.stuck == ""
			},
		},
		"between two":            {append(completed(1, 2, 3, 4), rowOf(5, client.Pending, because("Resources"))), client.Running, func(_ *client.Job, r *run) bool { return r.array.stuck == "Resources" }},
		"one ends, another runs": {[]client.Job{rowOf(1, client.Completing), rowOf(2, client.Running)}, client.Running, nil},
		"one ends, and more":     {[]client.Job{rowOf(1, client.Completing), rowOf(2, client.Pending, waits)}, client.Running, nil},
		"the last ends":          {append(completed(1, 2, 3, 4), rowOf(5, client.Completing)), client.Completing, nil},
		"suspended":              {append(completed(1), rowOf(2, client.Suspended), rowOf(3, client.Pending, waits)), client.Suspended, nil},
		"one suspended":          {[]client.Job{rowOf(1, client.Running), rowOf(2, client.Suspended)}, client.Running, nil},
		"one put back":           {[]client.Job{rowOf(1, client.Running), rowOf(2, client.Requeued)}, client.Requeued, nil},
		"all well":               {completed(1, 2, 3, 4, 5), client.Completed, func(j *client.Job, _ *run) bool { return j.Started == 101 && j.Ended == 115 && j.ID == 40 }},
		"the first bad is how it ended": {
			append(completed(1, 3, 5), rowOf(4, client.Failed, exits(7)), rowOf(2, client.Failed, exits(3))), client.Failed,
			func(j *client.Job, _ *run) bool { return j.Exit == 3 },
		},
		"cancelled by its user": {append(completed(1, 2), rowOf(3, client.Cancelled), rowOf(4, client.Cancelled, nowhereEver), rowOf(5, client.Cancelled, nowhereEver)), client.Cancelled, nil},
		"one cancelled by its user": {
			append(completed(1, 3, 4, 5), rowOf(2, client.Cancelled)), client.Failed,
			func(j *client.Job, _ *run) bool { return j.Signal == 15 },
		},
		"one lost with its node": {append(completed(1, 3, 4, 5), rowOf(2, client.NodeFail)), client.NodeFail, nil},
		"one is forgotten":       {completed(1, 3, 4, 5), client.NodeFail, func(j *client.Job, _ *run) bool { return j.Reason == unknownInSlurm }},
	} {
		r := sweptRun()
		if j := r.fold(40, c.rows, 200); j.State != c.want || c.check != nil && !c.check(&j, r) || j.ID != 40 {
			t.Errorf("%s: %+v of %+v", name, j, r.array)
		}
	}
	r := sweptRun()
	r.orders = map[int]task.Order{}
	if j := r.fold(40, completed(1, 2, 3, 4, 5), 200); j.State.Over() {
		t.Error("before the orders have come nobody knows that this was all")
	}
	nobodys := &run{}
	if j := nobodys.fold(40, completed(1, 2), 200); !j.State.Over() {
		t.Error("what is nobody's would be ended for ever")
	}
}

func TestElementsAreFoundByTheirComment(t *testing.T) {
	b := &Backend{byBatch: map[int64]*run{}, nodes: map[string]*node{}, numbers: numbers{of: map[int64]runKey{}}}
	b.Mark = "m"
	r := sweptRun()
	b.byBatch[40] = r
	ours := func(j *client.Job) { j.Comment = "libra:m:7.0:abc with a text" }
	rows := []client.Job{rowOf(1, client.Running, ours), rowOf(2, client.Pending, ours), {ID: 9, State: client.Running}, rowOf(3, client.Running, func(j *client.Job) { j.Array, j.Comment = 77, "a user's own" })}
	jobs := b.foldArrays(rows, 200)
	if len(jobs) != 3 || jobs[0].ID != 9 || jobs[1].Array != 77 || jobs[2].ID != 40 || jobs[2].State != client.Running {
		t.Errorf("%+v", jobs)
	}
	if !b.numbers.spent(41, runKey{8, 0}, 0) || b.numbers.spent(42, runKey{8, 0}, 0) || b.numbers.spent(41, r.key, 0) {
		t.Errorf("numbers that nodes have begun something under: %v", b.numbers.of)
	}
	other := []client.Job{rowOf(1, client.Completed, func(j *client.Job) { j.Comment = "libra:m:8.0:def" })} // the number is given out again
	if b.foldArrays(other, 300); len(r.array.done) > 0 {
		t.Error("what another did is taken for it")
	}
}

func TestElementsAreRemembered(t *testing.T) {
	r := sweptRun()
	r.fold(40, []client.Job{rowOf(1, client.Completed), rowOf(2, client.Failed, exits(2)), rowOf(3, client.Running)}, 200)
	j := r.fold(40, []client.Job{rowOf(3, client.Completed), rowOf(4, client.Completed), rowOf(5, client.Completed)}, 300) // Slurm forgets after a while
	if j.State != client.Failed || j.Exit != 2 || j.Started != 101 {
		t.Errorf("%+v", j)
	}
	w := &world{now: time.Unix(111+60, 0)}
	if r.note = durable; !r.unjotted(w) || r.array.oldest != 111 {
		t.Errorf("%+v", r.array)
	}
	w.now = time.Unix(111+59, 0)
	if r.unjotted(w) {
		t.Error("it is written down too often")
	}
	later := sweptRun()
	later.restore(note{binding: r.binding, Released: true, Done: r.array.done}, time.Unix(400, 0))
	if j = later.fold(40, []client.Job{rowOf(5, client.Completed)}, 400); j.State != client.Failed || j.Exit != 2 {
		t.Errorf("after a start: %+v", j)
	}
	later.fold(40, []client.Job{rowOf(5, client.Running)}, 400)
	if _, known := later.array.done[5]; known {
		t.Error("one that somebody has begun again has not ended")
	}
}

func link(element int, node string, after int) client.Link {
	return client.Link{Element: element, Node: node, After: after}
}

func TestElementsHaveTheirPlaces(t *testing.T) {
	b := &Backend{nodes: map[string]*node{"n1": {slurm: client.Node{Up: true}}, "n2": {slurm: client.Node{Up: true}}}}
	r := sweptRun()
	want := []client.Link{link(1, "n1", client.NoElement), link(2, "n1", client.NoElement), link(3, "n2", client.NoElement), link(4, "n1", 1), link(5, "n1", 2)}
	if got := b.links(r); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	at := func(node string) func(*client.Job) { return func(j *client.Job) { j.Wanted = []string{node} } }
	rows := []client.Job{rowOf(1, client.Completed), rowOf(2, client.Running), rowOf(3, client.Pending, at("n2")), rowOf(4, client.Pending, keptBack), rowOf(5, client.Pending, keptBack)}
	j := r.fold(40, rows, 200)
	r.job = &j
	want = []client.Link{link(4, "n1", client.NoElement), link(5, "n1", 2)}
	if got := b.links(r); !slices.Equal(got, want) {
		t.Errorf("of those that are held %v, want %v", got, want)
	}
	b.nodes["n2"].slurm.Draining = true
	want = []client.Link{link(3, "n1", client.NoElement), link(4, "n1", client.NoElement), link(5, "n1", 2)}
	if got := b.links(r); !slices.Equal(got, want) {
		t.Errorf("with a node that takes no new jobs %v, want %v", got, want)
	}
	b.nodes["n1"].slurm.Up = false
	if got := b.links(r); !slices.Equal(got, []client.Link{link(4, "n1", client.NoElement), link(5, "n1", 2)}) {
		t.Errorf("where there is no other they stay: %v", got)
	}
}

func TestWhenElementsAreToldAgain(t *testing.T) {
	now := time.Unix(1000, 0)
	lags := func(change func(r *run, w *world)) bool {
		r, w := sweptRun(), &world{now: now}
		j := r.fold(40, []client.Job{rowOf(1, client.Running), rowOf(4, client.Pending, keptBack)}, 200)
		r.job, r.asOf, r.acted, r.state = &j, now, now.Add(-time.Second), running
		change(r, w)
		return r.lags(w)
	}
	for name, c := range map[string]struct {
		change func(r *run, w *world)
		want   bool
	}{
		"one is held":         {func(*run, *world) {}, true},
		"not listed since":    {func(r *run, _ *world) { r.acted = now }, false},
		"tried a moment ago":  {func(r *run, _ *world) { r.tried = now.Add(-time.Second) }, false},
		"before it is let go": {func(r *run, _ *world) { r.state = held }, false},
		"none is held":        {func(r *run, _ *world) { r.array.waiting = nil }, false},
		"a node takes none": {func(r *run, w *world) {
			r.array.waiting, r.array.pending, w.closed = nil, map[int]string{4: "n1"}, true
		}, true},
		"and nothing is there": {func(r *run, w *world) { r.array.waiting, w.closed = nil, true }, false},
		"it is one job":        {func(r *run, _ *world) { r.array.is = false }, false},
	} {
		if got := lags(c.change); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestWhatIsStuckIsBegunAnew(t *testing.T) {
	for name, c := range map[string]struct {
		reason   string
		after    time.Duration
		shut     bool
		lost, is bool
	}{
		"Slurm is slow":                {"Resources", quiet, false, false, false},
		"too slow for anybody":         {"Resources", slowest, false, true, false},
		"no node takes new jobs":       {"Resources", quiet, true, true, false},
		"not for long":                 {"Resources", quiet - time.Second, true, false, false},
		"its nodes are not to be had":  {"ReqNodeNotAvail", quiet, false, true, false},
		"its partition is closed":      {"PartitionDown", 10 * slowest, false, false, false},
		"it is, as are its nodes":      {"PartitionInactive", 10 * slowest, true, false, false},
		"a limit is in the way":        {"AssocMaxJobsLimit", quiet, false, false, true},
		"its licences are with others": {"Licenses", quiet, false, false, true},
	} {
		r := sweptRun()
		r.fold(40, []client.Job{rowOf(1, client.Completed), rowOf(2, client.Pending, because(c.reason))}, 1000)
		r.checkStuck(&world{now: time.Unix(1000, 0).Add(c.after), shut: c.shut})
		if (r.lost != "") != c.lost || (r.barred != "") != c.is {
			t.Errorf("%s: lost %q, barred %q", name, r.lost, r.barred)
		}
	}
	b := &Backend{nodes: map[string]*node{"n1": {slurm: client.Node{Up: true}}, "n2": {slurm: client.Node{Up: true, Draining: true}}}}
	r := sweptRun()
	if b.allShut(r) || b.allShut(&run{}) {
		t.Error("one takes new jobs")
	}
	if b.nodes["n1"].slurm.Up = false; !b.allShut(r) {
		t.Error("none does")
	}
}

func TestLanesEndAsTheirElements(t *testing.T) {
	r := sweptRun()
	j := r.fold(40, []client.Job{
		rowOf(1, client.Completed), rowOf(4, client.Failed, exits(4)), rowOf(2, client.Completed), rowOf(5, client.Cancelled, nowhereEver, func(j *client.Job) { j.Ended = 105 }), rowOf(3, client.Timeout),
	}, 200)
	r.state = ended
	r.end = &ending{verdict: verdictOf(&j), at: time.Unix(300, 0)}
	ends := map[int]task.Status{}
	for rank := range 3 {
		ends[rank] = r.status(rank, None)
	}
	if s := ends[0]; s.Exit != 4 || len(s.Elements) != 2 || s.Elements[1].Index != 4 || s.Elements[1].Exit != 4 || s.Good() {
		t.Errorf("%+v", s)
	}
	if s := ends[0]; s.CPUUS != 20e6 { // ten seconds each
		t.Errorf("it had %d", s.CPUUS)
	}
	if s := ends[1]; s.Signal != "SIGTERM" || len(s.Elements) != 1 || s.Limit != "" || s.Good() || s.Cancelled {
		t.Errorf("one was cancelled before it began: %+v", s)
	}
	r.array.done[1], r.array.done[5] = finish{State: client.Failed, Exit: 9, Started: 100, Ended: 110}, finish{State: client.Completed, Started: 100, Ended: 110}
	if s := r.status(0, None); s.Exit != 9 {
		t.Errorf("the first that did not end well is how the lane did: %+v", s)
	}
	if s := r.status(1, None); !s.Good() || s.Error != "" {
		t.Errorf("what others did is not this lane's: %+v", s)
	}
	if s := ends[2]; s.Limit != task.LimitTime || s.Elements[0].Signal != "SIGTERM" {
		t.Errorf("%+v", s)
	}
	if r.neverBegun() {
		t.Error("most have begun")
	}
	maps.DeleteFunc(r.array.done, func(int, finish) bool { return true })
	for e := range 5 {
		r.array.done[e+1] = finish{State: client.Failed, Signal: int(noProgram)}
	}
	if !r.neverBegun() {
		t.Error("none has begun")
	}
}

func TestWhoIsAnArrayOfSlurms(t *testing.T) {
	b := &Backend{slurm: &arraySlurm{}, nodes: map[string]*node{"n1": {hello: &task.Hello{Elements: true}}, "n2": {hello: &task.Hello{Elements: true}}}}
	specs := func() []task.Spec {
		var all []task.Spec
		for _, o := range sweptRun().inOrder() {
			all = append(all, o.Spec)
		}
		return all
	}
	if !b.arraysOf(specs(), 1001) {
		t.Fatal("it is none")
	}
	for _, c := range []struct {
		want  string
		specs []task.Spec
	}{
		{"1-5", specs()},
		{"1,3-5,9", []task.Spec{{Elements: []int{1, 4, 9}}, {Elements: []int{3, 5}}}},
		{"3,5", []task.Spec{{Elements: []int{3, 5}}}},
		{"3-9:2", []task.Spec{{Span: &task.Span{First: 3, Step: 4, Count: 2}}, {Span: &task.Span{First: 5, Step: 4, Count: 2}}}},
		{"3-4", []task.Spec{{Span: &task.Span{First: 3, Step: 1, Count: 2}}}},
		{"7", []task.Spec{{Span: &task.Span{First: 7, Step: 3, Count: 1}}}},
	} {
		if got := spanned(c.specs); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	if b.arraysOf(specs(), 5) {
		t.Error("Slurm has no room for number 5")
	}
	mine := specs()
	if mine[0].Env = nil; b.arraysOf(mine, 1001) {
		t.Error("nobody has spoken of sbatch")
	}
	mine = specs()
	if mine[0].Within = "class"; b.arraysOf(mine, 1001) {
		t.Error("it is in a reservation")
	}
	if b.nodes["n2"].hello.Elements = false; b.arraysOf(specs(), 1001) {
		t.Error("an agent does not hold elements together")
	}
	if b.cfg.Control = None; !b.arraysOf(specs(), 1001) {
		t.Error("nobody has to hold anything")
	}
	if b.slurm = (&arraySlurm{not: true}); b.arraysOf(specs(), 1001) {
		t.Error("Slurm cannot be told")
	}
}

// arraySlurm is a Slurm that can be told of elements, or not.
type arraySlurm struct {
	client.Slurm
	not     bool
	wrong   error
	most    int // at a time, as it was told last
	numbers []int64
	gone    []client.Link // that were let go
}

func (s *arraySlurm) Place(_ context.Context, _ int64, links []client.Link) ([]client.Link, error) {
	if s.wrong != nil {
		return nil, s.wrong
	}
	return links, nil
}

func (s *arraySlurm) Drop(context.Context, int64, []int) error { return nil }

func (s *arraySlurm) Numbers(context.Context, int64) ([]int64, error) { return s.numbers, nil }

func (s *arraySlurm) LetGo(_ context.Context, _ int64, links []client.Link) error {
	s.gone = append(s.gone, links...)
	return nil
}

func (s *arraySlurm) Throttle(_ context.Context, _ int64, most int) error {
	s.most = most
	return s.wrong
}

func (s *arraySlurm) Arrays() bool { return !s.not }

func TestAnElementsScript(t *testing.T) {
	r := sweptRun()
	spec := elementOf(r.inOrder()[0].Spec)
	spec.Output, spec.Error, spec.Dir = "/home/ann/o_%b_%a", "/home/ann/o_%b_%a", "/home/ann"
	l := layoutOf([]task.Spec{spec}, 4)
	l.later, l.array = true, true
	text, err := script([]task.Spec{spec}, l)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"LIBRA_ARRAY_INDEX=$SLURM_ARRAY_TASK_ID"`, `o_'"$SLURM_ARRAY_JOB_ID"'_'"$SLURM_ARRAY_TASK_ID"`, "libra_node=$SLURMD_NODENAME"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "libra_elements") || strings.Contains(text, "SLURM_ARRAY_TASK_ID=") {
		t.Errorf("Slurm tells it which it is:\n%s", text)
	}
	if got := l.shownFile([]task.Spec{spec}, spec.Output); got != "/home/ann/o_%A_%a" {
		t.Error(got)
	}
}
