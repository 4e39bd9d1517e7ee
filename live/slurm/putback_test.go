package slurm

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/model"
)

// requeueSlurm is the model with what a market needs whose users put jobs back.
type requeueSlurm struct{ *model.Slurm }

func (q *requeueSlurm) job(id int64) (j *model.Job, err error) {
	if j = q.Known[id]; j == nil {
		return nil, client.ErrRefused
	}
	return j, nil
}

func (q *requeueSlurm) Guest(context.Context, int64) (client.Guest, error) {
	return client.Guest{}, nil
}
func (q *requeueSlurm) Adopts() bool { return true }

// call does something that may not be heard, or whose answer may be lost, like all that the model does.
func (q *requeueSlurm) call(ctx context.Context, id int64, effect func(*model.Job) error) error {
	if err := q.Ping(ctx); err != nil {
		return err
	}
	q.Mu.Lock()
	j, err := q.job(id)
	if err == nil {
		err = effect(j)
	}
	q.Mu.Unlock()
	if err == nil {
		err = q.Ping(ctx)
	}
	return err
}

func (q *requeueSlurm) Adopt(ctx context.Context, id int64, s client.Submission) error {
	return q.call(ctx, id, func(j *model.Job) error {
		if j.State != client.Pending || !j.Held {
			return client.ErrRefused
		}
		if j.Comment = s.Comment; len(s.Nodes) > 0 {
			j.Wanted = s.Nodes
		}
		j.Submission.Requeue = s.Requeue
		return nil
	})
}

func (q *requeueSlurm) Remark(ctx context.Context, id int64, text string) error {
	return q.call(ctx, id, func(j *model.Job) error { j.Remark = text; return nil })
}

func (q *requeueSlurm) Restarts(ctx context.Context, id int64) (restarts int, remark string, err error) {
	err = q.call(ctx, id, func(j *model.Job) error { restarts, remark = j.Restarts, j.Remark; return nil })
	return restarts, remark, err
}

func (q *requeueSlurm) Returns(context.Context, int64) (map[int]client.Return, error) {
	return nil, client.ErrRefused // the model has no arrays
}

func (q *requeueSlurm) RemarkElement(context.Context, int64, int, string) error {
	return client.ErrRefused
}

func (q *requeueSlurm) Detain(ctx context.Context, id int64) error {
	return q.call(ctx, id, func(j *model.Job) error {
		if j.State == client.Pending {
			j.Held, j.Reason = true, "JobHeldAdmin"
		}
		return nil
	})
}

// renewer hands jobs in anew at the fake market.
type renewer struct {
	market  *fakeMarket
	made    map[string]int64
	asked   []Return
	refuses bool
	takes   time.Duration // to answer
}

func (*renewer) Only(context.Context, int64, string, []int) error { return nil }

func (a *renewer) Anew(_ context.Context, r Return) (Renewed, error) {
	time.Sleep(a.takes)
	m := a.market
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.jobs[r.Job]
	if old.final == nil {
		return Renewed{}, ErrGoesOn
	}
	if old.stop != task.GoOn { // asked for at the market
		return Renewed{Refused: true, Said: "cancelled"}, nil
	}
	key := fmt.Sprint(r.Number, r.Job, r.Count)
	id, again := a.made[key]
	if !again {
		id = int64(101 + len(a.made))
		a.made[key] = id
		a.asked = append(a.asked, r)
	}
	if a.refuses {
		return Renewed{Job: id, Refused: true, Said: "refused"}, nil
	}
	if !again {
		spec := old.Spec
		spec.Job, spec.Attempt, spec.Nodes = id, 0, nil
		spec.Env = append(slices.DeleteFunc(slices.Clone(spec.Env), func(e string) bool { return strings.HasPrefix(e, task.PutBack+"=") }), r.Env(0))
		m.jobs[id] = &fakeOrder{Spec: spec, program: old.program, ends: map[int]task.Status{}}
		m.place(m.jobs[id])
	}
	return Renewed{Job: id, Said: "bought"}, nil
}

// newest is the job that it is now.
func (a *renewer) newest() int64 {
	a.market.mu.Lock()
	defer a.market.mu.Unlock()
	return max(1, int64(100+len(a.made))*int64(min(1, len(a.made))))
}

