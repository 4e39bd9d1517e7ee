package broker_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
)

func TestAClusterThatIsSlow(t *testing.T) {
	w := three(t)
	// The time is over when the others have answered, however long they took.
	var rounds int64
	var looking sync.WaitGroup
	w.options.Over(func() <-chan time.Time {
		over := make(chan time.Time)
		rounds++
		want := rounds
		looking.Go(func() {
			defer close(over)
			for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
				if w.record("fast").Answered >= want && w.record("middle").Answered >= want {
					return
				}
			}
		})
		return over
	})
	w.start()
	defer looking.Wait()
	cheap := w.clusters[1]
	slow, goOn := atomic.Bool{}, make(chan struct{})
	slow.Store(true)
	release := sync.OnceFunc(func() { slow.Store(false); close(goOn) })
	defer release()
	cheap.gate.set(func(r *http.Request) bool {
		if slow.Load() && r.URL.Path == "/v1/quotes" {
			<-goOn
		}
		return true
	}, nil)
	for i := range 4 {
		if j := w.submit("alice", job("a")); where(&j) != "middle" {
			t.Errorf("job %d went to %s", i, where(&j))
		}
	}
	// After three times running it is not waited for any more, even where its
	// answers come in the end.
	if r := w.record("cheap"); r.Asked != 3 || r.Slow != 3 || r.OutUS == 0 || r.Won != 0 {
		t.Errorf("got %+v", r)
	}
	release()
	eventually(t, "late quotes to be given back", func() bool { return cheap.gate.count("DELETE /v1/quotes/") == 3 })
	if len(cheap.jobs()) != 0 {
		t.Error("a late quote was taken")
	}
}

func TestAClusterThatIsGone(t *testing.T) {
	w := three(t).start()
	cheap := w.clusters[1]
	running := w.submit("alice", job("a"))
	cheap.gate.set(cut, nil)
	cheap.server.CloseClientConnections()
	// What it has is not known; all the rest goes on without it.
	eventually(t, "it to be missed", func() bool {
		j, err := w.as("alice").Job(t.Context(), running.ID)
		return err == nil && j.State == v1.Running && j.Reason == "cluster_away" && strings.HasPrefix(j.Detail, "unknown since ")
	})
	if x, err := w.as("alice").Explain(t.Context(), running.ID); err != nil || !strings.Contains(x.Summary, "unknown since") {
		t.Errorf("got %+v, %v", x, err)
	}
	if j := w.submit("alice", job("b")); where(&j) != "middle" {
		t.Errorf("went to %s", where(&j))
	}
	if nodes, err := w.as("alice").Nodes(t.Context()); err != nil || len(nodes) != 2 || nodes[0].Node != "fast/n1" {
		t.Errorf("got %+v, %v", nodes, err)
	}
	if p, err := w.as("alice").Prices(t.Context()); err != nil || p.Up != 8 || len(p.Samples) == 0 {
		t.Errorf("got %+v, %v", p, err)
	}
	if err := w.as("alice").Healthy(t.Context()); err != nil {
		t.Error(err)
	}
	cheap.gate.set(nil, nil)
	eventually(t, "it to be back", func() bool {
		j, err := w.as("alice").Job(t.Context(), running.ID)
		return err == nil && j.Detail == "" && w.record("cheap").AwayUS == 0
	})
	for _, c := range w.clusters {
		c.gate.set(cut, nil)
		c.server.CloseClientConnections()
	}
	_, err := w.as("alice").Submit(t.Context(), job("c"), "")
	if p := problem(t, err); p.Reason != "no_cluster_answers" || p.Job != 0 {
		t.Errorf("got %+v", p)
	}
	eventually(t, "ill health", func() bool { return w.as("alice").Healthy(t.Context()) != nil })
}

// With its user's leave a job goes elsewhere when its cluster was not heard of
// until the deadline had passed; what the cluster has of it ends when it is back.
func TestAJobOfADeadClusterGoesElsewhereAfterItsDeadline(t *testing.T) {
	w := three(t).impatient().start()
	short := func(r *v1.Request) { r.EstimateMS, r.DeadlineMS = 500, 2000 }
	may := w.submit("alice", job("may", short, func(r *v1.Request) { r.Tags = []string{"resubmit"} }))
	mayNot := w.submit("alice", job("may not", short))
	cheap := w.clusters[1]
	cheap.gate.set(cut, nil)
	cheap.server.CloseClientConnections()
	eventually(t, "it to be elsewhere", func() bool {
		j, err := w.as("alice").Job(t.Context(), may.ID)
		return err == nil && where(&j) == "middle" && j.Firm
	})
	if j, err := w.as("alice").Job(t.Context(), mayNot.ID); err != nil || where(&j) != "cheap" || j.Reason != "cluster_away" {
		t.Errorf("got %+v, %v", j, err)
	}
	cheap.gate.set(nil, nil)
	eventually(t, "the old one to be taken back", func() bool {
		for _, j := range cheap.jobs() {
			if j.Name == "may" && (j.State == v1.Stopping || j.State == v1.Cancelled) {
				return true
			}
		}
		return false
	})
	for _, j := range cheap.jobs() {
		if j.Name == "may not" && j.State != v1.Running {
			t.Errorf("got %+v", j)
		}
	}
}

