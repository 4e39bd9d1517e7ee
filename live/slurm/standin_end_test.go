package slurm

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
)

// failingNotes cannot forget while they are told not to.
type failingNotes struct {
	*fakeNotes

	fails error
	asked int
}

func (n *failingNotes) DropNotes(ctx context.Context, kind string, keys []string) error {
	if n.asked++; n.fails != nil {
		return n.fails
	}
	return n.fakeNotes.DropNotes(ctx, kind, keys)
}

// Who cancels a stand-in in Slurm cancels the job, also in the moment in which it is put on a node:
// before Slurm was asked, or while it is told to make it the job of the run.
func TestAStandInIsCancelledWhileItBegins(t *testing.T) {
	for name, happens := range map[string]func(*queueSlurm){
		"before": func(q *queueSlurm) { q.jobs[0].State = client.Cancelled },
		"meanwhile": func(q *queueSlurm) {
			q.meanwhile = func() { q.jobs[0].State = client.Cancelled }
			q.refuses = client.ErrRefused
		},
	} {
		b, q, l := lined(t)
		b.StandIn(t.Context(), waitingTask(12), 5, "libra")
		happens(q)
		if id, _, err := begins(t, b, waitingTask(12)); id != 0 || !errors.Is(err, errWithdrawn) || len(q.jobs) != 1 || !slices.Equal(l.withdrawn, []int64{12}) {
			t.Errorf("%s: it runs as %d: %v; withdrawn %v", name, id, err, l.withdrawn)
		}
		if len(b.standIns.of) != 0 || len(b.standIns.job) != 0 {
			t.Errorf("%s: standing %v", name, b.standIns.of)
		}

		b, q, l = lined(t)
		b.StandIn(t.Context(), waitingTask(12), 5, "libra")
		happens(q)
		l.fails = errors.New("the market does not answer")
		if id, _, err := begins(t, b, waitingTask(12)); id != 0 || !errors.Is(err, errNotAsked) || len(q.jobs) != 1 || b.standIns.of[12] == nil {
			t.Errorf("%s, and nobody hears: it runs as %d: %v", name, id, err)
		}
		l.fails = nil
		if lists(b, noon, q.jobs); !slices.Equal(l.withdrawn, []int64{12}) || b.standIns.of[12] != nil {
			t.Errorf("%s: then withdrawn %v", name, l.withdrawn)
		}
	}
	b, q, _ := lined(t)
	b.StandIn(t.Context(), waitingTask(12), 5, "libra")
	q.refuses, q.meanwhile = client.ErrRefused, func() { q.away = errors.New("no answer") }
	if id, _, err := begins(t, b, waitingTask(12)); id != 0 || !errors.Is(err, errNotAsked) || b.standIns.of[12] == nil {
		t.Errorf("nobody knows why: it runs as %d: %v", id, err)
	}
}

// A backend that is killed after it has ended a stand-in must not leave behind that its user has:
// the next one would cancel the job. So it is forgotten before, or not ended.
func TestAStandInIsForgottenBeforeItEnds(t *testing.T) {
	for name, end := range map[string]func(*Backend, *queueSlurm){
		"replaced": func(b *Backend, q *queueSlurm) {
			q.refuses = client.ErrRefused
			if id, _, err := begins(t, b, waitingTask(12)); id != 0 || !errors.Is(err, errNotAsked) {
				t.Errorf("it runs as %d: %v", id, err)
			}
		},
		"let go": func(b *Backend, q *queueSlurm) {
			q.jobs[0].Held = false
			lists(b, noon, q.jobs)
			lists(b, noon, q.jobs)
		},
		"lost": func(b *Backend, q *queueSlurm) {
			for range 2 * mostMissed {
				lists(b, noon, nil)
			}
		},
	} {
		b, q, _ := lined(t)
		b.notes = &failingNotes{fakeNotes: b.notes.(*fakeNotes), fails: errors.New("full")}
		b.StandIn(t.Context(), waitingTask(12), 5, "libra")
		if end(b, q); len(q.cancelled) != 0 || b.standIns.of[12] == nil || b.standIns.of[12].busy {
			t.Errorf("%s: ended %v, standing %v", name, q.cancelled, b.standIns.of)
		}
	}
	b, q, _ := lined(t)
	b.StandIn(t.Context(), waitingTask(12), 5, "libra")
	q.refuses = client.ErrRefused
	q.ending = func() {
		if kept, _ := b.notes.Notes(t.Context(), kindStandIn); len(kept) != 0 {
			t.Errorf("when it is ended it is noted: %v", kept)
		}
	}
	if id, _, err := begins(t, b, waitingTask(12)); id != 72 || err != nil || !slices.Equal(q.cancelled, []int64{71}) {
		t.Errorf("it runs as %d: %v; ended %v", id, err, q.cancelled)
	}

	// One that is the job of the run already is, whether its note goes or not.
	b, _, _ = lined(t)
	b.notes = &failingNotes{fakeNotes: b.notes.(*fakeNotes), fails: errors.New("full")}
	b.StandIn(t.Context(), waitingTask(12), 5, "libra")
	if id, _, err := begins(t, b, waitingTask(12)); id != 71 || err != nil || len(b.standIns.of) != 0 {
		t.Errorf("it runs as %d: %v", id, err)
	}
}