// cutOff kills the market, and lets agents go on for an hour.
func (th *theater) cutOff() {
	th.kill()
	<-th.gone
	for _, agent := range th.agents { // which hold what they hold
		agent.mu.Lock()
		agent.to, agent.heard = nil, time.Now().Add(time.Hour)
		agent.mu.Unlock()
	}
}

func (a *renewer) LineUp(context.Context) {}

func (a *renewer) Over(_ context.Context, job int64) (bool, error) {
	a.market.mu.Lock()
	defer a.market.mu.Unlock()
	return a.market.jobs[job] == nil || a.market.jobs[job].final != nil, nil
}

func (a *renewer) Withdraw(_ context.Context, job int64, _ string) error {
	a.market.cancel(job, task.Kill)
	return nil
}

// mayReturn plays with a job that its user may put back, which takes half a minute.
func mayReturn(t *testing.T, seed uint64, scene func(t *testing.T, th *theater, a *renewer)) {
	t.Helper()
	play(t, seed, func(t *testing.T, th *theater, _ context.Context) {
		a := &renewer{market: th.market, made: map[string]int64{}}
		th.front, th.anew, th.line = &requeueSlurm{th.slurm}, a, a
		th.restart(0)
		time.Sleep(5 * time.Second)
		th.market.mu.Lock()
		spec := task.Spec{
			Key: task.Key{Job: 1}, Size: 1, User: "ann", Name: "work", Dir: "/", GraceMS: 500, Script: []byte("#!/bin/sh\n"),
			Env: []string{submitDir + "=/", task.Requeue + "=yes"},
		}
		th.market.jobs[1] = &fakeOrder{Spec: spec, program: model.Program{Takes: 30 * time.Second, Exit: 3}, ends: map[int]task.Status{}}
		th.market.place(th.market.jobs[1])
		th.market.mu.Unlock()
		for tries := 0; th.slurm.Alive() == 0; time.Sleep(time.Millisecond) {
			if tries++; tries > 60_000 {
				t.Fatal("it does not begin")
			}
		}
		scene(t, th, a)
		for _, kind := range []string{kindPutBack, kindStandIn, kindRun} {
			if kept, _ := th.notes.Notes(t.Context(), kind); len(kept) != 0 {
				t.Errorf("of %s this is noted still: %v", kind, kept)
			}
		}
	})
}

// least is how many seconds a job has had when it is put back.
func ofItsUser(t *testing.T, s task.Status, least time.Duration) {
	t.Helper()
	if s.State != task.Ended || !s.Cancelled || s.Attempt != 0 || s.CPUUS < least.Microseconds() || s.Signal != "SIGTERM" {
		t.Errorf("what was put back ended as %s by its user %v, %s, attempt %d, having used %d us: %s", s.State, s.Cancelled, s.Signal, s.Attempt, s.CPUUS, s.Error)
	}
}

// Who puts a job back has ended it, and pays for what it used; the next is another of the market's, and
// the same in Slurm. So it is whenever that happens, and whenever the market is killed meanwhile.
func TestAJobIsPutBackByItsUser(t *testing.T) {
	for after := time.Duration(0); after <= 10*time.Second; after += 5 * time.Second {
		for killed := -250 * time.Millisecond; killed < 12*time.Second; killed += 750 * time.Millisecond {
			t.Run(fmt.Sprint(after, killed), func(t *testing.T) {
				mayReturn(t, uint64(after+killed+time.Hour), func(t *testing.T, th *theater, a *renewer) {
					time.Sleep(after)
					if !th.slurm.RequeueByUser(1, false) {
						t.Fatal("it was not put back")
					}
					if killed >= 0 {
						time.Sleep(killed)
						th.restart(0)
					}
					most := 0
					for range 400 {
						time.Sleep(500 * time.Millisecond)
						most = max(most, th.slurm.Alive())
					}
					ofItsUser(t, th.market.ending(1), after)
					if len(a.made) != 1 || a.asked[0].OnHold || a.asked[0].Restarts != 1 {
						t.Fatalf("handed in anew were %+v", a.asked)
					}
					if s := th.market.ending(101); s.State != task.Ended || s.Exit != 3 || s.Attempt != 0 || s.Batch != "1" || most != 1 {
						t.Errorf("the next, %s, ended as %s %d: %s; %d at a time", s.Batch, s.State, s.Exit, s.Error, most)
					}
					if job, found, err := th.backend.JobOf(t.Context(), 1); job != 101 || !found || err != nil {
						t.Errorf("its number is that of %d, %v, %v", job, found, err)
					}
					if n := th.slurm.Count(); n != 1 {
						t.Errorf("Slurm has %d jobs", n)
					}
				})
			})
		}
	}
}

