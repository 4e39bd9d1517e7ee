package grid

import (
	"slices"

	"github.com/libra-market/libra/core/market"
)

// dealt gives processors to all parts at once (TimeShare of 003, section 3.3):
// the parts are dealt out like cards, in the order of the input, and those on
// one processor share it equally. One part more or less changes the share of
// many, so a change costs as much as there are parts.
type dealt struct {
	mips  float64
	parts []*job // in the order of the input
	soon  market.Time
}

func newDealt(mips float64) *dealt { return &dealt{mips: mips, soon: market.Never} }

func (d *dealt) add(j *job) {
	at, _ := d.find(j)
	d.parts = slices.Insert(d.parts, at, j)
}

func (d *dealt) remove(now market.Time, j *job) {
	j.run(now, 0)
	at, _ := d.find(j)
	d.parts = slices.Delete(d.parts, at, at+1)
}

func (d *dealt) find(j *job) (at int, found bool) {
	before := order(byPosition).jobs
	return slices.BinarySearchFunc(d.parts, j, func(a, b *job) int {
		switch {
		case before(a, b):
			return -1
		case before(b, a):
			return 1
		}
		return 0
	})
}

func (d *dealt) share(now market.Time, processors int) {
	d.soon = market.Never
	k := len(d.parts)
	few, many, rest := d.mips, d.mips, 0
	switch {
	case processors == 0:
		few, many = 0, 0
	case k > processors:
		// The first processors, as many as remain of the division, have one
		// part more than the others.
		rest = k % processors
		few = d.mips / float64(k/processors)
		many = d.mips / float64(k/processors+1)
	}
	processor := 0
	for _, j := range d.parts {
		speed := few
		if processor < rest {
			speed = many
		}
		if processor++; processor == processors {
			processor = 0
		}
		if speed != j.speed {
			j.run(now, speed)
		}
		d.soon = min(d.soon, j.finish)
	}
}

func (d *dealt) next() market.Time { return d.soon }

func (d *dealt) popDue(by market.Time, into []*job) []*job {
	if d.soon > by {
		return into
	}
	d.parts = slices.DeleteFunc(d.parts, func(j *job) bool {
		if j.finish > by {
			return false
		}
		into = append(into, j)
		j.run(j.finish, 0)
		return true
	})
	return into
}
