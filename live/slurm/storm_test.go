package slurm

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/model"
	"github.com/libra-market/libra/live/store"
)

// theater is a market, a Slurm and agents in virtual time, and a backend that
// can be killed.
type theater struct {
	t      *testing.T
	luck   *rand.Rand
	market *fakeMarket
	slurm  *model.Slurm
	notes  *fakeNotes
	agents []*fakeAgent
	front  client.Slurm // that the backend speaks to
	fleet  *unsureFleet // of the market, likewise
	leads  func() error // of the controller of the backend; nil: it does
	anew   Anew         // nil: no job is handed in anew
	line   Line         // nil: none waits
	gentle bool         // only answers are lost, and the backend killed
	log    *slog.Logger

	backend *Backend
	kill    context.CancelFunc
	gone    chan struct{}
}

func newTheater(t *testing.T, seed uint64, nodes int) *theater {
	var names []string
	for i := range nodes {
		names = append(names, fmt.Sprintf("n%d", i+1))
	}
	th := &theater{
		t: t, luck: rand.New(rand.NewPCG(seed, 9)), market: newFakeMarket(seed), slurm: model.New(seed, names...),
		notes: &fakeNotes{luck: rand.New(rand.NewPCG(seed, 10)), notes: map[string]store.Note{}}, log: slog.New(noErrors{slog.DiscardHandler, t}),
	}
	th.front, th.fleet = th.slurm, &unsureFleet{fakeMarket: th.market}
	for _, name := range names {
		th.agents = append(th.agents, &fakeAgent{node: name, slurm: th.slurm})
	}
	return th
}

// noErrors is a log in which nothing but warnings may be: an error is a transition
// that cannot be.
type noErrors struct {
	slog.Handler
	t *testing.T
}

func (h noErrors) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelError }

func (h noErrors) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		h.t.Errorf("%s: %s", r.Message, a)
		return true
	})
	return nil
}

// start starts a backend where another was killed.
func (th *theater) start() {
	cfg := Config{Partition: "libra", Now: time.Now, Log: th.log, Leads: th.leads, Anew: th.anew, Line: th.line}
	b, err := New(th.t.Context(), cfg, th.fleet, th.front, th.notes)
	for ; errors.Is(err, errDisk); time.Sleep(time.Second) {
		b, err = New(th.t.Context(), cfg, th.fleet, th.front, th.notes)
	}
	if err != nil {
		th.t.Fatal(err)
	}
	ctx, kill := context.WithCancel(th.t.Context())
	gone := make(chan struct{})
	th.backend, th.kill, th.gone = b, kill, gone
	go func() { b.Run(ctx); close(gone) }()
	synctest.Wait()
	for _, a := range th.agents {
		a.aim(b)
	}
}

func (th *theater) restart(away time.Duration) {
	for _, a := range th.agents {
		a.aim(nil)
	}
	th.kill()
	<-th.gone
	time.Sleep(away)
	th.start()
}

func (th *theater) stop() {
	th.kill()
	<-th.gone
}