// A slurmctld that was killed may have forgotten that what is to be handed in anew is held, or that it was
// put back at all: then it is held again, or begun under another number, and not waited for without end.
func TestASlurmctldHasForgottenWhatWasPutBack(t *testing.T) {
	for name, c := range map[string]struct {
		forgets func(j *model.Job)
		batch   string
	}{
		"that it is held":      {func(j *model.Job) { j.Held, j.Reason = false, "BeginTime" }, "1"},
		"that it was put back": {func(j *model.Job) { j.State, j.Held = client.Suspended, false }, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			mayReturn(t, 9, func(t *testing.T, th *theater, a *renewer) {
				a.takes = 3 * time.Second
				time.Sleep(10 * time.Second)
				th.slurm.RequeueByUser(1, false)
				for tries := 0; len(th.market.open()) != 0; time.Sleep(time.Millisecond) {
					if tries++; tries > 60_000 {
						t.Fatal("it does not end")
					}
				}
				th.slurm.Mu.Lock()
				c.forgets(th.slurm.Known[1])
				th.slurm.Mu.Unlock()
				time.Sleep(5 * time.Minute)
				ofItsUser(t, th.market.ending(1), 9*time.Second)
				if len(a.made) != 1 {
					t.Fatalf("handed in anew were %+v", a.asked)
				}
				if s := th.market.ending(101); s.Exit != 3 || s.Batch != c.batch {
					t.Errorf("the next ended as %s %d in %s, want %s", s.State, s.Exit, s.Batch, c.batch)
				}
			})
		})
	}
}

// A market that is killed when it has written down the end of what was put back, and has not yet handed
// it in anew, hands it in when it is back: it is not nobody's.
func TestTheMarketIsKilledBetweenTheTwo(t *testing.T) {
	for after := time.Duration(0); after < 3*time.Second; after += 100 * time.Millisecond {
		t.Run(after.String(), func(t *testing.T) {
			mayReturn(t, uint64(after+time.Hour), func(t *testing.T, th *theater, a *renewer) {
				time.Sleep(10 * time.Second)
				was, _, _ := th.notes.Note(t.Context(), kindRun, "1.0")
				th.slurm.RequeueByUser(1, false)
				for tries := 0; ; time.Sleep(time.Millisecond) {
					th.market.mu.Lock()
					final := th.market.jobs[1].final != nil
					th.market.mu.Unlock()
					if final {
						break
					}
					if tries++; tries > 60_000 {
						t.Fatal("it does not end")
					}
				}
				time.Sleep(after)
				th.kill()
				<-th.gone
				if len(a.made) == 0 { // that it is forgotten was not written yet
					th.notes.mu.Lock()
					th.notes.notes[kindRun+" 1.0"] = was
					th.notes.mu.Unlock()
				}
				a.takes = 3 * time.Second
				th.start()
				time.Sleep(3 * time.Minute)
				ofItsUser(t, th.market.ending(1), 9*time.Second)
				if len(a.made) != 1 {
					t.Fatalf("handed in anew were %+v", a.asked)
				}
				if s := th.market.ending(101); s.Exit != 3 || s.Batch != "1" || th.slurm.Count() != 1 {
					t.Errorf("the next ended as %s %d in %s; %d jobs", s.State, s.Exit, s.Batch, th.slurm.Count())
				}
			})
		})
	}
}

