package policy

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// Who waits goes by what those need who offer more, and by nobody who offers as much; of the cluster
// as it is, if the same jobs are on more processors.
func TestWhatThoseNeedWhoOfferMore(t *testing.T) {
	p := newGoingRate()
	for seed := range uint64(100) {
		draw := rand.New(rand.NewPCG(seed, 19))
		var jobs []market.Job
		for id := range 2 + draw.IntN(10) {
			jobs = append(jobs, market.Job{
				ID: market.JobID(id), Estimate: market.Work(10 * (1 + draw.IntN(3))), Width: 1 + int32(draw.IntN(4)),
				SLA: market.SLA{Deadline: market.Time(15 + draw.IntN(100)), Budget: market.Price(100 * (1 + draw.IntN(4)))},
			})
		}
		rate := func(j *market.Job) float64 { return market.RoundSignificant(float64(j.SLA.Budget) / p.size(j)) }
		for _, processors := range []int{4, 8} {
			b := book.New(market.Alike(market.Plain(), processors))
			b.Tick(0)
			for i := range jobs {
				b.Wait(b.Add(&jobs[i]), book.Terms{Price: jobs[i].SLA.Budget, Latest: market.Never})
			}
			p.survey(b.View())
			for i := range jobs {
				want := 0.0
				for k := range jobs {
					if rate(&jobs[k]) > rate(&jobs[i]) {
						want += min(1, float64(jobs[k].Estimate)/float64(jobs[k].SLA.Deadline)) * float64(jobs[k].Width) / float64(processors)
					}
				}
				if got := p.needAbove(rate(&jobs[i])); math.Abs(got-want) > 1e-9 {
					t.Fatalf("seed %d: those above job %d need %v of %d processors, want %v", seed, i, got, processors, want)
				}
			}
		}
	}
}

// Who waits is taken in beside others when it has waited for the part of its time that those ask of it who offer more,
// and not before; the policy wakes up a moment after it.
func TestWhenWhoWaitsIsTakenIn(t *testing.T) {
	eighth := func(part float64) market.Time { return market.Time(math.Pow(part, 1.0/8)) }
	for name, c := range map[string]struct {
		offer    market.Price // and 100 is offered by who is at work, and needs a tenth of the processor
		room     float64
		price    string
		now      market.Time
		taken    bool
		from     market.Time // Never: it is not waited for
		estimate market.Work
	}{
		"nobody offers more":                  {offer: 200, room: 0.7, taken: true, from: market.Never},
		"somebody offers as much":             {offer: 100, room: 0.7, taken: true, from: market.Never},
		"somebody offers more":                {offer: 50, room: 0.7, from: 5 + 85*eighth(0.1/0.7)},
		"just before its time":                {offer: 50, room: 0.7, now: 5 + 85*eighth(0.1/0.7) - 0.01, from: 5 + 85*eighth(0.1/0.7)},
		"when its time has come":              {offer: 50, room: 0.7, now: 5 + 85*eighth(0.1/0.7) + 0.01, taken: true, from: market.Never},
		"it fits nowhere":                     {offer: 200, room: 0.7, from: market.Never, estimate: 96},
		"they need all the room":              {offer: 50, room: 0.1, from: 90},
		"they need more than that":            {offer: 50, room: 0.05, from: market.Never},
		"there is no room":                    {offer: 200, room: 0, from: market.Never},
		"all who pay what is asked are equal": {offer: 200, room: 0.7, price: pricePosted, from: market.Never},
	} {
		p := newGoingRate()
		p.lean, p.room = 0, c.room
		if c.price != "" {
			p.price = c.price
		}
		b := book.New(market.Alike(market.Plain(), 1))
		b.Tick(0)
		here := market.Job{ID: 1, Estimate: 10, Width: 1, SLA: market.SLA{Deadline: 100, Budget: 100}}
		b.Place(b.Add(&here), book.Terms{Price: 100, Finish: 100, Firm: true, Independent: true}, market.Procs(nil).Add(0))
		waits := market.Job{ID: 2, Submit: 5, Estimate: 10, Width: 1, SLA: market.SLA{Deadline: 100, Budget: c.offer}}
		if c.estimate > 0 {
			waits.Estimate, waits.SLA.Budget = c.estimate, 100*c.offer
		}
		s := b.Add(&waits)
		b.Wait(s, book.Terms{Price: waits.SLA.Budget, Latest: 90, Independent: true})
		b.Tick(max(5, c.now))
		d, list := book.NewDraft(b), []book.Slot{s}
		wake := p.takeIn(b.View(), d, list)
		if taken := !b.View().Waits(s); taken != c.taken {
			t.Errorf("%s: it is taken in: %v", name, taken)
		}
		if c.from.Finite() != wake.Finite() || c.from.Finite() && (wake <= c.from || math.Abs(float64(wake-c.from)) > 2*float64(beyond)) {
			t.Errorf("%s: it wakes up at %v, want a moment after %v", name, wake, c.from)
		}
		if c.taken { // whoever was taken in is not taken in again
			if again := p.takeIn(b.View(), d, list); again.Finite() {
				t.Errorf("%s: it waits until %v after it was taken in", name, again)
			}
		}
	}
}
