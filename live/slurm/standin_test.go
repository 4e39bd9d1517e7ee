package slurm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
)

// queueSlurm is a Slurm that lists what was handed in, and starts nothing.
type queueSlurm struct {
	client.Slurm

	jobs      []client.Job
	adopted   map[int64]client.Submission
	cancelled []int64
	refuses   error // to adopt
	away      error // to list
	cannot    bool  // adopt

	submitting, meanwhile, ending, counting func() // what happens while it is told to submit, to adopt, to cancel, or asked for limits
}

func (q *queueSlurm) Limits(context.Context, string) (*limit.Site, error) {
	if q.counting != nil {
		q.counting()
	}
	return &limit.Site{}, nil
}

func (q *queueSlurm) Submit(_ context.Context, s client.Submission) (int64, error) {
	if during := q.submitting; during != nil {
		q.submitting = nil
		during()
	}
	id := int64(len(q.jobs) + 71)
	q.jobs = append(q.jobs, client.Job{ID: id, User: s.User, Name: s.Name, Comment: s.Comment, State: client.Pending, Held: true, Submitted: noon.Unix() - 60})
	if !s.Later && len(s.Nodes) == 0 || s.Later && len(s.Nodes) > 0 {
		return 0, errors.New("nodes are said later, or now")
	}
	return id, nil
}

func (q *queueSlurm) Jobs(context.Context, string) ([]client.Job, error) {
	return slices.Clone(q.jobs), q.away
}

func (q *queueSlurm) Cancel(_ context.Context, id int64, urgent bool) error {
	if !urgent {
		return errors.New("what never ran has no grace")
	}
	if q.ending != nil {
		q.ending()
	}
	q.cancelled = append(q.cancelled, id)
	return nil
}

func (q *queueSlurm) Guest(context.Context, int64) (client.Guest, error) { return client.Guest{}, nil }

func (q *queueSlurm) Remark(context.Context, int64, string) error { return nil }

func (q *queueSlurm) Adopts() bool { return !q.cannot }

func (q *queueSlurm) Adopt(_ context.Context, id int64, s client.Submission) error {
	if q.meanwhile != nil {
		q.meanwhile()
	}
	if q.refuses != nil {
		return q.refuses
	}
	q.adopted[id] = s
	for i := range q.jobs {
		if q.jobs[i].ID == id {
			q.jobs[i].Comment = s.Comment
		}
	}
	return nil
}

// fakeLine is where jobs wait, of which some are over.
type fakeLine struct {
	over      map[int64]bool
	withdrawn []int64
	left      []string // of which job which elements
	asked     int      // for all who wait
	fails     error    // to withdraw
	questions int      // after a job
}

func (l *fakeLine) LineUp(context.Context) { l.asked++ }

func (l *fakeLine) Over(_ context.Context, job int64) (bool, error) {
	l.questions++
	return l.over[job], nil
}

func (l *fakeLine) Only(_ context.Context, job int64, _ string, elements []int) error {
	if l.fails != nil {
		return l.fails
	}
	l.left = append(l.left, fmt.Sprint(job, elements))
	return nil
}

func (l *fakeLine) Withdraw(_ context.Context, job int64, _ string) error {
	if l.fails != nil {
		return l.fails
	}
	l.withdrawn = append(l.withdrawn, job)
	return nil
}

// lined is a backend that runs, and Slurm and market beside it.
func lined(t *testing.T) (*Backend, *queueSlurm, *fakeLine) {
	t.Helper()
	b, _ := idle(t, Agents)
	q, l := &queueSlurm{adopted: map[int64]client.Submission{}}, &fakeLine{over: map[int64]bool{}}
	b.slurm, b.cfg.Line, b.standIns.open = q, l, true
	return b, q, l
}

func waitingTask(job int64) task.Spec {
	return task.Spec{
		Key: task.Key{Job: job}, Size: 1, Threads: 2, Name: "next", User: "ann", Script: []byte("#!/bin/sh\ntrue\n"), Dir: "/",
		Env: []string{"SLURM_SUBMIT_DIR=/"}, Output: "out", Error: "out", Memory: 512 << 20,
	}
}