// A listing that was begun before what was put back became another job has it as what it was: it is not
// nobody's for that.
func TestAListingFromBeforeItWasAnother(t *testing.T) {
	b, _, _ := lined(t)
	b.knows = true
	clear(b.nodes)
	r := &run{key: runKey{12, 0}, nonce: b.nonce(runKey{12, 0}, 5)}
	for name, c := range map[string]struct {
		began time.Duration // after it was another
		stray bool
	}{"before": {-100 * time.Millisecond, false}, "after": {100 * time.Millisecond, true}} {
		b.putBacks[71] = &putBack{Job: 12, ID: 71, User: "ann"}
		if err := b.dropPutBack(t.Context(), b.putBacks[71]); err != nil {
			t.Fatal(err)
		}
		clear(b.strays)
		b.mu.Lock()
		b.applyListing(b.cfg.Now().Add(c.began), []client.Job{{ID: 71, State: client.Pending, Held: true, User: "ann", Comment: b.commentOf(r)}})
		_, stray := b.strays[71]
		b.mu.Unlock()
		if stray != c.stray {
			t.Errorf("%s: it is nobody's: %v", name, stray)
		}
	}
	b.going.Wait()
}

// As often as it is put back it is paid for, and counted.
func TestAJobIsPutBackTwice(t *testing.T) {
	mayReturn(t, 3, func(t *testing.T, th *theater, a *renewer) {
		for range 2 {
			time.Sleep(10 * time.Second)
			if !th.slurm.RequeueByUser(1, false) {
				t.Fatal("it was not put back")
			}
			time.Sleep(20 * time.Second)
		}
		time.Sleep(2 * time.Minute)
		ofItsUser(t, th.market.ending(1), 10*time.Second)
		ofItsUser(t, th.market.ending(101), 5*time.Second)
		if s := th.market.ending(102); s.Exit != 3 || s.Batch != "1" || len(a.made) != 2 || a.asked[1].Restarts != 2 || a.asked[1].Job != 101 {
			t.Errorf("the last ended as %s %d in %s; %+v", s.State, s.Exit, s.Batch, a.asked)
		}
	})
}

// While the market is away Slurm begins it again by itself, and its script puts it back: nothing of it
// runs until it is bought.
func TestNothingRunsWhileTheMarketIsAway(t *testing.T) {
	mayReturn(t, 4, func(t *testing.T, th *theater, a *renewer) {
		time.Sleep(10 * time.Second)
		th.cutOff()
		th.slurm.RequeueByUser(1, false)
		for range 600 {
			time.Sleep(time.Second)
			if th.slurm.Alive() != 0 {
				t.Fatal("it runs, and nobody has bought it")
			}
		}
		th.slurm.Mu.Lock()
		if n := th.slurm.Known[1].Restarts; n < 4 {
			t.Errorf("Slurm has begun it %d times", n)
		}
		th.slurm.Mu.Unlock()
		th.start()
		time.Sleep(3 * time.Minute)
		ofItsUser(t, th.market.ending(1), 10*time.Second)
		if s := th.market.ending(101); s.Exit != 3 || s.Batch != "1" || len(a.made) != 1 {
			t.Errorf("the next ended as %s %d in %s; %+v", s.State, s.Exit, s.Batch, a.asked)
		}
	})
}

// One that the market does not take any more is ended in Slurm, and its number says why.
func TestAJobThatWasPutBackIsRefused(t *testing.T) {
	mayReturn(t, 5, func(t *testing.T, th *theater, a *renewer) {
		time.Sleep(10 * time.Second)
		a.refuses = true
		th.slurm.RequeueByUser(1, true)
		time.Sleep(time.Minute)
		ofItsUser(t, th.market.ending(1), 10*time.Second)
		if j := th.slurm.Known[1]; j.State != client.Cancelled || j.Remark != "libra: refused" || !a.asked[0].OnHold {
			t.Errorf("in Slurm it is %s, %q; %+v", j.State, j.Remark, a.asked)
		}
		if job, _, err := th.backend.JobOf(t.Context(), 1); job != 101 || err != nil {
			t.Errorf("its number is that of %d, %v", job, err)
		}
	})
}

