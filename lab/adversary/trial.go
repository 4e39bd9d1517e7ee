package adversary

import (
	"fmt"
	"math/rand/v2"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Result is what came of one strategy in one world. Money is in micro-units, work
// in processor seconds.
type Result struct {
	Seed     uint64
	Strategy string
	Rate     int64 // of an hour of a processor in that world

	Net   int64   // spent by who follows the strategy, penalties off
	Taken float64 // got for it
	Fair  int64   // what an honest user pays for as much of the same
	Noise int64   // of rounding and measuring

	TwinNet, TwinFair int64   // the same of the honest twin, in a world of its own
	TwinTaken         float64 //

	Late, TwinLate       float64 // seconds by which promises to the neighbours were broken
	Refused, TwinRefused int     // of their jobs
	Broken               []string
}

// Gain is what the strategy earned over honest behaviour.
func (r *Result) Gain() int64 { return r.Fair - r.Net }

// Failed says why a result is a bug; "" where it is none.
func (r *Result) Failed() string {
	switch {
	case len(r.Broken) > 0:
		return r.Broken[0]
	case r.Gain() > r.Noise:
		return fmt.Sprintf("it pays: %s spent on %.3f processor seconds, for which an honest user pays %s",
			market.Money(r.Net), r.Taken, market.Money(r.Fair))
	case r.Net < -r.Noise:
		return fmt.Sprintf("it earns %s", market.Money(-r.Net))
	case r.Late > r.TwinLate+1e-3:
		return fmt.Sprintf("promises to others were broken by %.3f s, beside an honest user by %.3f s", r.Late, r.TwinLate)
	}
	return ""
}

// horizon is when everything that was begun has come to its end.
const horizon = 1800

// World is one seed, in which strategies are tried one after the other: what
// comes of the honest twins is the same for many of them.
type World struct {
	seed  uint64
	twins map[twinKey]course
}

type twinKey struct {
	patient, idle bool
	memory        bool
	accounts      int
	policy        string
	set           string
}

// NewWorld is the world of a seed.
func NewWorld(seed uint64) *World { return &World{seed: seed, twins: map[twinKey]course{}} }

// Try plays a strategy, and its honest twin.
func (w *World) Try(s *Strategy) Result {
	cheat := play(w.seed, s, true)
	key := twinKey{s.Patient, s.Idle, s.memory, s.Accounts, s.policy, fmt.Sprint(s.set)}
	twin, played := w.twins[key]
	if !played {
		twin = play(w.seed, s, false)
		w.twins[key] = twin
	}
	r := Result{
		Seed: w.seed, Strategy: s.Name, Rate: cheat.rate,
		Net: cheat.net, Taken: cheat.taken, Fair: cheat.fair, Noise: cheat.noise, Late: cheat.late, Refused: cheat.refused,
		TwinNet: twin.net, TwinTaken: twin.taken, TwinFair: twin.fair, TwinLate: twin.late, TwinRefused: twin.refused,
		Broken: cheat.broken,
	}
	for _, b := range twin.broken {
		r.Broken = append(r.Broken, "with an honest twin: "+b)
	}
	return r
}

// course is what came of one world.
type course struct {
	rate             int64
	net, fair, noise int64
	taken, late      float64
	refused          int
	broken           []string
}

func play(seed uint64, s *Strategy, cheats bool) course {
	rng := rand.New(rand.NewPCG(seed, 1))
	set := newScene(rng)
	if s.policy != "" {
		set.policy, set.set = s.policy, s.set
	}
	if s.memory {
		set.memory = set.rate / 8
	}
	w := newWorld(&set, rng)
	others := w.neighbours(&set, rng)
	names := []string{"mallory"}
	for i := range s.Accounts {
		names = append(names, fmt.Sprintf("mallory%d", i+2))
	}
	p := w.player(names...)
	p.wants = wishes(rng, 3, set.width, !s.Patient)
	for i := range p.wants {
		if s.memory {
			p.wants[i].memory = gigabytes << 10
		}
	}
	if cheats && s.prepare != nil {
		s.prepare(p)
	}
	for i := range p.wants {
		w.at(start+micros(p.wants[i].at), func() {
			if !cheats {
				if !s.Idle {
					p.honestly(i)
				}
				return
			}
			s.cheat(p, i)
		})
	}
	w.checkWidths(set.width)
	w.play(start + horizon*second)
	w.finish()
	w.checkSpent(p)
	c := w.reckon(p, others)
	c.rate = set.rate
	return c
}

// reckon says what came of a world for its player and the neighbours.
func (w *world) reckon(p *player, others []*player) course {
	c := course{net: p.net(), broken: w.broken}
	by, lost := p.taken()
	c.taken = lost
	for i, took := range by {
		c.taken += took
		c.fair += w.fair(&p.wants[i], took)
	}
	for id := range p.of {
		if j := w.jobs[id]; j.State != trade.Lost && j.Attempt == 0 && !w.faulty[id] {
			c.fair += int64(w.stored(w.kept[id]))
		}
		c.noise += w.tolerance(id)
		c.net += w.amends[id] // for a loss, which is nobody's doing
	}
	for _, o := range others {
		for id := range o.of {
			j := w.jobs[id]
			if j.State == trade.Rejected {
				c.refused++
			}
			if j.PromisedUS != 0 && j.EndedUS > j.DueUS+w.report && !w.faulty[id] { // what is less nobody can have measured
				c.late += float64(j.EndedUS-j.DueUS) / 1e6
			}
		}
	}
	return c
}

// fair is what an honest user pays for so much of a wish. Where a price moves
// with the load it is the least that could have been paid: the market's movement
// is nobody's gain.
func (w *world) fair(v *wish, took float64) int64 {
	if took <= 0 {
		return 0
	}
	r := ask(v, v.work)
	r.Processors, r.MemoryMB = 1, 1 // who asks for none is sold some
	work := v.work
	if w.policy != "libra" {
		work = 1e6
		r.EstimateMS, r.DeadlineMS = 1e9, 1e13
	}
	return int64(float64(w.quoted(r)) * took / work)
}

// quoted is what the work of a request costs where nothing happens.
func (w *world) quoted(r trade.Request) int64 {
	o, err := w.idle.Preview(trade.Identity{User: "mallory", Role: trade.RoleUser}, w.bidding(r))
	if err != nil || o.Quote == nil {
		panic(fmt.Sprintf("adversary: an idle market has no price: %v, %+v", err, o.Refusal))
	}
	return o.Quote.Price - int64(o.Quote.Storage.Amount())
}

// floor is the cheapest price of a processor second.
func (w *world) floor() float64 {
	if w.cheapest > 0 {
		return w.cheapest
	}
	w.cheapest = float64(w.quoted(trade.Request{EstimateMS: 1_000_000_000, DeadlineMS: 1e13, MemoryMB: 1})) / 1e6
	return w.cheapest
}

// tolerance is by how much the bill of a job may be off without anybody's doing:
// work is counted in milliseconds on each processor, money in micro-units, for
// each amount on the bill.
func (w *world) tolerance(id int64) int64 {
	j := w.jobs[id]
	postings := int64(2 + len(j.Extensions))
	if j.Storage != nil {
		postings += 3
	}
	each := w.floor()/1000 + w.stored(float64(j.Request.MemoryMB)/1000)
	return int64(float64(postings)*float64(max(1, j.Width))*each) + 2*postings
}