// begins is the submission of a job that waited, now that it is put on a node, and what comes of it.
func begins(t *testing.T, b *Backend, spec task.Spec) (id, given int64, err error) {
	t.Helper()
	spec.Nodes, spec.BornUS = []string{"n1"}, 99
	r := &run{key: runKey{spec.Job, spec.Attempt}, nonce: "n", binding: binding{Nodes: []string{"n1"}}}
	s, err := b.submission(r, []task.Order{{Spec: spec}}, "libra")
	if err != nil {
		t.Fatal(err)
	}
	return b.handIn(t.Context(), r.key, &spec, s)
}

func lists(b *Backend, now time.Time, jobs []client.Job) (others []client.Job) {
	b.mu.Lock()
	others = b.seeStandIns(slices.Clone(jobs), now)
	b.mu.Unlock()
	b.going.Wait()
	return others
}

// What waits has a number in Slurm, and runs under it; so it does for a backend that comes after.
func TestAStandInBecomesTheJob(t *testing.T) {
	b, q, _ := lined(t)
	b.StandIn(t.Context(), waitingTask(12), 5, "libra")
	b.StandIn(t.Context(), waitingTask(12), 5, "libra") // once more
	if got := b.Stands(12, 0).Number; got != "71" || len(q.jobs) != 1 || !q.jobs[0].Held {
		t.Fatalf("it is %q of %+v", got, q.jobs)
	}
	if others := lists(b, noon, q.jobs); len(others) != 0 || len(q.cancelled) != 0 {
		t.Fatalf("as a stand-in it is taken for another's: %+v, ended %v", others, q.cancelled)
	}
	again, err := New(t.Context(), b.cfg, b.fleet, q, b.notes)
	if err != nil {
		t.Fatal(err)
	}
	again.ctx, again.standIns.open = t.Context(), true
	if job, found, err := again.JobOf(t.Context(), 71); job != 12 || !found || err != nil {
		t.Errorf("71 is %d, %v, %v", job, found, err)
	}
	before := slices.Clone(q.jobs)
	id, given, err := begins(t, again, waitingTask(12))
	s := q.adopted[71]
	if id != 71 || given != noon.Unix()-60 || err != nil || !slices.Equal(s.Nodes, []string{"n1"}) || s.Comment != again.commentOf(&run{key: runKey{12, 0}, nonce: "n"}) {
		t.Fatalf("it runs as %d of %d: %v: %+v", id, given, err, s)
	}
	lists(again, noon, before) // a listing from before
	if len(q.cancelled) != 0 || len(again.standIns.of) != 0 {
		t.Errorf("ended %v, standing %v", q.cancelled, again.standIns.of)
	}
	if job, found, err := again.JobOf(t.Context(), 71); job != 12 || !found || err != nil {
		t.Errorf("now 71 is %d, %v, %v", job, found, err)
	}
	if kept, _ := b.notes.Notes(t.Context(), kindStandIn); len(kept) != 0 {
		t.Errorf("noted are %v", kept)
	}
}

// The answer that Slurm has made it the job of its run was lost, or the backend ended before it came.
func TestAStandInIsTheJobAlready(t *testing.T) {
	b, q, _ := lined(t)
	b.StandIn(t.Context(), waitingTask(12), 5, "libra")
	q.refuses = errors.New("no answer")
	if id, _, err := begins(t, b, waitingTask(12)); err == nil || errors.Is(err, client.ErrRefused) || len(q.jobs) != 1 || len(q.cancelled) != 0 {
		t.Errorf("%d: %v, of %+v", id, err, q.jobs)
	}
	q.jobs[0].Comment = b.commentOf(&run{key: runKey{12, 0}, nonce: "n"})
	if id, _, err := begins(t, b, waitingTask(12)); id != 71 || err != nil || len(b.standIns.of) != 0 {
		t.Errorf("%d: %v, standing %v", id, err, b.standIns.of)
	}
}