// Who cancels what they have put back does not get it again, and pays for what ran: also where it slept,
// and where nobody has seen it run, and whoever cancels it. What never began owes nothing.
func TestWhatWasPutBackIsCancelled(t *testing.T) {
	for name, c := range map[string]struct {
		idle  bool // it sleeps
		away  bool // the market, from before it is put back until it is cancelled
		asked bool // the market, and not Slurm
	}{
		"at once": {}, "it slept": {idle: true}, "the market is asked": {idle: true, asked: true}, "the market has not seen it": {away: true}, "nor that it slept": {idle: true, away: true},
	} {
		for waits := time.Duration(0); waits < 4*time.Second; waits += 250 * time.Millisecond {
			t.Run(fmt.Sprint(name, waits), func(t *testing.T) {
				mayReturn(t, uint64(waits+time.Hour), func(t *testing.T, th *theater, a *renewer) {
					for _, agent := range th.agents {
						agent.mu.Lock()
						agent.idle = c.idle
						agent.mu.Unlock()
					}
					if c.away {
						th.cutOff()
					}
					time.Sleep(10 * time.Second)
					th.slurm.RequeueByUser(1, false)
					time.Sleep(waits)
					if c.asked {
						th.market.cancel(a.newest(), task.Kill)
						time.Sleep(3 * time.Second) // it may have ended, and be another in a moment
						th.market.cancel(a.newest(), task.Kill)
					} else if err := th.slurm.Cancel(t.Context(), 1, false); err != nil {
						t.Fatal(err)
					}
					if c.away {
						th.start()
					}
					time.Sleep(time.Minute)
					s := th.market.ending(1)
					if had := s.CPUUS + s.DeclinedUS; s.State != task.Ended || s.Signal != "SIGTERM" || !c.asked && !s.Cancelled || s.StartedUS == 0 || had < 9e6 {
						t.Errorf("it ended as %s %s, by its user %v, having had %d us: %s", s.State, s.Signal, s.Cancelled, had, s.Error)
					}
					for _, job := range a.made {
						if s := th.market.ending(job); s.State != task.Refused && s.CPUUS+s.DeclinedUS > 5e6 {
							t.Errorf("what came after it ended as %s %d %s, having had %d and %d us in %s: %s", s.State, s.Exit, s.Signal, s.CPUUS, s.DeclinedUS, s.Batch, s.Error)
						}
					}
					if th.slurm.Alive() != 0 || th.slurm.Count() != 1 {
						t.Errorf("%d run, of %d jobs", th.slurm.Alive(), th.slurm.Count())
					}
				})
			})
		}
	}
	r := aRun()
	r.Requeue, r.state, r.job = true, released, over(client.Cancelled)
	r.job.Nodes = nil
	w := &world{now: noon.Add(time.Minute), control: Agents, orders: true, good: noon}
	if got := r.decide(w); got != recount {
		t.Errorf("whether it ran is not asked: %d", got)
	}
	r.counted = standOf(r.job)
	if r.decide(w); r.end == nil || r.end.state != task.Refused {
		t.Errorf("what was not put back ended as %+v", r.end)
	}
}

// A job that the market ends, and that puts itself back when it is told to end, or when it has ended, has
// begun: it ends as the market has said, and nothing of it runs any more.
func TestWhatIsBeingEndedIsPutBack(t *testing.T) {
	for waits := time.Duration(0); waits < 3*time.Second; waits += 250 * time.Millisecond {
		for _, how := range []task.Stop{task.Terminate, task.Kill} {
			t.Run(fmt.Sprint(waits, how), func(t *testing.T) {
				mayReturn(t, uint64(waits+time.Hour), func(t *testing.T, th *theater, a *renewer) {
					for _, agent := range th.agents {
						agent.mu.Lock()
						agent.idle = true
						agent.mu.Unlock()
					}
					time.Sleep(10 * time.Second)
					th.market.cancel(1, how)
					for tries := 0; th.slurm.Alive() != 0; time.Sleep(time.Millisecond) {
						if tries++; tries > 60_000 {
							t.Fatal("it does not end")
						}
					}
					time.Sleep(waits)
					if !th.slurm.RequeueByUser(1, false) {
						t.Fatal("it is not put back")
					}
					for range 600 {
						time.Sleep(time.Second)
						if th.slurm.Alive() != 0 {
							t.Fatal("it runs again")
						}
					}
					if s := th.market.ending(1); s.State != task.Ended || s.DeclinedUS < 9e6 || s.Cancelled || len(a.made) != 0 {
						t.Errorf("it ended as %s %s, by its user %v, having declined %d us: %s; anew %+v", s.State, s.Signal, s.Cancelled, s.DeclinedUS, s.Error, a.asked)
					}
					th.slurm.Mu.Lock()
					if j := th.slurm.Known[1]; j.State != client.Cancelled || len(th.slurm.Known) != 1 {
						t.Errorf("in Slurm it is %s, of %d", j.State, len(th.slurm.Known))
					}
					th.slurm.Mu.Unlock()
				})
			})
		}
	}
}

