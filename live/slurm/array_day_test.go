package slurm

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/store"
)

// sweptBackend is one of a market that wants sweptRun, on two nodes that are well.
func sweptBackend(t *testing.T) (*Backend, *run) {
	t.Helper()
	b, n := idle(t, Agents)
	b.applyOrders(n, &task.Desired{Version: 2, LeaseMS: 60_000})
	r := sweptRun()
	r.nonce, r.ID, r.state = b.nonce(r.key, 0), 0, unconfirmed
	b.runs = map[runKey]*run{r.key: r}
	b.nodes["n1"].slurm, b.node("n2").slurm = client.Node{Name: "n1", Up: true}, client.Node{Name: "n2", Up: true}
	return b, r
}

// asHandedIn is the one row of an array that was handed in, and none of which was let go.
func asHandedIn(b *Backend, r *run, id int64) client.Job {
	return client.Job{ID: id, Array: id, Elements: []int{1, 2, 3, 4, 5}, State: client.Pending, Held: true, User: "ann", Submitted: 90, Comment: b.commentOf(r), Reason: "JobHeldUser"}
}

// The answer to a submission was lost, or the market was killed before it was written down: the array
// is found by its comment, and is one from that moment on. Let go as one job, all of its elements
// would begin at once, anywhere.
func TestAnArrayIsFoundAgain(t *testing.T) {
	b, r := sweptBackend(t)
	b.applyListing(noon, []client.Job{asHandedIn(b, r, 40), asHandedIn(b, r, 60)})
	if r.ID != 40 || r.state != held || !r.array.is {
		t.Fatalf("%s under %d, array %+v", r.state, r.ID, r.array)
	}
	if got := b.links(r); len(got) != 5 {
		t.Errorf("let go are %v", got)
	}
	b.applyListing(noon.Add(time.Second), []client.Job{asHandedIn(b, r, 40)})
	if !slices.Equal(r.array.waiting, []int{1, 2, 3, 4, 5}) {
		t.Errorf("held are %v", r.array.waiting)
	}
}

// What is left of an array cannot begin: it is begun anew, unless that is for a limit or licences, which
// somebody could bring about who wants what has ended for nothing.
func TestAnArrayThatIsStuck(t *testing.T) {
	for reason, lost := range map[string]bool{"Resources": true, "Priority": true, "AssocMaxJobsLimit": false, "QOSMaxCpuPerUserLimit": false, "Licenses": false} {
		now := time.Unix(1000, 0)
		r := sweptRun()
		r.state, r.note = running, durable
		rows := []client.Job{rowOf(1, client.Completed), rowOf(2, client.Completed), rowOf(3, client.Completed), rowOf(4, client.Completed), rowOf(5, client.Pending, because(reason))}
		var does action
		look := func(at int64) {
			j := r.fold(40, rows, at)
			now = time.Unix(at, 0)
			r.observeJob(&j, now)
			r.vouched = now
			does = r.decide(&world{now: now, control: Agents, orders: true, listed: now, shut: true})
		}
		look(1000)
		if look(1029); does == kill || does == cancel || r.lost+r.barred != "" {
			t.Errorf("%s: after 29 s it is given up: %d, %q %q", reason, does, r.lost, r.barred)
		}
		look(1030)
		if (r.lost != "") != lost || (r.barred != "") == lost || does != kill && does != cancel {
			t.Errorf("%s: %d, lost %q, barred %q", reason, does, r.lost, r.barred)
		}
		rows[4] = rowOf(5, client.Cancelled, nowhereEver)
		look(1040)
		s := r.status(1, Agents)
		if (s.State == task.Lost) != lost || !lost && (s.State != task.Ended || s.Cancelled || s.Good() || !strings.Contains(s.Error, reason) || len(s.Elements) != 1) {
			t.Errorf("%s: it ended as %+v", reason, s)
		}
	}
}