// One that is to end is seen to once, and Slurm is asked for its jobs soon: it is ended by what that lists.
func TestAStandInEndsSoon(t *testing.T) {
	for _, fails := range []error{nil, errors.New("full")} {
		b, _, _ := lined(t)
		notes := &failingNotes{fakeNotes: b.notes.(*fakeNotes), fails: fails}
		b.notes = notes
		b.StandIn(t.Context(), waitingTask(12), 5, "libra")
		b.pollNow = make(chan struct{}, 1)
		b.mu.Lock()
		b.endStandIn(b.standIns.of[12])
		b.endStandIn(b.standIns.of[12])
		b.mu.Unlock()
		b.going.Wait()
		if soon := len(b.pollNow) == 1; notes.asked != 1 || soon != (fails == nil) {
			t.Errorf("%v: it was forgotten %d times; Slurm is asked soon: %v", fails, notes.asked, soon)
		}
	}
}

// After Slurm has given the number of a stand-in to another's job, that is not ended with it.
func TestANumberOfAStandInIsAnothers(t *testing.T) {
	b, q, _ := lined(t)
	b.StandIn(t.Context(), waitingTask(12), 5, "libra")
	q.jobs[0] = client.Job{ID: 71, User: "bob", State: client.Running, Comment: "mine"}
	b.StandDown(12)
	b.going.Wait()
	if others := lists(b, noon, q.jobs); len(q.cancelled) != 0 || len(others) != 1 || b.standIns.of[12] != nil {
		t.Errorf("ended %v", q.cancelled)
	}
}

// While its stand-in is seen to by others, a job does not begin.
func TestAStandInIsBusy(t *testing.T) {
	b, q, _ := lined(t)
	b.StandIn(t.Context(), waitingTask(12), 5, "libra")
	b.standIns.of[12].busy = true
	if id, _, err := begins(t, b, waitingTask(12)); id != 0 || !errors.Is(err, errNotAsked) || len(q.jobs) != 1 || !b.standIns.of[12].busy {
		t.Errorf("it runs as %d: %v", id, err)
	}
	b.StandDown(12)
	for range 2 * mostMissed {
		lists(b, noon, nil)
	}
	if b.going.Wait(); b.standIns.of[12] == nil {
		t.Error("it was forgotten")
	}
	b.standIns.of[12].busy = false
	q.meanwhile = func() {
		if !b.standIns.of[12].busy {
			t.Error("while it becomes the job of a run it is ended")
		}
	}
	if id, _, err := begins(t, b, waitingTask(12)); id != 71 || err != nil {
		t.Errorf("it runs as %d: %v", id, err)
	}
}

// A job has one stand-in, whoever asks for it at the same time, and none beside a run.
func TestOneStandInOfAJob(t *testing.T) {
	b, q, _ := lined(t)
	q.submitting = func() { b.StandIn(t.Context(), waitingTask(12), 5, "libra") }
	if b.StandIn(t.Context(), waitingTask(12), 5, "libra"); len(q.jobs) != 1 {
		t.Errorf("it has %+v", q.jobs)
	}
	twin := q.jobs[0]
	twin.ID = 99
	b.standIns.job[99] = 12 // of one that was noted before
	if lists(b, noon, append(slices.Clone(q.jobs), twin)); !slices.Equal(q.cancelled, []int64{99}) {
		t.Errorf("ended %v", q.cancelled)
	}

	b, q, _ = lined(t)
	b.StandIn(t.Context(), waitingTask(5), 5, "libra") // which has an order
	r := b.runs[runKey{5, 0}]
	for _, c := range []struct {
		id   int64
		over bool
		want bool
	}{{0, false, true}, {71, false, true}, {88, true, true}, {88, false, false}} {
		r.ID, r.state = c.id, held
		if c.over {
			r.state = ended
		}
		if lists(b, noon, q.jobs); (b.standIns.of[5] != nil) != c.want {
			t.Errorf("beside run %d (%s): standing %v", c.id, r.state, b.standIns.of)
		}
	}
}