// What was lost with its node, or put back by an administrator who says so, is begun again at the
// market's cost; what has ended is not begun again.
func TestWhoPutAJobBack(t *testing.T) {
	for name, what := range map[string]func(t *testing.T, th *theater){
		"an administrator": func(_ *testing.T, th *theater) {
			th.slurm.Mu.Lock()
			th.slurm.Known[1].Remark = byAdministrator
			th.slurm.Mu.Unlock()
			th.slurm.RequeueByUser(1, false)
		},
		"Slurm, with its node": func(_ *testing.T, th *theater) {
			time.Sleep(2 * time.Second)
			nodes, _ := th.nodesOf(1)
			th.slurm.Reset(nodes[0])
			th.slurm.Requeue(1, false)
		},
	} {
		t.Run(name, func(t *testing.T) {
			mayReturn(t, 7, func(t *testing.T, th *theater, a *renewer) {
				time.Sleep(10 * time.Second)
				what(t, th)
				time.Sleep(3 * time.Minute)
				if s := th.market.ending(1); s.Exit != 3 || s.Attempt != 1 || s.Batch == "1" || len(a.made) != 0 {
					t.Errorf("it ended as %s %d, attempt %d, in %s; anew %+v", s.State, s.Exit, s.Attempt, s.Batch, a.asked)
				}
			})
		})
	}
	mayReturn(t, 8, func(t *testing.T, th *theater, a *renewer) {
		time.Sleep(time.Minute)
		if !th.slurm.RequeueByUser(1, false) {
			t.Fatal("Slurm does not put back what has ended")
		}
		time.Sleep(3 * time.Minute)
		if s := th.market.ending(1); s.Exit != 3 || len(a.made) != 0 || th.slurm.Known[1].State != client.Cancelled {
			t.Errorf("it ended as %s %d; anew %+v; in Slurm it is %s", s.State, s.Exit, a.asked, th.slurm.Known[1].State)
		}
	})
}

// What Slurm puts back because the slurmd of its node was started anew, and has nothing of it, is begun
// again at the market's cost; what has outlived that is its user's, who puts it back later.
func TestWhoPutsBackWhatOutlivedASlurmd(t *testing.T) {
	b, _, _ := lined(t)
	now := b.cfg.Now()
	for name, c := range map[string]struct {
		slurmd, ended time.Duration // ago
		gone          bool
	}{
		"before it began":           {2 * time.Hour, 0, false},
		"it ended with that":        {time.Minute, time.Minute, true},
		"it is ended for that":      {time.Minute, 10 * time.Second, true},
		"long ago":                  {30 * time.Minute, 10 * time.Second, false},
		"long ago, and it goes on":  {30 * time.Minute, -1, false},
		"it ended with that, at 12": {30 * time.Minute, 30 * time.Minute, true},
		"nobody has seen it":        {30 * time.Minute, 0, true},
	} {
		r := &run{binding: binding{Nodes: []string{"n1"}}, first: now.Add(-time.Hour).Unix(), statuses: map[int]task.Status{}}
		if c.ended != 0 {
			r.statuses[0] = task.Status{State: task.Running}
		}
		if c.ended > 0 {
			r.statuses[0] = task.Status{State: task.Running, EndedUS: now.Add(-c.ended).UnixMicro()}
		}
		if got := b.nodeGone(r, []client.Node{{Name: "n1", Up: true, Slurmd: now.Add(-c.slurmd).Unix()}}); (got != "") != c.gone {
			t.Errorf("%s: %q", name, got)
		}
	}
	r := &run{binding: binding{Nodes: []string{"n1"}}, first: 1, statuses: map[int]task.Status{}}
	if b.nodeGone(r, []client.Node{{Name: "n1"}}) == "" {
		t.Error("its node is down")
	}
}