// Those who ran are forgotten by Slurm, and one that never did is there to be cancelled: the array ran.
func TestACancelledArrayRan(t *testing.T) {
	r := sweptRun()
	r.fold(40, []client.Job{rowOf(1, client.Completed), rowOf(2, client.Completed), rowOf(3, client.Completed), rowOf(4, client.Completed)}, 200)
	j := r.fold(40, []client.Job{rowOf(5, client.Cancelled, nowhereEver)}, 600)
	if v := verdictOf(&j); v.state != task.Ended || !v.user {
		t.Errorf("%+v of %+v", v, j)
	}
	r = sweptRun()
	j = r.fold(40, []client.Job{{ID: 40, Array: 40, Elements: []int{1, 2, 3, 4, 5}, State: client.Cancelled, Submitted: 90, Ended: 95}}, 200)
	if v := verdictOf(&j); v.state != task.Refused {
		t.Errorf("one that never began: %+v", v)
	}
}

// What its user cancels last ends the array, also where others end in the same second.
func TestCancelledInTheLastSecond(t *testing.T) {
	together := func(j *client.Job) { j.Ended = 115 }
	for last := 1; last <= 5; last++ {
		var rows []client.Job
		for e := 1; e <= 5; e++ {
			state := client.Completed
			if e == last {
				state = client.Cancelled
			}
			rows = append(rows, rowOf(e, state, together))
		}
		if j := sweptRun().fold(40, rows, 200); j.State != client.Cancelled {
			t.Errorf("%d: %s", last, j.State)
		}
	}
}

// One that failed has begun, whatever the others say of themselves.
func TestOneElementHasBegun(t *testing.T) {
	r := sweptRun()
	for name, f := range map[string]finish{"failed": {State: client.Failed, Exit: 3}, "by the signal of another end": {State: client.Cancelled, Signal: int(noProgram)}} {
		r.array.done = map[int]finish{1: {State: client.Failed, Signal: int(noProgram)}, 2: f}
		if r.neverBegun() {
			t.Error(name)
		}
	}
}

// The market was killed when it had the ends of some lanes: those of the others are told.
func TestTheRestOfAnArraysEnd(t *testing.T) {
	b, r := sweptBackend(t)
	r.ID, r.state = 40, running
	b.byBatch[40] = r
	delete(r.orders, 0)
	var rows []client.Job
	for e := 1; e <= 5; e++ {
		rows = append(rows, rowOf(e, client.Completed, func(j *client.Job) { j.Comment = b.commentOf(r) }))
	}
	for _, name := range r.Nodes {
		b.nodes[name].attention = awaited
	}
	b.applyListing(noon, slices.Clone(rows))
	if r.job.State.Over() {
		t.Error("before the market has spoken of all nodes nobody knows what else it wants")
	}
	for _, name := range r.Nodes {
		b.nodes[name].attention = instructed
	}
	b.applyListing(noon.Add(time.Second), rows)
	if r.job.State != client.Completed {
		t.Errorf("%+v", r.job)
	}
}

// How an array is handed in is not known before the agents of its nodes have said what they can.
func TestAnArrayWaitsForItsAgents(t *testing.T) {
	b, r := sweptBackend(t)
	b.nodes["n1"].hello, b.nodes["n2"].hello = &task.Hello{}, nil
	first := r.inOrder()[0].Spec
	if !b.mayArray(&first) {
		t.Error("n2 has not been heard")
	}
	if b.submit(t.Context(), r); r.state != unconfirmed || !r.tried.Equal(noon) || r.sentAt.Equal(noon) {
		t.Errorf("it was handed in: %s", r.state)
	}
	plain := first
	if plain.Env = nil; b.mayArray(&plain) {
		t.Error("it is none of Slurm's in any case")
	}
	plain = first
	if plain.Elements = nil; b.mayArray(&plain) {
		t.Error("it is none")
	}
	if b.nodes["n2"].hello = (&task.Hello{}); b.mayArray(&first) {
		t.Error("all were heard")
	}
	if b.nodes["n2"].hello, b.cfg.Control = nil, None; b.mayArray(&first) {
		t.Error("there are no agents")
	}
}

