package policy

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// inTurn is when tasks are done on one processor, the earliest deadline first, and whether all are in
// time: played second by second of the plainest kind, with no sums kept.
func inTurn(now market.Time, tasks []book.Task) (done map[market.JobID]market.Time, ok bool) {
	tasks = slices.Clone(tasks)
	slices.SortStableFunc(tasks, func(a, b book.Task) int { return int(a.Due.Rank() - b.Due.Rank()) })
	done, ok = map[market.JobID]market.Time{}, true
	for i := range tasks {
		now += market.Time(tasks[i].Left)
		done[tasks[i].Job] = now
		ok = ok && !now.After(tasks[i].Due)
	}
	return done, ok
}

// A timetable says of one task more what playing all of them says.
func TestATimetableSaysWhatPlayingItSays(t *testing.T) {
	yes, no := 0, 0
	for seed := range uint64(3000) {
		draw := rand.New(rand.NewPCG(seed, 17))
		b := book.New(market.Alike(market.Plain(), 1))
		b.Tick(100)
		var tasks []book.Task
		for id := range 4 + draw.IntN(8) {
			work := market.Work(1 + draw.IntN(20))
			j := market.Job{ID: market.JobID(id), Submit: 100, Estimate: work, Width: 1, SLA: market.SLA{Deadline: market.Time(work) + market.Time(draw.IntN(50))}}
			with := append(slices.Clone(tasks), book.NewTask(&j, book.Terms{}, 100))
			want, ok := inTurn(100, with)
			var table timetable
			table.draw(b.View(), 0)
			done, fits := table.fits(100, market.Time(work), j.Due())
			if fits != ok || fits && done != want[j.ID] {
				t.Fatalf("seed %d: the timetable says %v, %v, and playing it %v, %v", seed, done, fits, want[j.ID], ok)
			}
			if !fits {
				no++
				continue
			}
			yes++
			tasks = with
			b.Place(b.Add(&j), book.Terms{Independent: true}, market.Procs(nil).Add(0))
		}
	}
	if yes < 1000 || no < 1000 {
		t.Errorf("%d fit and %d do not: that tells little", yes, no)
	}
}

// The going rate is that of the definition: the highest at which those who offer it or more need more than the part of the
// cluster that is sold at the door.
func TestTheGoingRateIsThatOfTheMarginalJob(t *testing.T) {
	some := 0
	p := newGoingRate() // which remembers what jobs offered that have left
	for seed := range uint64(500) {
		draw := rand.New(rand.NewPCG(seed, 18))
		few := 1 + int(seed%2)*24 // many are alike
		b := book.New(market.Alike(market.Plain(), 4))
		b.Tick(0)
		var jobs []market.Job
		need := 0.0
		for id := range draw.IntN(20) {
			j := market.Job{
				ID: market.JobID(id), Estimate: market.Work(1 + draw.IntN(50)/few*few), Width: 1 + int32(draw.IntN(4)),
				SLA: market.SLA{Deadline: market.Time(30 + draw.IntN(120)), Budget: market.Price(1 + draw.IntN(1000)/(20*few)*(20*few))},
			}
			if draw.IntN(10) == 0 { // a quote, which does not count
				j.Width = 1
				s := b.Add(&j)
				b.Reserve(s)
				b.Place(s, book.Terms{Independent: true, Finish: j.Due(), Firm: true}, market.Procs(nil).Add(0))
				continue
			}
			jobs = append(jobs, j)
			need += min(1, float64(j.Estimate)/float64(j.SLA.Deadline)) * float64(j.Width)
			b.Wait(b.Add(&j), book.Terms{Price: j.SLA.Budget, Latest: market.Never})
		}

		want := 0.0
		for i := range jobs {
			rate, above := market.RoundSignificant(float64(jobs[i].SLA.Budget)/p.size(&jobs[i])), 0.0
			for k := range jobs {
				if market.RoundSignificant(float64(jobs[k].SLA.Budget)/p.size(&jobs[k])) >= rate {
					above += min(1, float64(jobs[k].Estimate)/float64(jobs[k].SLA.Deadline)) * float64(jobs[k].Width)
				}
			}
			if above/4 > p.part {
				want = max(want, rate)
			}
		}
		if need/4 > p.part {
			some++
		}
		if got := p.rate(b.View()); got != want {
			t.Fatalf("seed %d: the rate is %v and not %v", seed, got, want)
		}
	}
	if some < 100 {
		t.Errorf("there was a rate %d times: that tells little", some)
	}
}

// answers is what a policy answers to a job on one processor on which another waits or runs.
func answers(t *testing.T, p *goingRate, here, j market.Job) Answer {
	t.Helper()
	b := book.New(market.Alike(market.Plain(), 1))
	b.Tick(0)
	if here.Width > 0 {
		b.Place(b.Add(&here), book.Terms{Price: here.SLA.Budget, Independent: true}, market.Procs(nil).Add(0))
	}
	var a Answer
	p.Admit(b.View(), &j, &a)
	return a
}

// Who offers as much as the going rate is taken in, and who offers less waits.
func TestWhoOffersTheGoingRateIsTakenIn(t *testing.T) {
	here := market.Job{ID: 1, Estimate: 10, Width: 1, SLA: market.SLA{Deadline: 15, Budget: 100}}
	for offer, want := range map[market.Price]Verdict{100: Run, 99: Queue} {
		j := here
		j.ID, j.SLA = 2, market.SLA{Deadline: 25, Budget: offer}
		if got := answers(t, newGoingRate(), here, j); got.Verdict != want {
			t.Errorf("who offers %v of 100: %v", offer, got.Verdict)
		}
	}
}

// Where nothing follows the rate any offer will do, however the order leans.
func TestNothingIsAskedWhereNothingFollows(t *testing.T) {
	p := newGoingRate()
	p.lean = 400
	if got := answers(t, p, market.Job{}, market.Job{Estimate: 100, Width: 1, SLA: market.SLA{Deadline: 200, Budget: 5}}); got.Verdict != Run || got.Terms.Price != 5 {
		t.Errorf("%+v", got)
	}
}

// A quote that is kept is due as if it were taken now: who would be done in time beside it a moment ago
// may be in its way now.
func TestAQuoteMovesOnATimetable(t *testing.T) {
	p, b := newGoingRate(), book.New(market.Alike(market.Plain(), 1))
	b.Tick(0)
	quote := market.Job{ID: 1, Estimate: 10, Width: 1, SLA: market.SLA{Deadline: 20}}
	s := b.Add(&quote)
	b.Reserve(s)
	b.Place(s, book.Terms{Independent: true, Finish: 20, Firm: true}, market.Procs(nil).Add(0))
	if j := (market.Job{ID: 2, Estimate: 11, Width: 1, SLA: market.SLA{Deadline: 22}}); !p.fits(b.View(), &j) {
		t.Error("due after it, and done 1 s before that, it does not fit")
	}
	b.Tick(5)
	if j := (market.Job{ID: 2, Submit: 5, Estimate: 11, Width: 1, SLA: market.SLA{Deadline: 17}}); p.fits(b.View(), &j) {
		t.Error("it goes first by now, and the quote could not be kept")
	}
}
