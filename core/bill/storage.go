package bill

import (
	"fmt"
	"math"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
)

// Storage is what was agreed on the memory and the disk of a job. Nobody else can
// have them as long as it holds them, whether it works or not: their price is for a
// time by the clock, and not for work.
type Storage struct {
	Price market.Money // for the longest time for which it may hold them
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
	if j.Promised && j.Due.Finite() {
		held = max(0, min(e.At, j.inTime(r))-e.Since) + max(0, e.At-j.ownFrom(r, e))
	}
	return int64(math.Round(float64(held) * 1e3))
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
	if !j.Promised || !j.Due.Finite() {
		return e.Since + paid
	}
	own := j.ownFrom(r, e)
	if !own.Finite() {
		return market.Never
	}
	return own + max(0, paid-max(0, j.inTime(r)-e.Since))
}

// stored is the price of memory and disk for the time they were held, a part of it
// for the rest of the time agreed, and what was held beyond that.
func (b *Bill) stored(r *rules.Rules, j *Job, e *Ending) {
	s := j.Storage
	if s == nil {
		return
	}
	held := j.HeldMS(r, e)
	had := min(held, s.MS)
	price, of := s.Price, ""
	if e.Never > 0 {
		price = PartOf(r, s.Price, int64(e.Of-e.Never), int64(e.Of))
		of = fmt.Sprintf("; %d of %d never began", e.Never, e.Of)
	}
	owed := PartOf(r, price, had, s.MS)
	b.add(fmt.Sprintf("memory and disk: held for %s of %s, agreed for %s%s", market.Span(had), market.Span(s.MS), s.Price, of),
		fmt.Sprintf("%s * %d / %d", price, had, s.MS), owed)
	if had < s.MS {
		b.add(fmt.Sprintf("memory and disk: kept for it and not held for %s", market.Span(s.MS-had)),
			fmt.Sprintf("%s * %s", price-owed, market.Money(r.Unused)), PartOf(r, price-owed, int64(r.Unused), int64(rules.Whole)))
	}
	if over := held - had; over > 0 {
		b.add(fmt.Sprintf("memory and disk: held for %s more", market.Span(over)), fmt.Sprintf("%s * %d / %d", price, over, s.MS), PartOf(r, price, over, s.MS))
	}
}