// Elements that were not let go yet keep their turn on another node.
func TestMovedElementsKeepTheirTurn(t *testing.T) {
	b, r := sweptBackend(t)
	b.nodes["n1"].slurm.Draining = true
	r.job = &client.Job{}
	r.array.waiting = []int{1, 2, 4, 5}
	want := []client.Link{link(1, "n2", client.NoElement), link(2, "n2", client.NoElement), link(4, "n2", 1), link(5, "n2", 2)}
	if got := b.links(r); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Who cancels an element before it has a number of its own leaves nothing of it in Slurm. That is no
// reason to begin the array anew, which would be for nothing.
func TestElementsAreTakenOut(t *testing.T) {
	ends := func(r *run, at int64, elements ...int) client.Job {
		var rows []client.Job
		for _, e := range elements {
			rows = append(rows, rowOf(e, client.Completed))
		}
		return r.fold(40, rows, at)
	}
	holds := func(elements ...int) []client.Job {
		return []client.Job{{ID: 40, Array: 40, Elements: elements, State: client.Pending, Held: true, Submitted: 90}}
	}
	for name, c := range map[string]struct {
		listed func(r *run)
		want   client.State
	}{
		"it was held":            {func(r *run) { r.state = releasing; r.fold(40, holds(1, 2, 3, 4, 5), 150); ends(r, 200, 1, 2, 3, 4) }, client.Cancelled},
		"just handed in":         {func(r *run) { r.state = releasing; r.fold(40, holds(1, 2, 3, 4), 149) }, client.Failed},
		"held for long":          {func(r *run) { r.state = held; r.fold(40, holds(1, 2, 3, 4), 1000); r.state = running }, client.Failed},
		"it may have run before": {func(r *run) { r.state = releasing; r.fold(40, holds(1, 2, 3, 4), 150) }, client.NodeFail},
		"it may have run since":  {func(r *run) { r.state = releasing; r.fold(40, holds(1, 2, 3, 4, 5), 150); ends(r, 210, 1, 2, 3, 4) }, client.NodeFail},
		"it had been let go": {func(r *run) {
			r.state = running
			r.fold(40, []client.Job{rowOf(5, client.Running)}, 149)
			ends(r, 150, 1, 2, 3, 4)
		}, client.NodeFail},
		"it was there, and later": {func(r *run) { r.state = running; r.fold(40, holds(1, 2, 3, 4, 5), 100); ends(r, 101, 1, 2, 3, 4, 5) }, client.Completed},
	} {
		r := sweptRun()
		c.listed(r)
		if j := ends(r, 2000, 1, 2, 3, 4); j.State != c.want {
			t.Errorf("%s: %s of %+v", name, j.State, r.array)
		}
	}
	r := sweptRun()
	r.state = releasing
	r.fold(40, holds(1, 2, 3, 4), 100)
	if f := r.array.done[5]; f.State != client.Cancelled || f.Started != 0 || f.Ended != 90 || r.array.oldest != 90 {
		t.Errorf("%+v", r.array)
	}
	r.job = &client.Job{}
	if got := (&Backend{}).links(r); len(got) != 4 {
		t.Errorf("let go are %v", got)
	}
}

// Elements may have begun where one could not be let go: Slurm is asked at once.
func TestWhatWasLetGoIsLookedFor(t *testing.T) {
	for name, does := range map[string]func(b *Backend, r *run){
		"released": func(b *Backend, r *run) { b.release(t.Context(), r) },
		"advanced": func(b *Backend, r *run) { b.advance(t.Context(), r) },
	} {
		b, r := sweptBackend(t)
		b.slurm = &arraySlurm{Slurm: b.slurm, wrong: client.ErrRefused}
		r.ID, r.state, r.note, r.vouched, r.array.is = 40, releasing, durable, noon, true
		does(b, r)
		select {
		case <-b.pollNow:
		default:
			t.Errorf("%s: nobody asks", name)
		}
		if r.state != releasing || !r.acted.Equal(noon) {
			t.Errorf("%s: %s", name, r.state)
		}
	}
}

// The numbers of elements are known before one is let go. Where Slurm has given one of them out before,
// something that had it may be on a node still: none is let go, and another array is handed in.
func TestNumbersOfElementsAreKnownFirst(t *testing.T) {
	letGo := func(at state, numbers ...int64) (b *Backend, r *run, slurm *arraySlurm) {
		b, r = sweptBackend(t)
		slurm = &arraySlurm{Slurm: b.slurm, numbers: numbers}
		b.slurm = slurm
		b.numbers.spend(43, runKey{job: 6})
		r.ID, r.state, r.note, r.vouched, r.array.is = 40, at, durable, noon, true
		b.byBatch[40] = r
		b.release(t.Context(), r)
		return b, r, slurm
	}
	b, r, slurm := letGo(held, 40, 41, 42, 43)
	if len(slurm.gone) > 0 || r.state != absent || r.ID != 0 || r.lost != "" {
		t.Errorf("with a number that another had: %v are let go, it is %s under %d, lost %q", slurm.gone, r.state, r.ID, r.lost)
	}
	b.applyListing(noon.Add(time.Second), []client.Job{asHandedIn(b, r, 40)})
	if r.ID != 0 {
		t.Error("it is taken for the array once more")
	}
	if _, r, slurm = letGo(releasing, 40, 41, 42, 43); len(slurm.gone) > 0 || r.lost == "" {
		t.Errorf("and where it may have begun: %v are let go, lost %q", slurm.gone, r.lost)
	}
	if b, r, slurm = letGo(held, 40, 41, 42, 44); len(slurm.gone) != 5 || r.state != released || !b.numbers.spent(44, runKey{job: 6}, 0) || b.numbers.spent(44, r.key, 0) {
		t.Errorf("with numbers of its own %v are let go, it is %s", slurm.gone, r.state)
	}
}

// What is written down of ends is read back, and that it was let go.
func TestEndsAreWrittenDown(t *testing.T) {
	b, r := sweptBackend(t)
	go b.keep.run(t.Context())
	r.ID, r.state, r.note, r.User = 40, running, durable, "ann"
	r.fold(40, []client.Job{rowOf(1, client.Completed), rowOf(2, client.Failed, exits(2)), rowOf(3, client.Running)}, 200)
	for range 10 { // a write may be said not to succeed
		if b.jot(t.Context(), r); r.array.oldest == 0 {
			break
		}
	}
	if r.array.oldest != 0 {
		t.Fatal("there is more to write")
	}
	later, err := New(t.Context(), b.cfg, b.fleet, b.slurm, b.notes)
	if err != nil {
		t.Fatal(err)
	}
	got := later.runs[r.key]
	if got == nil || got.state != releasing || got.ID != 40 || len(got.array.done) != 2 || got.array.done[2] != r.array.done[2] {
		t.Errorf("%+v", got)
	}
}

// The number of an element, which its script has for that of its job, leads to the array.
func TestNumbersOfElementsLeadToJobs(t *testing.T) {
	b, r := sweptBackend(t)
	r.ID, r.state = 40, running
	b.byBatch[40] = r
	mine := func(j *client.Job) { j.Comment = b.commentOf(r) }
	b.applyListing(noon, []client.Job{rowOf(1, client.Running, mine), rowOf(2, client.Pending, mine)})
	if job, found, err := b.JobOf(t.Context(), 41); job != 7 || !found || err != nil {
		t.Errorf("%d, %t, %v", job, found, err)
	}
	if _, found, err := b.JobOf(t.Context(), 42); found || err != nil {
		t.Errorf("nothing runs as this: %t, %v", found, err)
	}
}

// notesMeanwhile have something happen while they are written.
type notesMeanwhile struct {
	*fakeNotes
	meanwhile func()
}

func (n *notesMeanwhile) PutNotes(ctx context.Context, notes []store.Note) error {
	n.meanwhile()
	return n.fakeNotes.PutNotes(ctx, notes)
}

// Ends that come while others are written down are written down later.
func TestEndsMeanwhile(t *testing.T) {
	b, r := sweptBackend(t)
	b.keep.notes = &notesMeanwhile{b.notes.(*fakeNotes), func() { //nolint:forcetypeassert // idle has made it
		b.mu.Lock()
		defer b.mu.Unlock()
		r.fold(40, []client.Job{rowOf(1, client.Completed), rowOf(3, client.Completed), rowOf(2, client.Completed)}, 200)
	}}
	go b.keep.run(t.Context())
	r.ID, r.state, r.note = 40, running, durable
	for range 10 { // a write may be said not to succeed
		r.array.done = nil
		r.fold(40, []client.Job{rowOf(1, client.Completed), rowOf(2, client.Running), rowOf(3, client.Running)}, 200)
		if b.jot(t.Context(), r); r.array.oldest == 112 {
			return
		}
	}
	t.Errorf("the oldest that is not written down ended at %d", r.array.oldest)
}

// Those that never began say nothing of when the others did.
func TestSomeNeverBegan(t *testing.T) {
	for range 20 { // in any order
		r := sweptRun()
		rows := []client.Job{rowOf(1, client.Completed), rowOf(5, client.Pending)}
		for e := 2; e <= 4; e++ {
			rows = append(rows, rowOf(e, client.Cancelled, nowhereEver))
		}
		if j := r.fold(40, rows, 200); j.State != client.Running || j.Started != 101 {
			t.Fatalf("%+v", j)
		}
	}
}

// What an agent has measured of a lane is what it had, however its elements ended.
func TestLanesHadWhatWasMeasured(t *testing.T) {
	r := sweptRun()
	var rows []client.Job
	for e := 1; e <= 5; e++ {
		rows = append(rows, rowOf(e, client.Completed))
	}
	j := r.fold(40, rows, 200)
	r.state, r.end = ended, &ending{verdict: verdictOf(&j), at: time.Unix(300, 0)}
	r.statuses[0] = task.Status{CPUUS: 5e6}
	if s := r.status(0, Agents); s.CPUUS != 5e6 || len(s.Elements) != 2 {
		t.Errorf("%+v", s)
	}
}

// Agents are told which elements run on their node, when that has changed.
func TestAgentsAreToldOfElements(t *testing.T) {
	b, r := sweptBackend(t)
	r.ID, r.state = 40, running
	b.byBatch[40] = r
	mine := func(j *client.Job) { j.Comment = b.commentOf(r) }
	n := b.nodes["n1"]
	n.orders = map[task.Key]*task.Spec{{Job: 7}: {}}
	lists := func(rows ...client.Job) (told bool, members []string) {
		before := n.version
		b.applyListing(noon, rows)
		d := b.orders(n)
		return n.version != before, d.Orders[0].Members
	}
	if told, members := lists(rowOf(1, client.Running, mine), rowOf(2, client.Running, mine), rowOf(3, client.Running, mine, func(j *client.Job) { j.Nodes = []string{"n2"} })); !told || !slices.Equal(members, []string{"41", "42"}) {
		t.Errorf("%t, %v", told, members)
	}
	if told, _ := lists(rowOf(1, client.Running, mine), rowOf(2, client.Running, mine), rowOf(3, client.Running, mine, func(j *client.Job) { j.Nodes = []string{"n2"} })); told {
		t.Error("nothing has changed")
	}
	if told, members := lists(rowOf(1, client.Completed, mine), rowOf(2, client.Completing, mine), rowOf(4, client.Running, mine)); !told || !slices.Equal(members, []string{"42", "44"}) {
		t.Errorf("%t, %v", told, members)
	}
}

// One that is no array is none, though its run was to be one.
func TestOneJobIsNoArray(t *testing.T) {
	b, r := sweptBackend(t)
	j := asHandedIn(b, r, 40)
	j.Array, j.Elements, r.array.is = 0, nil, true
	if b.applyListing(noon, []client.Job{j}); r.ID != 40 || r.array.is {
		t.Errorf("%d, %+v", r.ID, r.array)
	}
}
