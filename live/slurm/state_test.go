package slurm

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/store"
)

// TestTransitions names, for every state and every event, where a run goes; "" is
// that it cannot happen.
func TestTransitions(t *testing.T) {
	want := map[string][events]string{
		//             sent           numbered unlisted  noted        confirmed   seenToRun  vanished  finished told        reordered
		"ordered":     {"unconfirmed", "held", "", "", "", "", "", "ended", "", ""},
		"unconfirmed": {"unconfirmed", "held", "absent", "", "", "", "", "ended", "", ""},
		"absent":      {"unconfirmed", "held", "", "", "", "", "", "ended", "", ""},
		"held":        {"", "", "", "releasing", "", "running", "absent", "ended", "", ""},
		"releasing":   {"", "", "", "releasing", "released", "running", "", "ended", "", ""},
		"released":    {"", "", "", "released", "released", "running", "", "ended", "", ""},
		"running":     {"", "", "", "", "", "running", "", "ended", "", ""},
		"ended":       {"", "", "", "", "", "", "", "", "reported", ""},
		"reported":    {"", "", "", "", "", "", "", "", "", "ended"},
	}
	if len(want) != states {
		t.Fatalf("%d states, and %d are here", states, len(want))
	}
	for s := range state(states) {
		for e := range event(events) {
			r := &run{state: s}
			r.on(e)
			went := want[s.String()][e]
			switch {
			case went == "" && (r.misfit == nil || r.state != s):
				t.Errorf("%s on %s: %s, want that it cannot happen", s, e, r.state)
			case went != "" && (r.misfit != nil || r.state.String() != went):
				t.Errorf("%s on %s: %s, want %s", s, e, r.state, went)
			}
		}
	}
}

// What may have started is never handed in again: no way leads from there to where
// a run is submitted.
func TestWhatMayHaveStartedIsNotSubmittedAgain(t *testing.T) {
	reached := map[state]bool{}
	var walk func(state)
	walk = func(s state) {
		if reached[s] {
			return
		}
		reached[s] = true
		for _, next := range transitions[s] {
			walk(next)
		}
	}
	walk(releasing)
	for s := range reached {
		if _, can := transitions[s][sent]; can || !s.mayHaveStarted() && !s.over() {
			t.Errorf("a run that may have started can come to be %s", s)
		}
	}
}

// Each transition is made by what causes it.
func TestWhatMovesARun(t *testing.T) {
	w := func() *world {
		return &world{
			now: noon.Add(time.Minute), control: Agents, orders: true, good: noon.Add(-time.Hour), listed: noon.Add(59 * time.Second), last: true, fresh: true,
			grace: 10 * time.Second, settle: 5 * time.Second,
		}
	}
	in := func(s state) *run {
		r := aRun()
		r.state = s
		if !s.inSlurm() {
			r.ID, r.Submitted = 0, 0
		}
		return r
	}
	gone := func(r *run) { r.missing, r.misses = noon.Add(-time.Minute), 5 }
	runs := &client.Job{ID: 7, State: client.Running, Nodes: []string{"n1", "n2"}}
	for name, c := range map[string]struct {
		from state
		so   func(r *run, w *world)
		to   state
	}{
		"a listing long after does not have it": {unconfirmed, func(r *run, _ *world) { r.sentAt = noon }, absent},
		"a listing just after does not have it": {unconfirmed, func(r *run, w *world) { r.sentAt = w.listed }, unconfirmed},
		"stopped before it was handed in":       {ordered, func(r *run, _ *world) { stopAll(r, task.Kill) }, ended},
		"stopped when Slurm did not have it":    {absent, func(r *run, _ *world) { stopAll(r, task.Terminate) }, ended},
		"taken back when Slurm did not have it": {absent, func(r *run, _ *world) { delete(r.orders, 0) }, ended},
		"ordered in part":                       {ordered, func(r *run, _ *world) { delete(r.orders, 0) }, ordered},
		"held, and seen to run":                 {held, func(r *run, _ *world) { r.job = runs }, running},
		"releasing, and seen to run":            {releasing, func(r *run, _ *world) { r.job = runs }, running},
		"released, and seen to run":             {released, func(r *run, _ *world) { r.job = runs }, running},
		"suspended":                             {released, func(r *run, _ *world) { r.job = &client.Job{ID: 7, State: client.Suspended} }, running},
		"held, and gone":                        {held, func(r *run, _ *world) { gone(r) }, absent},
		"held, gone, and agents saw it":         {held, func(r *run, w *world) { gone(r); r.began, r.restored = noon, w.now.Add(-time.Hour) }, ended},
		"releasing, and gone":                   {releasing, func(r *run, _ *world) { gone(r) }, ended},
		"released, and gone":                    {released, func(r *run, _ *world) { gone(r) }, ended},
		"running, and gone":                     {running, func(r *run, _ *world) { gone(r) }, ended},
		"running, and over":                     {running, func(r *run, _ *world) { r.job = over(client.Completed) }, ended},
		"held, and cancelled":                   {held, func(r *run, _ *world) { r.job = over(client.Cancelled) }, ended},
		"never possible": {held, func(r *run, _ *world) {
			r.job = pending(true)
			r.job.Reason = "BadConstraints"
		}, ended},
		"still running": {running, func(r *run, _ *world) { r.job = runs }, running},
	} {
		t.Run(name, func(t *testing.T) {
			r, w := in(c.from), w()
			c.so(r, w)
			r.decide(w)
			if r.state != c.to || r.misfit != nil {
				t.Errorf("%s became %s, want %s (%v)", c.from, r.state, c.to, r.misfit)
			}
			if (r.end != nil) != r.state.over() {
				t.Errorf("%s with an ending %v", r.state, r.end)
			}
		})
	}
}