// Whatever a user does to a job, and whatever breaks meanwhile: one of it runs at a time, what ran is
// paid for, nothing runs that is not bought, and what was put back is one job in Slurm all the time.
func TestWhateverAUserPutsBack(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			mayReturn(t, seed, func(t *testing.T, th *theater, a *renewer) {
				luck := rand.New(rand.NewPCG(seed, 11))
				ran, most := time.Duration(0), 0
				pass := func(d time.Duration) {
					for ; d > 0; d -= 100 * time.Millisecond {
						alive := th.slurm.Alive()
						ran += time.Duration(alive) * 100 * time.Millisecond
						most = max(most, alive)
						time.Sleep(100 * time.Millisecond)
					}
				}
				th.slurm.Mu.Lock()
				th.slurm.Trouble = []float64{0, 0.05, 0.15}[seed%3]
				th.slurm.Mu.Unlock()
				for range 12 {
					pass(time.Duration(luck.IntN(8000)) * time.Millisecond)
					addedUp(t, th.backend)
					switch luck.IntN(11) {
					case 0, 1, 2, 3:
						th.slurm.RequeueByUser(1, luck.IntN(4) == 0)
					case 4:
						th.slurm.RequeueByUser(1, false)
						pass(time.Duration(luck.IntN(3000)) * time.Millisecond)
						if luck.IntN(4) == 0 {
							_ = th.slurm.Cancel(t.Context(), 1, false)
						}
					case 5:
						th.slurm.Suspend(1) // what stands still is not paid for
						time.Sleep(time.Duration(luck.IntN(4000)) * time.Millisecond)
						th.slurm.RequeueByUser(1, false)
						th.slurm.Resume(1)
					case 9:
						away := th.agents[luck.IntN(len(th.agents))]
						away.mu.Lock()
						away.cut = true // and it goes on holding what it holds
						away.mu.Unlock()
						th.slurm.RequeueByUser(1, false)
						pass(time.Duration(luck.IntN(8000)) * time.Millisecond)
						away.mu.Lock()
						away.cut = false
						away.mu.Unlock()
					case 10:
						if luck.IntN(4) == 0 {
							th.slurm.RequeueByUser(1, false)
							th.market.cancel(a.newest(), task.Terminate)
						}
					case 6, 7:
						th.restart(time.Duration(luck.IntN(4)) * time.Second)
					case 8:
						th.slurm.CrashFor(t.Context(), 2*time.Second)
					}
				}
				th.slurm.Mu.Lock()
				th.slurm.Trouble = 0
				th.slurm.Mu.Unlock()
				pass(10 * time.Minute)
				paid := time.Duration(0)
				lost := false
				for _, job := range append([]int64{1}, slices.Collect(maps.Values(a.made))...) {
					s := th.market.ending(job)
					paid += time.Duration(s.CPUUS+s.DeclinedUS) * time.Microsecond
					lost = lost || s.Attempt > 0 || s.State == task.Lost
				}
				slack := 2 * time.Second * time.Duration(1+len(a.made))
				if left := th.market.open(); len(left) != 0 || th.slurm.Alive() != 0 {
					t.Errorf("jobs %v have not ended, and %d run", left, th.slurm.Alive())
				}
				if most > 1 || !lost && paid < ran-slack {
					t.Errorf("%d ran at a time; %s ran, and %s is paid for, of %d jobs", most, ran, paid, 1+len(a.made))
				}
				if !lost && seed%3 == 0 && th.slurm.Count() != 1 { // else it is not listed now and then, and has another number
					t.Errorf("Slurm has %d jobs", th.slurm.Count())
				}
			})
		})
	}
}