// Where the job is not what the stand-in is, it gets another number.
func TestAStandInOfAnotherJob(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*task.Spec, *queueSlurm)
		ends   bool // the stand-in is ended in Slurm
	}{
		"another script":               {func(s *task.Spec, _ *queueSlurm) { s.Script = []byte("#!/bin/sh\nfalse\n") }, true},
		"more memory":                  {func(s *task.Spec, _ *queueSlurm) { s.Memory *= 2 }, true},
		"more processors":              {func(s *task.Spec, _ *queueSlurm) { s.Threads = 4 }, true},
		"it is begun again":            {func(s *task.Spec, _ *queueSlurm) { s.Attempt = 1 }, true},
		"Slurm says no":                {func(_ *task.Spec, q *queueSlurm) { q.refuses = client.ErrRefused }, true},
		"it was let go":                {func(_ *task.Spec, q *queueSlurm) { q.jobs[0].Held = false }, true},
		"it is over in another way":    {func(_ *task.Spec, q *queueSlurm) { q.jobs[0].State = client.Failed }, false},
		"its node is smaller":          {func(s *task.Spec, _ *queueSlurm) { s.Threads = 2 }, true},
		"the number of another user's": {func(_ *task.Spec, q *queueSlurm) { q.jobs[0].User = "bob" }, false},
		"the number of another job":    {func(_ *task.Spec, q *queueSlurm) { q.jobs[0].Comment = "mine" }, false},
	} {
		b, q, _ := lined(t)
		b.StandIn(t.Context(), waitingTask(12), 5, "libra")
		spec := waitingTask(12)
		c.change(&spec, q)
		if name == "its node is smaller" {
			b.nodes["n1"].slurm.Processors = 1
		}
		id, given, err := begins(t, b, spec)
		if id != 72 || given != 0 || err != nil || len(q.adopted) != 0 || len(b.standIns.of) != 0 || c.ends != slices.Contains(q.cancelled, 71) {
			t.Errorf("%s: it runs as %d of %d: %v; ended %v", name, id, given, err, q.cancelled)
		}
	}
	b, q, _ := lined(t)
	b.StandIn(t.Context(), waitingTask(12), 5, "libra")
	q.away = errors.New("no answer")
	if _, _, err := begins(t, b, waitingTask(12)); !errors.Is(err, errNotAsked) || len(b.standIns.of) != 1 {
		t.Errorf("nobody knows: %v", err)
	}
}

// What happens to those who wait, in Slurm and in the market.
func TestStandInsAreFollowed(t *testing.T) {
	for name, c := range map[string]struct {
		happens         func(*Backend, *queueSlurm, *fakeLine)
		looks           int
		withdrawn, ends bool
		stands          bool
	}{
		"nothing":                  {func(*Backend, *queueSlurm, *fakeLine) {}, 9, false, false, true},
		"it is cancelled in Slurm": {func(_ *Backend, q *queueSlurm, _ *fakeLine) { q.jobs[0].State = client.Cancelled }, 1, true, false, false},
		"it is let go":             {func(_ *Backend, q *queueSlurm, _ *fakeLine) { q.jobs[0].Held = false }, 1, false, true, false},
		"it runs":                  {func(_ *Backend, q *queueSlurm, _ *fakeLine) { q.jobs[0].State = client.Running }, 1, false, true, false},
		"it is over":               {func(_ *Backend, _ *queueSlurm, l *fakeLine) { l.over[12] = true }, 1, false, true, false},
		"its user cancels it":      {func(b *Backend, _ *queueSlurm, _ *fakeLine) { b.StandDown(12) }, 1, false, true, false},
		"Slurm does not list it":   {func(_ *Backend, q *queueSlurm, _ *fakeLine) { q.jobs = nil }, mostMissed, false, false, true},
		"Slurm has lost it":        {func(_ *Backend, q *queueSlurm, _ *fakeLine) { q.jobs = nil }, mostMissed + 1, false, false, false},
	} {
		b, q, l := lined(t)
		b.StandIn(t.Context(), waitingTask(12), 5, "libra")
		c.happens(b, q, l)
		for i := range c.looks {
			lists(b, noon.Add(time.Duration(i)*askEach), q.jobs)
		}
		if len(q.cancelled) > 0 {
			t.Errorf("%s: it was ended by a number that Slurm may have given to another", name)
		}
		if c.ends {
			lists(b, noon.Add(time.Duration(c.looks)*askEach), q.jobs)
		}
		if slices.Contains(l.withdrawn, 12) != c.withdrawn || slices.Contains(q.cancelled, 71) != c.ends || (b.standIns.of[12] != nil) != c.stands {
			t.Errorf("%s: withdrawn %v, ended %v, standing %v", name, l.withdrawn, q.cancelled, b.standIns.of)
		}
	}
}