func stopAll(r *run, how task.Stop) {
	for rank, o := range r.orders {
		o.Stop = how
		r.orders[rank] = o
	}
}

// A task that the market orders after it was told of the end is told of too.
func TestATaskThatComesLate(t *testing.T) {
	r := aRun()
	r.state = reported
	r.setOrder(&task.Order{Spec: task.Spec{Key: task.Key{Job: 12, Rank: 0}, Size: 2, Nodes: []string{"n1", "n2"}}})
	if r.state != reported {
		t.Errorf("a task it was told of: %s", r.state)
	}
	delete(r.orders, 1)
	r.setOrder(&task.Order{Spec: task.Spec{Key: task.Key{Job: 12, Rank: 1}, Size: 2, Nodes: []string{"n1", "n2"}}})
	if r.state != ended || r.misfit != nil {
		t.Errorf("a new task: %s", r.state)
	}
}

// How its end is asked for only ever becomes more pressing.
func TestStoppingNeverGoesBack(t *testing.T) {
	for _, c := range []struct {
		from   stopState
		atOnce bool
		want   stopState
	}{
		{goesOn, false, terminated},
		{goesOn, true, killed},
		{terminated, false, terminated},
		{terminated, true, killed},
		{killed, false, killed},
		{killed, true, killed},
	} {
		if got := c.from.stopAfter(c.atOnce); got != c.want {
			t.Errorf("%d, at once %v: %d, want %d", c.from, c.atOnce, got, c.want)
		}
	}
}

// Rows as backends before the enumeration of states wrote them, byte for byte. A
// market that was upgraded in the middle of its work has such.
func TestNotesOfEarlierVersions(t *testing.T) {
	for name, c := range map[string]struct {
		key, row string
		want     binding
		state    state
	}{
		"released": {
			"12.0", `{"user":"ann","nodes":["n1","n2"],"id":4711,"submitted_s":1763208000,"released":true}`,
			binding{User: "ann", Nodes: []string{"n1", "n2"}, ID: 4711, Submitted: 1763208000},
			releasing,
		},
		"released before it was listed": {
			"13.2", `{"user":"bob","nodes":["n3"],"id":4712,"released":true}`,
			binding{User: "bob", Nodes: []string{"n3"}, ID: 4712},
			releasing,
		},
		"held": {
			"14.0", `{"user":"bob","nodes":["n3"],"id":4713,"submitted_s":1763208000}`,
			binding{User: "bob", Nodes: []string{"n3"}, ID: 4713, Submitted: 1763208000},
			held,
		},
		"not answered": {"15.0", `{"user":"bob","nodes":["n3"]}`, binding{User: "bob", Nodes: []string{"n3"}}, unconfirmed},
	} {
		t.Run(name, func(t *testing.T) {
			notes := &fakeNotes{notes: map[string]store.Note{
				"identity": {Kind: kindMark, Key: markKey, Body: []byte(`{"mark":"0a1b2c3d","secret":"s"}`)},
				"run":      {Kind: kindRun, Key: c.key, Body: []byte(c.row)},
			}}
			b, err := New(t.Context(), Config{Partition: "libra", Now: func() time.Time { return noon }}, nil, nil, notes)
			if err != nil {
				t.Fatal(err)
			}
			key, err := parseRunKey(c.key)
			if err != nil {
				t.Fatal(err)
			}
			r := b.runs[key]
			if r == nil || r.state != c.state || r.note != durable || !reflect.DeepEqual(r.binding, c.want) {
				t.Fatalf("%+v", r)
			}
			if found := b.byBatch[r.ID]; r.ID != 0 && found != r || r.ID == 0 && found != nil {
				t.Errorf("number %d finds %v", r.ID, found)
			}
			if c.state.mayHaveStarted() { // the only rows there ever were; and they are written so today
				again, err := json.Marshal(note{binding: r.binding, Released: true})
				if err != nil || string(again) != c.row {
					t.Errorf("written as %s, %v; want %s", again, err, c.row)
				}
			}
		})
	}
}

// A run that is adopted before its orders are all here would seem to be taken back.
func TestAdoption(t *testing.T) {
	want := []state{ordered, unconfirmed, absent}
	for s := range state(states) {
		r := aRun()
		r.state = s
		if got := r.adoptable(); got != slices.Contains(want, s) {
			t.Errorf("%s: %v", s, got)
		}
		r.busy = true
		if r.adoptable() {
			t.Errorf("%s, busy", s)
		}
	}
	r := aRun()
	r.state = ordered
	delete(r.orders, 1)
	if r.adoptable() {
		t.Error("half of it is ordered")
	}
}
