package policy

import (
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// AskingEverybody is libra-sla that goes by no bounds.
func AskingEverybody() Policy { return &askingEverybody{newLibraSLA()} }

type askingEverybody struct{ *libraSLA }

func (p *askingEverybody) Admit(v book.View, j *market.Job, a *Answer) {
	p.admit(v, j, a, (*libraSLA).askAll)
}

// ImpreciseAskingEverybody is mf-edf, or mf-hbf by its budget, that asks every processor, and keeps nothing of any: it holds
// what is kept beside it against what is there.
func ImpreciseAskingEverybody(name string, differ func(how string)) Policy {
	p := newMandatoryFirst("budget", "rate")
	if name == "mf-edf" {
		p = newMandatoryFirst("deadline")
	}
	return &impreciseAskingEverybody{mandatoryFirst: p, differ: differ}
}

type impreciseAskingEverybody struct {
	*mandatoryFirst
	kept   mandatoryFirst // what has been kept of the parts on each processor
	differ func(how string)
}

func (p *impreciseAskingEverybody) Plan(v book.View, d *book.Draft) {
	p.docket = docket{}
	p.mandatoryFirst.Plan(v, d)
	p.compare(v)
}

func (p *impreciseAskingEverybody) Admit(v book.View, j *market.Job, a *Answer) {
	p.compare(v)
	p.docket = docket{}
	p.admit(v, j, a, (*mandatoryFirst).offers)
}

func (p *impreciseAskingEverybody) compare(v book.View) {
	p.kept.docket.begin(v)
	for proc := range v.Processors() {
		p.kept.draw(v, proc)
		p.kept.note(v, proc, market.Never)
		kept := p.kept.parts
		p.docket = docket{}
		p.docket.begin(v)
		p.draw(v, proc)
		if !slices.Equal(kept, p.parts) || !slices.IsSortedFunc(kept, func(a, b part) int { return byDeadline(&a, &b) }) {
			p.differ(fmt.Sprintf("%v: on processor %d is kept %+v, and there is %+v", v.Now(), proc, kept, p.parts))
		}
	}
}

// GoingRateAskingEverybody is going-rate that asks every processor.
func GoingRateAskingEverybody() Policy {
	p := newGoingRate()
	p.everybody = true
	return p
}

// MakeWayAskingEverybody is make-way that has everybody who waits ask everybody who runs, and looks at them anew each time.
func MakeWayAskingEverybody() Policy {
	p := newMakeWay()
	p.everybody = true
	return p
}

// MakeWayMadeAnew is make-way that holds what it keeps of those who run, after every plan, against what is made anew.
func MakeWayMadeAnew(differ func(how string)) Policy {
	return &makeWayMadeAnew{makeWay: newMakeWay(), differ: differ}
}

type makeWayMadeAnew struct {
	*makeWay
	differ func(how string)
}

func (p *makeWayMadeAnew) Plan(v book.View, d *book.Draft) {
	p.makeWay.Plan(v, d)
	var anew lineup
	anew.survey(v, true)
	kept := &p.line
	kept.known = false
	kept.survey(v, false)
	if len(kept.up) != len(anew.up) || len(kept.lenders.list) != len(anew.lenders.list) {
		p.differ(fmt.Sprintf("%d run and %d could make way, not %d and %d", len(kept.up), len(kept.lenders.list), len(anew.up), len(anew.lenders.list)))
	}
	for i := range anew.up {
		want := &anew.up[i]
		got := layer{}
		if at := kept.at[want.slot]; at > 0 {
			got = kept.up[at-1]
		}
		if got.job != want.job || got.begins != want.begins || got.ends != want.ends || got.spare != want.spare || got.alone != want.alone || got.front != want.front {
			p.differ(fmt.Sprintf("%v is kept as %+v, and is %+v", v.Now(), got, *want))
		}
		if want.ends < v.Now() {
			p.differ(fmt.Sprintf("%v: job %d is to end at %v", v.Now(), want.job, want.ends))
		}
		for _, h := range v.Entry(want.slot).Houses() {
			if !slices.Equal(kept.stacks[h], anew.stacks[h]) {
				p.differ(fmt.Sprintf("%v: on a house they go as %v, not as %v", v.Now(), kept.stacks[h], anew.stacks[h]))
			}
		}
	}
	if len(kept.lenders.still) != len(anew.lenders.still) {
		p.differ(fmt.Sprintf("%v: %d of them stand still, not %d", v.Now(), len(kept.lenders.still), len(anew.lenders.still)))
	}
	for i := range anew.lenders.list {
		want, got := &anew.lenders.list[i], lender{}
		if at := kept.lenders.at[want.slot]; at > 0 {
			got = kept.lenders.list[at-1]
		}
		if got != *want {
			p.differ(fmt.Sprintf("%v: %+v could make way, and is kept as %+v", v.Now(), *want, got))
		}
	}
	for long := 1.0; long < 1000; long *= 3 {
		for _, kind := range [][2]*bids{{&kept.ends, &anew.ends}, {&kept.lenders.cheap, &anew.lenders.cheap}, {&kept.lenders.long, &anew.lenders.long}} {
			for _, rate := range []float64{float64(v.Now()) + long, -float64(v.Now()) - long, -1 / long} {
				if got, want := kind[0].needAbove(rate), kind[1].needAbove(rate); got != want {
					p.differ(fmt.Sprintf("%v: %d processors above %v, kept as %d", v.Now(), want, rate, got))
				}
			}
		}
	}
}

// Made is a kind of policy that is made otherwise.
func Made(k Kind, p func() Policy) Kind {
	k.make = func() configurable { return p().(configurable) } //nolint:forcetypeassert // all of them are
	return k
}

// LibraAskingEverybody is libra that goes by no order, with what makes an order possible.
func LibraAskingEverybody(fit string) Policy {
	p := newLibra()
	p.replan, p.fit = "touched", fit
	return &libraAskingEverybody{p}
}

type libraAskingEverybody struct{ *libra }

func (p *libraAskingEverybody) Admit(v book.View, j *market.Job, a *Answer) {
	cost := p.tariff.of(v, p.price.Cost(j.Estimate, j.SLA.Deadline), j)
	switch {
	case !v.CouldHold(j):
		a.refuse(market.CannotMeetResources)
	case !cost.Within(j.SLA.Budget):
		a.refuse(market.CannotMeetBudget)
	default:
		p.askAll(v, j, cost, float64(j.Estimate)/float64(j.SLA.Deadline), a)
	}
}

// NoneAreFew has a choosy job looked for a place in the order of all processors, however few it
// may be on, until it is undone.
func NoneAreFew() (undo func()) {
	was := fewProcs
	fewProcs = 0
	return func() { fewProcs = was }
}

// NothingIsSmall makes the processors of the smallest cluster grow in a grove of small
// leaves until it is undone.
func NothingIsSmall() (undo func()) {
	wasSmall, was := small, onLeaf
	small, onLeaf = 0, 2
	return func() { small, onLeaf = wasSmall, was }
}

// Restless has the way by which the best processors are found chosen again for every task, and places in
// their order looked for one by one, until it is undone.
func Restless() (undo func()) {
	task, fresh, after, of := farForTask, farForFresh, chooseAfter, scattered
	farForTask, farForFresh, chooseAfter, scattered = 0, 0, 1, 0
	return func() { farForTask, farForFresh, chooseAfter, scattered = task, fresh, after, of }
}

// Apart is how many houses libra sums when somebody asks, because the claims there
// move with time.
func Apart(p Policy) int { return len(p.(*libra).full.apart) }

// Blur is how far rounding may make a job seem late.
func Blur(e *book.Entry) float64 { return blur(e) }

// With is a kind of policy with other settings as its own.
func (k Kind) With(set map[string]string) Kind {
	made := k.make
	k.make = func() configurable {
		p := made()
		for _, s := range p.settings() {
			if text, named := set[s.Name]; named {
				if err := s.set(text); err != nil {
					panic(err)
				}
			}
		}
		return p
	}
	return k
}

// Haggling is make-way at a posted price, and shows somebody what it would say to other offers for the same job, before
// each answer.
func Haggling(follow float64, see func(j *market.Job, ask func(offer market.Price) Answer)) Policy {
	p := newMakeWay()
	p.price, p.follow = pricePosted, follow
	return &haggling{makeWay: p, see: see}
}

type haggling struct {
	*makeWay
	see func(j *market.Job, ask func(offer market.Price) Answer)
}

func (p *haggling) Admit(v book.View, j *market.Job, a *Answer) {
	p.see(j, func(offer market.Price) (said Answer) {
		other := *j
		other.SLA.Budget = offer
		p.makeWay.Admit(v, &other, &said)
		return said
	})
	p.makeWay.Admit(v, j, a)
}

// HagglingOverTheRate is the same for going-rate.
func HagglingOverTheRate(follow float64, see func(j *market.Job, ask func(offer market.Price) Answer)) Policy {
	p := newGoingRate()
	p.price, p.follow = pricePosted, follow
	return &hagglingOverTheRate{goingRate: p, see: see}
}

type hagglingOverTheRate struct {
	*goingRate
	see func(j *market.Job, ask func(offer market.Price) Answer)
}

func (p *hagglingOverTheRate) Admit(v book.View, j *market.Job, a *Answer) {
	p.see(j, func(offer market.Price) (said Answer) {
		other := *j
		other.SLA.Budget = offer
		p.goingRate.Admit(v, &other, &said)
		return said
	})
	p.goingRate.Admit(v, j, a)
}

// Reach is when so many processors are idle of which some are now, if jobs end at some times and leave so many, and
// how many more are.
func Reach(at []market.Time, job []market.JobID, leaves []int, idle, width int) (when market.Time, extra int) {
	var q lineup
	for i := range at {
		s := book.Slot(market.Int32(i))
		q.up = append(q.up, layer{standing: standing{job: job[i]}, alone: leaves[i]})
		q.at = append(q.at, market.Int32(i+1))
		q.ends.put(bid{rate: -float64(at[i]), need: int64(leaves[i]), slot: s})
	}
	return q.reach(idle, width)
}

// Cheapest is what those cost who are chosen to make way on so many processors, and in which turn each is asked;
// false: they cost more than somebody pays.
func Cheapest(procs []int, cost []float64, missing int, most market.Price) (sum float64, turns []int32, ok bool) {
	p := newMakeWay()
	p.way.times = 1
	for i := range procs {
		p.hosts = append(p.hosts, host{procs: procs[i], cost: cost[i], job: market.JobID(i)})
	}
	ok = p.choose(missing, most)
	for _, h := range p.hosts {
		turns = append(turns, h.turn)
	}
	return p.way.cost, turns, ok
}