// check finds what must not be when all is over.
func (th *theater) check() {
	th.t.Helper()
	if left := th.market.open(); len(left) > 0 {
		th.backend.mu.Lock()
		for _, id := range left {
			for key, r := range th.backend.runs {
				if key.job == id {
					th.t.Logf("run %s: %s %+v job %+v end %+v orders %d", key, r.state, r.binding, r.job, r.end, len(r.orders))
				}
			}
		}
		th.backend.mu.Unlock()
		th.t.Fatalf("jobs %v have not ended", left)
	}
	th.market.mu.Lock()
	defer th.market.mu.Unlock()
	for _, wrong := range th.market.wrong {
		th.t.Error(wrong)
	}
	for id, j := range th.market.jobs {
		s := j.final
		switch {
		case th.gentle && j.stop == task.GoOn && (j.Attempt > 0 || s.Signal != "" || s.State == task.Lost):
			th.t.Errorf("job %d was lost %q and ended as %s %d %s, and nothing but answers was lost", id, j.why, s.State, s.Exit, s.Signal)
		case j.refused && j.stop == task.GoOn && s.State != task.Refused:
			th.t.Errorf("job %d should have been refused: %s %q", id, s.State, s.Error)
		case s.State == task.Ended && s.Signal == "" && s.Exit != j.program.Exit:
			th.t.Errorf("job %d ended with %d, want %d", id, s.Exit, j.program.Exit)
		}
	}
	th.backend.mu.Lock()
	if n := len(th.backend.runs); n > 0 {
		th.t.Errorf("%d runs are remembered", n)
	}
	th.backend.mu.Unlock()
	if kept, _ := th.notes.Notes(th.t.Context(), kindRun); len(kept) > 0 {
		th.t.Errorf("%d notes are kept", len(kept))
	}
	th.slurm.Mu.Lock()
	defer th.slurm.Mu.Unlock()
	for id, j := range th.slurm.Known {
		if !j.State.Over() {
			th.t.Errorf("Slurm job %d is left: %+v", id, j.Job)
		}
	}
	for _, twice := range th.slurm.Twice {
		th.t.Errorf("a number was used twice: %s", twice)
	}
	for comment, most := range th.slurm.Most {
		if most > 1 && !th.slurm.Lost[comment] {
			th.t.Errorf("%s ran %d times at once", comment, most)
		}
	}
	for comment, n := range th.slurm.Starts {
		if n > 1 && !th.slurm.Lost[comment] {
			th.t.Errorf("%s was started %d times", comment, n)
		}
	}
}

var (
	storms    = flag.Uint64("storms", 40, "how many storms")
	stormSeed = flag.Uint64("storm", 0, "the seed of the first of them")
)

// TestWhateverHappens lets everything go wrong for some minutes of virtual time.
func TestWhateverHappens(t *testing.T) {
	many := *storms
	if testing.Short() {
		many = min(many, 8)
	}
	for seed := *stormSeed; seed < *stormSeed+many; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { storm(t, seed) })
		})
	}
}

func storm(t *testing.T, seed uint64) {
	th := newTheater(t, seed, 3)
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { th.slurm.Run(ctx) })
	th.start()
	for _, a := range th.agents {
		all.Go(func() { a.run(ctx) })
	}
	th.slurm.Mu.Lock()
	th.slurm.Trouble = []float64{0, 0.05, 0.2}[seed%3]
	th.slurm.Mu.Unlock()
	forgets := seed%2 == 1
	th.gentle = seed%4 == 2
	job := int64(0)
	for range 60 {
		time.Sleep(time.Duration(th.luck.IntN(4000)) * time.Millisecond)
		addedUp(t, th.backend)
		what := th.luck.IntN(20)
		if th.gentle && (what >= 12 && what <= 14 || what == 17) {
			what = 0
		}
		switch {
		case what < 10:
			job++
			p := model.Program{Takes: time.Duration(th.luck.IntN(20_000)) * time.Millisecond, Exit: th.luck.IntN(4)}
			th.market.submit(job, 1+th.luck.IntN(3), p, th.luck.IntN(15) == 0)
		case what < 12 && job > 0:
			th.market.cancel(1+th.luck.Int64N(job), []task.Stop{task.Terminate, task.Kill}[th.luck.IntN(2)])
		case what == 12:
			all.Go(func() { th.slurm.Crash(ctx, forgets) })
		case what == 13:
			name := fmt.Sprintf("n%d", 1+th.luck.IntN(3))
			long := time.Duration(th.luck.IntN(40)) * time.Second
			all.Go(func() { th.slurm.FailNode(ctx, name, long) })
		case what == 14:
			a, long := th.agents[th.luck.IntN(len(th.agents))], time.Duration(th.luck.IntN(60))*time.Second
			all.Go(func() { a.away(ctx, long) })
		case what < 17:
			long := 15
			if th.gentle {
				long = 4 // shorter than a lease
			}
			th.restart(time.Duration(th.luck.IntN(long)) * time.Second)
		case what == 17:
			th.slurm.Outside(th.luck)
		case what == 18 && !th.gentle:
			name := fmt.Sprintf("n%d", 1+th.luck.IntN(3))
			long := time.Duration(th.luck.IntN(40)) * time.Second
			all.Go(func() { th.slurm.ShutDown(ctx, name, long) })
		}
	}
	th.slurm.Mu.Lock()
	th.slurm.Trouble = 0
	th.slurm.Mu.Unlock()
	time.Sleep(5 * time.Minute)
	th.check()
	th.stop()
	stop()
	all.Wait()
}