// One that nobody knows is ended: of a backend that was killed before it was noted. One that says so
// of itself, in another's comment, is its user's.
func TestAStandInThatNobodyKnows(t *testing.T) {
	b, q, _ := lined(t)
	comment := b.standInComment(12, 5) + " and a text"
	lost := client.Job{ID: 80, User: "ann", State: client.Pending, Held: true, Comment: comment}
	b.standIns.coming[b.standInComment(12, 5)] = true
	if lists(b, noon, []client.Job{lost}); len(q.cancelled) != 0 {
		t.Error("it was ended while it was handed in")
	}
	clear(b.standIns.coming)
	lists(b, noon, []client.Job{lost})
	if others := lists(b, noon, []client.Job{lost}); len(others) != 0 || !slices.Equal(q.cancelled, []int64{80}) {
		t.Errorf("ended are %v", q.cancelled)
	}
	for comment, want := range map[string]bool{
		"libra:" + b.Mark + ":12.waits:x": true, "libra:" + b.Mark + ":12.0:x": false, "libra:" + b.Mark + ":1x.waits:x": false,
		"libra:" + b.Mark + ":12.0:x a text.waits:": false, "12.waits:x": false, "libra:": false, "": false,
	} {
		if b.isStandIn(comment) != want {
			t.Errorf("%q is one: %v", comment, !want)
		}
	}
	plain := client.Job{ID: 81, User: "ann", State: client.Pending, Held: true, Comment: "libra:" + strings.Repeat("0", 8) + ":12.waits:x"}
	if others := lists(b, noon, []client.Job{plain}); len(others) != 1 {
		t.Errorf("one with another market's mark is none of ours: %v", others)
	}
	if b.standInComment(12, 5) == b.standInComment(12, 6) {
		t.Error("after a restore another job of the number has the same")
	}
}

// Jobs of which it is not known what Slurm is to be told before they begin wait without a number.
func TestWhoHasNoStandIn(t *testing.T) {
	for name, change := range map[string]func(*task.Spec, *Backend, *queueSlurm){
		"programs on several nodes": func(s *task.Spec, _ *Backend, _ *queueSlurm) { s.Size = 2 },
		"an array that is one job":  func(s *task.Spec, _ *Backend, _ *queueSlurm) { s.Elements = []int{1, 2} },
		"in a reservation":          func(s *task.Spec, _ *Backend, _ *queueSlurm) { s.Within = "maint" },
		"of plain sbatch":           func(s *task.Spec, _ *Backend, _ *queueSlurm) { s.Env = append(s.Env, GuestVariable+"=7") },
		"before it runs":            func(_ *task.Spec, b *Backend, _ *queueSlurm) { b.standIns.open = false },
		"without Slurm's commands":  func(_ *task.Spec, _ *Backend, q *queueSlurm) { q.cannot = true },
	} {
		b, q, _ := lined(t)
		spec := waitingTask(12)
		change(&spec, b, q)
		if b.StandIn(t.Context(), spec, 5, "libra"); len(q.jobs) != 0 || b.Stands(12, 0).Number != "" {
			t.Errorf("%s: %+v", name, q.jobs)
		}
	}
}
