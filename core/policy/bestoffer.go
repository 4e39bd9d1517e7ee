package policy

import (
	"math"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// bestOffer sells processors to the highest offer per processor-second and charges the
// offer: EASY backfilling in that order, so that what is scarce goes to whoever pays most
// for it. A job holds its processors alone; it is started only if it can be done in
// time, and dropped as soon as it can not, so that with exact estimates whatever starts is
// in time. Nothing is promised before.
//
// Left to that order alone the cluster is always full, and jobs that are done in a moment, and
// due a moment later, are lost though they would have cost next to nothing: most of those that
// are. So some processors are kept for brief jobs. How many follows the load: the more
// wait, the dearer is a processor that is kept, and the fewer are. What counts as brief
// follows what runs: a fraction of the mean estimate, by processors. Both are read off the book,
// so the policy learns and yet has no memory.
//
// The order leans towards short jobs a little more than the offer alone would: an offer for
// a long one ties processors up against offers that are not there yet.
type bestOffer struct {
	keep  float64
	least float64
	brief float64
	lean  float64
	floor float64
	drop  []book.Slot
}

func newBestOffer() *bestOffer {
	return &bestOffer{keep: 0.15, least: 0.02, brief: 0.1, lean: 0.4}
}

func (p *bestOffer) settings() []Setting {
	return []Setting{
		number("keep", &p.keep, "part of the processors kept for brief jobs while nobody waits"),
		number("keep-least", &p.least, "part of the processors kept for brief jobs however many wait"),
		number("brief", &p.brief, "a job is brief up to this part of the mean estimate of what runs"),
		number("lean", &p.lean, "how far the order leans towards short jobs: the power of the estimate by which an offer is divided once more"),
		number("floor", &p.floor, "the least offer for a processor-second that is taken"),
	}
}

// Admit queues whatever the cluster could ever hold and pays enough.
func (p *bestOffer) Admit(v book.View, j *market.Job, a *Answer) {
	if !v.CouldHold(j) {
		a.refuse(market.CannotMeetResources)
		return
	}
	length := math.Max(float64(j.Estimate), float64(market.WorkSlack))
	if !market.Price(p.floor * length * float64(j.Width)).Within(j.SLA.Budget) {
		a.refuse(market.CannotMeetBudget)
		return
	}
	rank := float64(j.SLA.Budget) / (math.Pow(length, 1+p.lean) * float64(j.Width))
	a.queue(book.Terms{
		Price: j.SLA.Budget, Finish: market.Never, Rank: market.Number(-market.RoundSignificant(rank)),
		Latest: j.Due() - market.Time(float64(j.Estimate)/fastest(v)),
	})
}

// Plan is one scheduling pass.
func (p *bestOffer) Plan(v book.View, d *book.Draft) {
	// 1. Who can no longer make it is dropped.
	p.drop = v.Late(p.drop[:0])
	for _, s := range p.drop {
		d.Refuse(s, market.CannotMeetDeadline)
	}
	if v.Waiting() == 0 || v.Idle() == 0 {
		return
	}
	if v.Uneven() { // processors are not alike, and none can be kept in general
		if head, blocked := startHeads(v, d); blocked && v.Idle() > 0 {
			shadow, _ := v.Shadow(&v.Entry(head).Job)
			fillUneven(v, d, head, (shadow-v.Now())*market.Time(slowestIdle(v)))
		}
		return
	}
	// 2. Brief jobs start wherever there is room.
	p.fill(v, d, 0, p.briefest(v), 0)
	// 3. The others while they leave what is kept.
	head, kept := p.startBest(v, d, p.kept(v))
	if head == book.NoSlot {
		return
	}
	// 4. The first that does not fit gets a reservation, and others go ahead of it where
	// they do not delay it.
	j := v.Entry(head).Job
	j.Width += market.Int32(kept)
	shadow, idleThen := v.Shadow(&j)
	p.fill(v, d, kept, (shadow-v.Now())*market.Time(slowestIdle(v)), idleThen-int(j.Width))
}

// startBest starts jobs in order while they leave so many processors idle, and returns the
// first that does not. One that is too wide for that takes what it needs.
func (p *bestOffer) startBest(v book.View, d *book.Draft, keep int) (head book.Slot, kept int) {
	for {
		s, some := v.Head()
		if !some {
			return book.NoSlot, keep
		}
		width := int(v.Entry(s).Job.Width)
		kept = min(keep, v.Processors()-width)
		if width > v.Idle()-kept {
			return s, kept
		}
		d.Start(s)
	}
}

// fill starts jobs that leave so many processors idle and are done within a window, or are
// no wider than extra.
func (p *bestOffer) fill(v book.View, d *book.Draft, kept int, window market.Time, extra int) {
	for {
		s := v.FirstFit(v.Idle()-kept, window, extra, false)
		if s == book.NoSlot {
			return
		}
		if j := &v.Entry(s).Job; market.Time(j.Estimate).After(window) {
			extra -= int(j.Width)
		}
		d.Start(s)
	}
}

// kept is how many processors are kept for brief jobs: fewer, the more of those that are
// here wait.
func (p *bestOffer) kept(v book.View) int {
	calm := float64(len(v.Running())) / float64(len(v.Running())+v.Waiting())
	return min(v.Processors(), int(math.Ceil(float64(v.Processors())*math.Max(p.least, p.keep*calm*calm))))
}

// briefest is the estimate up to which a job is brief.
func (p *bestOffer) briefest(v book.View) market.Time {
	work, width := 0.0, 0.0
	for _, s := range v.Running() {
		j := &v.Entry(s).Job
		work += float64(float64(j.Estimate) * float64(j.Width))
		width += float64(j.Width)
	}
	if width == 0 {
		return 0
	}
	return market.Time(p.brief * work / width)
}

var _ Policy = (*bestOffer)(nil)