func TestAJobThatItsClusterLostGoesElsewhere(t *testing.T) {
	for _, allowed := range []bool{true, false} {
		t.Run(fmt.Sprint("allowed ", allowed), func(t *testing.T) {
			w := three(t).start()
			j := w.submit("alice", job("a", func(r *v1.Request) {
				if allowed {
					r.Tags = []string{"resubmit", "mine"}
				}
			}))
			late := w.broker.Denier(j.ID)
			w.clusters[1].gate.wrap(notFound)
			if !allowed {
				eventually(t, "it to be lost", func() bool {
					now, err := w.as("alice").Job(t.Context(), j.ID)
					return err == nil && now.State == v1.Lost
				})
				if n := len(w.clusters[0].jobs()) + len(w.clusters[2].jobs()); n != 0 {
					t.Errorf("%d jobs at the others", n)
				}
				return
			}
			eventually(t, "it to be elsewhere", func() bool {
				now, err := w.as("alice").Job(t.Context(), j.ID)
				return err == nil && where(&now) == "middle" && now.Firm && now.Attempt == 1
			})
			for range 5 { // who asked before it went, and hears of it now
				if err := late(); err != nil {
					t.Fatal(err)
				}
			}
			if now, err := w.as("alice").Job(t.Context(), j.ID); err != nil || where(&now) != "middle" || now.Attempt != 1 {
				t.Errorf("it went on from there: %s, attempt %d, %v", where(&now), now.Attempt, err)
			}
			there := w.clusters[2].jobs()
			if len(there) != 1 || !slices.Contains(there[0].Request.Tags, "mine") || slices.Contains(there[0].Request.Tags, "resubmit") {
				t.Errorf("got %+v", there)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	w := three(t).start()
	alice := w.as("alice")
	j := w.submit("alice", job("a"))
	if _, err := w.as("bob").Cancel(t.Context(), j.ID); problem(t, err).Status != http.StatusNotFound {
		t.Errorf("bob cancels alice's job: %v", err)
	}
	if got, err := alice.Cancel(t.Context(), j.ID); err != nil || got.State != v1.Stopping {
		t.Errorf("got %+v, %v", got, err)
	}
	// One whose cluster is gone ends here at once, and there when it is back.
	away := w.submit("alice", job("b"))
	cheap := w.clusters[1]
	cheap.gate.set(cut, nil)
	cheap.server.CloseClientConnections()
	if got, err := alice.Cancel(t.Context(), away.ID); err != nil || got.State != v1.Cancelled {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := alice.Cancel(t.Context(), away.ID); problem(t, err).Status != http.StatusConflict {
		t.Errorf("twice: %v", err)
	}
	cheap.gate.set(nil, nil)
	eventually(t, "the cluster to be told", func() bool {
		for _, j := range cheap.jobs() {
			if j.Name == "b" && j.State == v1.Stopping {
				return true
			}
		}
		return false
	})
}

// Behind a broker a job follows others as in a market, if those that it has to wait for are at one
// cluster; what has ended already is no reason to be there.
func TestJobsThatFollowInOtherWays(t *testing.T) {
	w := three(t).start()
	alice := w.as("alice")
	first := w.submit("alice", job("first"))
	other := w.submit("alice", job("other", func(r *v1.Request) { r.Account = "alice/fast" }))
	ways := map[string]func(r *v1.Request, id int64){
		"any":     func(r *v1.Request, id int64) { r.AfterAny = append(r.AfterAny, id) },
		"failed":  func(r *v1.Request, id int64) { r.AfterFailed = append(r.AfterFailed, id) },
		"each":    func(r *v1.Request, id int64) { r.AfterEach = append(r.AfterEach, id) },
		"element": func(r *v1.Request, id int64) { r.AfterElement = append(r.AfterElement, v1.Ahead{Job: id, Index: 1}) },
		"begun": func(r *v1.Request, id int64) {
			r.AfterBegun = append(r.AfterBegun, v1.Begun{Job: id, DelayMS: 3_600_000})
		},
	}
	placed := map[string]v1.Job{}
	for name, way := range ways {
		j := w.submit("alice", job(name, wish("fastest"), func(r *v1.Request) { way(r, first.ID) }))
		if where(&j) != "cheap" || j.State != v1.Held {
			t.Errorf("%s: at %s, %s", name, where(&j), j.State)
		}
		placed[name] = j
		_, err := alice.Submit(t.Context(), job("x", func(r *v1.Request) { way(r, first.ID); way(r, other.ID) }), "")
		if p := problem(t, err); p.Field != "after" {
			t.Errorf("%s, of two clusters: %+v", name, p)
		}
		_, err = w.as("bob").Submit(t.Context(), job("x", func(r *v1.Request) { way(r, first.ID) }), "")
		if p := problem(t, err); p.Status != http.StatusNotFound {
			t.Errorf("%s, of another's: %+v", name, p)
		}
	}
	if _, err := alice.Cancel(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	for _, c := range w.clusters {
		for _, j := range c.jobs() {
			if j.Name == "first" { // its node ends it
				ended := task.Status{Key: task.Key{Job: j.ID}, State: task.Ended, Signal: "SIGTERM"}
				if _, err := c.Market.Report(t.Context(), task.Report{Node: "n1", Tasks: []task.Status{ended}}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	state := func(j v1.Job) v1.State {
		now, err := alice.Job(t.Context(), j.ID)
		if err != nil {
			t.Fatal(err)
		}
		return now.State
	}
	eventually(t, "those who wait for its end to go on, and those for its success to end", func() bool {
		return state(placed["any"]) == v1.Running && state(placed["failed"]) == v1.Running && state(placed["each"]).Final() && state(placed["element"]).Final() && state(first).Final()
	})
	if s := state(placed["begun"]); s != v1.Held { // an hour from now
		t.Errorf("the one that waits for an hour more is %s", s)
	}
	for name, way := range ways {
		o, err := alice.Submit(t.Context(), job("then "+name, func(r *v1.Request) { way(r, first.ID); r.Account = "alice/fast" }), "")
		switch {
		case name == "begun":
			if p := problem(t, err); p.Field != "after" { // an hour from its start: its cluster knows
				t.Errorf("an hour after what has ended at another cluster: %+v", p)
			}
		case name == "each" || name == "element":
			if p := problem(t, err); p.ExitCode() != 3 || !strings.Contains(p.Error(), "which it was to follow") {
				t.Errorf("after the success of what was cancelled: %+v", p)
			}
		case err != nil || where(&o) != "fast":
			t.Errorf("%s of what has ended: at %s, %v", name, where(&o), err)
		}
	}
}

// Of an array that has ended only its cluster knows how each element did; and a time to begin is
// nothing that a broker knows of.
func TestElementsThatFollowElements(t *testing.T) {
	w := three(t).start()
	alice := w.as("alice")
	first := w.submit("alice", job("first"))
	sweep := func(r *v1.Request) { r.Array = &v1.Array{First: 1, Last: 2, Step: 1} }
	parts := w.submit("alice", job("parts", sweep, func(r *v1.Request) { r.AfterAny = []int64{first.ID} }))
	if _, err := alice.Cancel(t.Context(), parts.ID); err != nil {
		t.Fatal(err)
	}
	eventually(t, "an array that has not begun to end", func() bool {
		now, err := alice.Job(t.Context(), parts.ID)
		return err == nil && now.State.Final()
	})
	elsewhere := func(r *v1.Request) { r.AfterEach, r.Account = []int64{parts.ID}, "alice/fast" }
	_, err := alice.Submit(t.Context(), job("each", sweep, elsewhere), "")
	if p := problem(t, err); p.Field != "after" {
		t.Errorf("elements after those of another cluster: %+v", p)
	}
	_, err = alice.Submit(t.Context(), job("one", elsewhere), "")
	if p := problem(t, err); p.ExitCode() != 3 || !strings.Contains(p.Error(), "which it was to follow") {
		t.Errorf("one job after what was cancelled: %+v", p)
	}
	j, err := alice.Submit(t.Context(), job("any", sweep, elsewhere, func(r *v1.Request) { r.AfterAny, r.AfterEach = r.AfterEach, nil }), "")
	if err != nil || where(&j) != "fast" {
		t.Errorf("an array after what has ended: at %s, %v", where(&j), err)
	}
	for name, later := range map[string]func(*v1.Request){"kept back": func(r *v1.Request) { r.Hold = true }, "later": func(r *v1.Request) { r.BeginMS = 60_000 }} {
		_, err := alice.Submit(t.Context(), job("x", later), "")
		if p := problem(t, err); p.Field != "begin_ms" || !strings.Contains(p.Error(), "hand it in when it may begin, or at a cluster itself (--server)") {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestJobsThatFollowOthers(t *testing.T) {
	w := three(t).start()
	alice := w.as("alice")
	first := w.submit("alice", job("first"))
	other := w.submit("alice", job("other", func(r *v1.Request) { r.Account = "alice/fast" }))
	next := w.submit("alice", job("next", wish("fastest"), func(r *v1.Request) { r.After = []int64{first.ID} }))
	if where(&next) != "cheap" || next.State != v1.Held || !slices.Equal(next.Request.After, []int64{first.ID}) {
		t.Errorf("got %+v", next)
	}
	_, err := alice.Submit(t.Context(), job("x", func(r *v1.Request) { r.After = []int64{first.ID, other.ID} }), "")
	if p := problem(t, err); p.Field != "after" {
		t.Errorf("got %+v", p)
	}
	_, err = w.as("bob").Submit(t.Context(), job("x", func(r *v1.Request) { r.After = []int64{first.ID} }), "")
	if p := problem(t, err); p.Status != http.StatusNotFound {
		t.Errorf("got %+v", p)
	}
	if _, err := alice.Cancel(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
}