// While Slurm does not answer nobody waits for it. When it does, who has none is asked for one: not
// before it is known which ones it has lost.
func TestStandInsAfterSlurmWasAway(t *testing.T) {
	b, q, l := lined(t)
	b.listings = 1
	if b.StandIn(t.Context(), waitingTask(12), 5, "libra"); len(q.jobs) != 0 {
		t.Error("it was handed in")
	}
	b.listings = 0 // it was not asked yet
	if b.StandIn(t.Context(), waitingTask(12), 5, "libra"); len(q.jobs) != 1 {
		t.Error("it was not handed in")
	}
	b.listings, b.good = 1, time.Time{}
	q.jobs = nil
	for i := range mostMissed + 4 {
		b.pollJobs(t.Context(), noon)
		b.going.Wait()
		want := 0
		if i > mostMissed {
			want = 1
		}
		if l.asked != want || i > mostMissed && b.standIns.of[12] != nil {
			t.Errorf("after %d listings all were asked for %d times; standing %v", i+1, l.asked, b.standIns.of)
		}
	}
}

// Where hundreds are cancelled at once, their user can still ask the market for something else.
func TestManyStandInsAreCancelled(t *testing.T) {
	b, q, _ := lined(t)
	var mu sync.Mutex
	at, most, all := 0, 0, 0
	b.cfg.Line = &slowLine{func() {
		mu.Lock()
		at++
		most, all = max(most, at), all+1
		mu.Unlock()
		time.Sleep(time.Millisecond)
		mu.Lock()
		at--
		mu.Unlock()
	}}
	for job := range int64(10 * mostExits) {
		b.StandIn(t.Context(), waitingTask(100+job), 5, "libra")
	}
	for i := range q.jobs {
		q.jobs[i].State = client.Cancelled
	}
	stood := len(b.standIns.of) // some could not be noted
	if lists(b, noon, q.jobs); stood <= 5*mostExits || most > mostExits || all != stood || len(b.standIns.of) != 0 {
		t.Errorf("%d at a time, %d in all, %d stand", most, all, len(b.standIns.of))
	}
}

type slowLine struct{ withdraw func() }

func (*slowLine) LineUp(context.Context) {}

func (*slowLine) Only(context.Context, int64, string, []int) error { return nil }

func (*slowLine) Over(context.Context, int64) (bool, error) { return false, nil }

func (l *slowLine) Withdraw(context.Context, int64, string) error {
	l.withdraw()
	return nil
}

// A job that waits counts for Slurm's limits of submitted jobs once: by its ticket while that lasts,
// by what Slurm counts then, and by its run when it has one.
func TestAStandInCountsOnce(t *testing.T) {
	b, q, _ := lined(t)
	at := noon
	b.cfg.Now = func() time.Time { return at }
	ticket := &Ticket{user: "ann", partition: "libra", use: limit.Use{Jobs: 1, Processors: 2}}
	b.issue(ticket)
	b.Settle(ticket, 12)
	b.StandIn(t.Context(), waitingTask(12), 5, "libra")
	// had is what counts against a limit of submitted jobs, where Slurm counts the one.
	had := func() int {
		b.mu.Lock()
		defer b.mu.Unlock()
		books := b.books("libra", nil)
		return max(0, 1-books.Submitted[limit.Who{User: "ann"}].Jobs) + books.Underway[limit.Who{User: "ann"}].Jobs
	}
	for _, r := range b.runs {
		delete(b.runs, r.key)
		b.drops(r)
	}
	w := b.gate.wicket("libra")
	ask := func() { b.askSite(t.Context(), "libra", w) }
	if ask(); had() != 1 {
		t.Errorf("with its ticket it counts for %d", had())
	}
	at = noon.Add(ticketLasts)
	if had() != 1 {
		t.Errorf("without, it counts for %d", had())
	}
	if books := b.books("libra", nil); books.Underway[limit.Who{User: "ann"}].Jobs != 0 {
		t.Errorf("of those under way it is %d", books.Underway[limit.Who{User: "ann"}].Jobs) // they count for MaxJobs
	}
	r := b.newRun(runKey{12, 0}, 99)
	r.User, r.state, r.ID = "ann", ordered, 0
	if had() != 1 {
		t.Errorf("when it begins it counts for %d", had())
	}
	q.counting = func() { // it becomes the job of the run while Slurm is asked
		b.mu.Lock()
		r.state, r.ID = held, 71
		delete(b.standIns.of, 12)
		b.mu.Unlock()
	}
	if ask(); had() != 1 {
		t.Errorf("as its run it counts for %d", had())
	}
	q.counting = nil
	if ask(); had() != 1 {
		t.Errorf("later it counts for %d", had())
	}
}

// The market is asked after who waits now and then, and time and again.
func TestTheMarketIsAskedAfterAStandIn(t *testing.T) {
	b, q, l := lined(t)
	b.StandIn(t.Context(), waitingTask(12), 5, "libra")
	for i, want := range []int{1, 1, 2, 3} {
		at := noon.Add([]time.Duration{0, askEach - 1, askEach, 2 * askEach}[i])
		l.over[12] = i == 3
		if lists(b, at, q.jobs); l.questions != want || (b.standIns.of[12] != nil) != (i < 3) {
			t.Errorf("%d: %d questions, standing %v", i, l.questions, b.standIns.of)
		}
	}
}
