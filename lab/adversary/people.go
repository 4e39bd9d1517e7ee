package adversary

import (
	"math"
	"math/rand/v2"

	"github.com/libra-market/libra/core/trade"
)

// wish is what somebody wants done: so much work on each of so many processors.
type wish struct {
	at       float64 // seconds from the start
	work     float64 // processor seconds on each processor
	width    int
	deadline float64 // seconds; 0: none
	memory   int64   // megabytes on each processor
}

// total is the work on all processors.
func (v *wish) total() float64 { return v.work * float64(v.width) }

// wishes draws what somebody wants in the first minutes of a world. Work is in
// whole milliseconds, so that an honest estimate can be exact.
func wishes(rng *rand.Rand, n, widest int, deadlines bool) []wish {
	var all []wish
	for range n {
		v := wish{at: rng.Float64() * 200, work: math.Round((2+rng.Float64()*40)*1e3) / 1e3, width: 1}
		if rng.IntN(3) == 0 {
			v.width = 1 + rng.IntN(widest)
		}
		factor := 1.5 + rng.Float64()*4.5
		if deadlines {
			v.deadline = math.Round(v.work*factor*1e3) / 1e3
		}
		all = append(all, v)
	}
	return all
}

// player is somebody in a world, with all accounts that are theirs.
type player struct {
	w     *world
	ids   []trade.Identity
	wants []wish
	of    map[int64]int // by job: the wish that it is for
	last  trade.Outcome
}

func (w *world) player(names ...string) *player {
	p := &player{w: w, of: map[int64]int{}}
	for _, n := range names {
		p.ids = append(p.ids, w.user(n))
	}
	return p
}

// ask is the request for a wish with an estimate.
func ask(v *wish, estimate float64) trade.Request {
	return trade.Request{
		Argv: []string{"work"}, EstimateMS: max(1, ms(estimate)), DeadlineMS: ms(v.deadline), Processors: v.width, MemoryMB: v.memory,
	}
}

func ms(seconds float64) int64 { return int64(math.Round(seconds * 1e3)) }

// submit submits a job for a wish.
func (p *player) submit(i int, r trade.Request, does program) (int64, bool) {
	return p.submitAs(p.ids[0], i, trade.Submit{Request: r}, does)
}

func (p *player) submitAs(by trade.Identity, i int, s trade.Submit, does program) (int64, bool) {
	p.w.pending = does
	s.Request = p.w.bidding(s.Request)
	o, err := p.w.do(trade.Command{By: by, Submit: &s})
	p.last = o
	if err != nil || o.Job == nil {
		return 0, false
	}
	p.of[o.Job.ID] = i
	return o.Job.ID, o.Refusal == nil
}

// honestly wants a wish done, says what it needs and lets it run.
func (p *player) honestly(i int) {
	v := &p.wants[i]
	p.submit(i, ask(v, v.work), program{work: v.work})
}

func (p *player) cancel(id int64) {
	_, _ = p.w.do(trade.Command{By: p.ids[0], Cancel: &trade.Cancel{Job: id}}) // it may have ended
}

// cancelWhen cancels a job as soon as it has taken so much processor time.
func (p *player) cancelWhen(id int64, took float64) {
	if j, live := p.w.x.Job(id); !live || j.State.Final() {
		return
	}
	if p.w.took[id] >= took {
		p.cancel(id)
		return
	}
	p.w.in(0.25, func() { p.cancelWhen(id, took) })
}

// net is what somebody has spent by the end, on all accounts together.
func (p *player) net() int64 {
	spent := int64(0)
	for _, id := range p.ids {
		a, _ := p.w.x.Account(id.User)
		spent += grant - a.Free - a.Held
	}
	return spent
}

// taken is the processor time somebody had, by wish; that of jobs lost with
// their node, which owe nothing, apart.
func (p *player) taken() (by []float64, lost float64) {
	by = make([]float64, len(p.wants))
	for id, i := range p.of {
		switch {
		case p.w.jobs[id].State == trade.Lost || p.w.jobs[id].Attempt > 0 || p.w.faulty[id]:
			lost += p.w.took[id]
		case i >= 0:
			by[i] += p.w.took[id]
		}
	}
	return by, lost
}

// neighbours are the honest people of a world: they say what they need, or a
// little more, and are there whatever the player does.
func (w *world) neighbours(s *scene, rng *rand.Rand) []*player {
	var all []*player
	for _, name := range []string{"ann", "ben", "cleo"} {
		p := w.player(name)
		w.honest[name] = true
		p.wants = wishes(rng, 4, s.width, rng.IntN(4) > 0)
		for i := range p.wants {
			over := 1.0
			if rng.IntN(2) == 0 {
				over += rng.Float64() * 0.3
			}
			v := &p.wants[i]
			w.at(start+micros(v.at), func() { p.submit(i, ask(v, v.work*over), program{work: v.work}) })
		}
		all = append(all, p)
	}
	return all
}
