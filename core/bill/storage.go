package bill

import (
	"fmt"
	"math"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
)

// Storage is what was agreed on the memory, the disk and the GPUs of a job. Nobody else
// can have them as long as it holds them, whether it works or not: their price is for a
// time by the clock, and not for work.
type Storage struct {
	Price market.Money // for the longest time for which it may hold them
	GPUs  market.Money // of that, what is for GPUs
	MS    int64        // that time
	More  int64        // milliseconds sold beyond it
}

func (s *Storage) price() market.Money {
	if s == nil {
		return 0
	}
	return s.Price
}

// For is what so much more time costs.
func (s *Storage) For(r *rules.Rules, ms int64) market.Money { return PartOf(r, s.Price, ms, s.MS) }

func (s *Storage) more(r *rules.Rules) market.Money {
	if s == nil {
		return 0
	}
	return s.For(r, s.More)
}

// LeadMS is how long before the time that was sold is over a job is sold more, or told
// to end: what it takes until one that ends is gone.
func LeadMS(r *rules.Rules) int64 { return max(1000, Beats*int64(r.Reporting)/1000) }

// HeldMS is for how long a job has held its memory and disk, as far as that is its
// own doing: what a promise is late by is not, until the job has used up its
// estimate or was told to end.
func (j *Job) HeldMS(r *rules.Rules, e *Ending) int64 {
	held := max(0, e.At-e.Since)
	if j.keptUntilDue(r, e) {
		held = max(0, min(e.At, j.inTime(r))-e.Since) + max(0, e.At-j.ownFrom(r, e))
	}
	return int64(math.Round(float64(held) * 1e3))
}

// keptUntilDue reports whether what a job holds was sold to it until the time by which it
// was promised to be done. GPUs that wait for nobody's turn are sold for the estimate.
func (j *Job) keptUntilDue(r *rules.Rules, e *Ending) bool {
	if !j.Promised || !j.Due.Finite() {
		return false
	}
	s := j.Storage
	return s == nil || s.GPUs == 0 || market.Time(float64(s.MS)/1e3) >= j.inTime(r)-e.Since
}

// inTime is until when nobody can have measured that a job is late.
func (j *Job) inTime(r *rules.Rules) market.Time {
	return j.Due + market.Time(float64(r.Reporting)/float64(rules.Whole))
}

// ownFrom is from when on a job that was promised to be done by its due time is
// there by its own doing. Never: it is not.
func (j *Job) ownFrom(r *rules.Rules, e *Ending) market.Time {
	return max(j.inTime(r), e.Since, min(e.UsedUp, e.Told))
}

// PaidUntil is when the time is over for which memory and disk were sold to a job,
// if it goes on as it does. Never: as things stand it is not.
func (j *Job) PaidUntil(r *rules.Rules, e *Ending) market.Time {
	paid := market.Time(float64(j.Storage.MS+j.Storage.More) / 1e3)
	if !j.keptUntilDue(r, e) {
		return e.Since + paid
	}
	own := j.ownFrom(r, e)
	if !own.Finite() {
		return market.Never
	}
	return own + max(0, paid-max(0, j.inTime(r)-e.Since))
}

// stored is the price of memory and disk for the time they were held, a part of it
// for the rest of the time agreed, and what was held beyond that; and that of GPUs. Those
// are kept for nobody: whoever comes has what nobody holds.
func (b *Bill) stored(r *rules.Rules, j *Job, e *Ending) {
	s := j.Storage
	if s == nil {
		return
	}
	if rest := s.Price - s.GPUs; rest > 0 || s.GPUs == 0 {
		left, unheld := b.held(r, j, e, "memory and disk", rest)
		if unheld > 0 {
			b.add(fmt.Sprintf("memory and disk: kept for it and not held for %s", market.Span(unheld)),
				fmt.Sprintf("%s * %s", left, market.Money(r.Unused)), PartOf(r, left, int64(r.Unused), int64(rules.Whole)))
		}
	}
	if s.GPUs > 0 {
		b.held(r, j, e, "GPUs", s.GPUs)
	}
}

// held is what is owed of an agreed price by the time for which a job held what it is
// for. It returns what is left of it, and for what time.
func (b *Bill) held(r *rules.Rules, j *Job, e *Ending, what string, agreed market.Money) (left market.Money, ms int64) {
	s, held := j.Storage, j.HeldMS(r, e)
	had := min(held, s.MS)
	price, of := agreed, ""
	if e.Never > 0 {
		price = PartOf(r, agreed, int64(e.Of-e.Never), int64(e.Of))
		of = fmt.Sprintf("; %d of %d never began", e.Never, e.Of)
	}
	owed := PartOf(r, price, had, s.MS)
	b.add(fmt.Sprintf("%s: held for %s of %s, agreed for %s%s", what, market.Span(had), market.Span(s.MS), agreed.Said(), of),
		fmt.Sprintf("%s * %d / %d", price, had, s.MS), owed)
	if over := held - had; over > 0 {
		b.add(fmt.Sprintf("%s: held for %s more", what, market.Span(over)), fmt.Sprintf("%s * %d / %d", price, over, s.MS), PartOf(r, price, over, s.MS))
	}
	return price - owed, s.MS - had
}