// play lets a theater of two nodes play in virtual time, until it is looked over.
func play(t *testing.T, seed uint64, scene func(t *testing.T, th *theater, ctx context.Context)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		th := newTheater(t, seed, 2)
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { th.slurm.Run(ctx) })
		th.start()
		for _, a := range th.agents {
			all.Go(func() { a.run(ctx) })
		}
		time.Sleep(5 * time.Second)
		scene(t, th, ctx)
		th.check()
		th.stop()
		stop()
		all.Wait()
	})
}

// TestARestartFindsWhatWasSubmitted kills the backend while a job is in Slurm and
// nothing of it has been written down: it is found again by its nonce.
func TestARestartFindsWhatWasSubmitted(t *testing.T) {
	play(t, 1, func(t *testing.T, th *theater, ctx context.Context) {
		for _, a := range th.agents { // so that nobody makes room for the job
			a.mu.Lock()
			a.cut = true
			a.mu.Unlock()
		}
		th.market.submit(1, 2, model.Program{Takes: time.Second, Exit: 3}, false)
		time.Sleep(2 * time.Second)
		if kept, _ := th.notes.Notes(ctx, kindRun); len(kept) != 0 || th.slurm.Count() != 1 {
			t.Fatalf("%d notes, %d jobs in Slurm", len(kept), th.slurm.Count())
		}
		th.restart(0)
		for _, a := range th.agents {
			a.mu.Lock()
			a.cut = false
			a.mu.Unlock()
		}
		time.Sleep(time.Minute)
		if final := th.market.ending(1); final.State != task.Ended || final.Exit != 3 || final.Attempt != 0 || th.slurm.Count() != 1 {
			t.Errorf("%s ended as %s %d, %d jobs in Slurm", final.Key, final.State, final.Exit, th.slurm.Count())
		}
	})
}

// TestASlowSubmissionIsNotRepeated lets the answer to a submission be lost, which
// takes effect only later.
func TestASlowSubmissionIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := newTheater(t, 1, 1)
		slow := &slowSlurm{Slurm: th.slurm, late: 4 * time.Second}
		th.front = slow
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { th.slurm.Run(ctx) })
		th.start()
		all.Go(func() { th.agents[0].run(ctx) })
		time.Sleep(5 * time.Second)
		th.market.submit(1, 1, model.Program{Takes: time.Second}, false)
		time.Sleep(time.Minute)
		if sent, final := slow.sent.Load(), th.market.ending(1); sent != 1 || final.State != task.Ended {
			t.Errorf("submitted %d times, ended as %q", sent, final.State)
		}
		th.check()
		th.stop()
		stop()
		all.Wait()
	})
}

// slowSlurm loses the answer to the first submission at once and carries it out
// a while later.
type slowSlurm struct {
	*model.Slurm
	late time.Duration
	sent atomic.Int64
}

func (s *slowSlurm) Submit(ctx context.Context, job client.Submission) (int64, error) {
	if s.sent.Add(1) > 1 {
		return s.Slurm.Submit(ctx, job)
	}
	go func() {
		time.Sleep(s.late)
		_, _ = s.Slurm.Submit(ctx, job) // nobody hears of it
	}()
	return 0, model.ErrLost
}

// away cuts an agent off for a while.
func (a *fakeAgent) away(ctx context.Context, long time.Duration) {
	a.mu.Lock()
	a.cut = true
	a.mu.Unlock()
	pause(ctx, long)
	a.mu.Lock()
	a.cut = false
	a.mu.Unlock()
}
