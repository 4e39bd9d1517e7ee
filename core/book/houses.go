package book

import (
	"math"
	"math/bits"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// House is a set of processors, all of one rating, on which the very same jobs
// reside: those that share them and advance as one. What is worked out for one
// processor of a house is true of all, and there are about as many houses as jobs,
// however many processors there are.
type House struct {
	Procs     market.Procs
	Residents []Slot // in the order of their numbers: sums over them do not depend on how they came
	N         int    // processors
	Rating    float64
	touched   bool // since the last plan
}

// houses are all of them. Two houses never have the same residents and the same
// rating, so that they follow from who resides where.
type houses struct {
	all     []House  // by number; 0 stands for the processors that nobody resides on
	keys    []uint64 // by number: of the residents and the rating
	free    []int32
	of      []int32 // by processor
	touched []int32 // those to which something happened since the last plan; some are gone
	parts   []part  // scratch
	partOf  []int32 // scratch, by house: its place in parts and 1
}

// part is the processors of one house among those that a job is put on.
type part struct {
	house  int32
	rating float64
	n      int
	procs  market.Procs
}

func newHouses(processors int) houses {
	return houses{all: make([]House, 1), keys: make([]uint64, 1), of: make([]int32, processors), partOf: make([]int32, 1)}
}

// Houses is one more than the highest number of a house.
func (v View) Houses() int { return len(v.b.houses.all) }

// House is a house by its number. One that is gone has no processors.
func (v View) House(h int32) *House { return &v.b.houses.all[h] }

// HouseOf is the house of a processor; 0: nobody resides there.
func (v View) HouseOf(proc int) int32 { return v.b.houses.of[proc] }

// TouchedHouses lists the houses to which something happened since the last plan:
// somebody came, left or was measured. Some may be gone.
func (v View) TouchedHouses() []int32 { return v.b.houses.touched }

// Residents lists the jobs on a processor that share it and advance as one, in the
// order of their numbers.
func (v View) Residents(proc int) []Slot { return v.b.houses.all[v.b.houses.of[proc]].Residents }

// Houses are those that the job resides in.
func (e *Entry) Houses() []int32 { return e.houses }

// First is the processor of the lowest number.
func (h *House) First() int { return firstOf(h.Procs) }

// settle lets a job reside on its processors: houses that it takes whole have one
// resident more, and others are divided.
func (b *Book) settle(s Slot, e *Entry) {
	h := &b.houses
	b.divide(e.Procs)
	e.houses = e.houses[:0]
	for i := range h.parts {
		p := &h.parts[i]
		id := p.house
		if id == 0 || p.n < h.all[id].N {
			id = b.found(p)
		}
		house := &h.all[id]
		b.reside(house, s, e.Job.ID)
		h.keys[id] ^= scatter(market.Bits(e.Job.ID))
		e.houses = append(e.houses, id)
		h.touch(id)
		h.partOf[p.house] = 0
	}
	b.countGuest(e)
}

// divide sorts processors into parts of houses.
func (b *Book) divide(procs market.Procs) {
	h := &b.houses
	h.parts = h.parts[:0]
	for _, block := range procs {
		for w := block.Bits; w != 0; w &= w - 1 {
			proc, rating := int(block.Index)<<6+bits.TrailingZeros64(w), 1.0
			if b.rating != nil {
				rating = b.rating[proc]
			}
			house := h.of[proc]
			at := int(h.partOf[house]) - 1
			if at >= 0 && h.parts[at].rating != rating { // nobody's are of many ratings
				at = h.partWith(rating)
			}
			if at < 0 {
				at = h.addPart(house, rating)
			}
			p := &h.parts[at]
			p.procs = p.procs.Add(proc)
			p.n++
		}
	}
}

// partWith is the place of the part of nobody's processors of a rating, or -1.
func (h *houses) partWith(rating float64) int {
	return slices.IndexFunc(h.parts, func(p part) bool { return p.house == 0 && p.rating == rating })
}

func (h *houses) addPart(house int32, rating float64) int {
	at := len(h.parts)
	if at < cap(h.parts) {
		h.parts = h.parts[:at+1]
	} else {
		h.parts = append(h.parts, part{})
	}
	p := &h.parts[at]
	p.house, p.rating, p.n, p.procs = house, rating, 0, p.procs[:0]
	h.partOf[house] = market.Int32(at) + 1
	return at
}

// found founds a house of a part of another, with its residents, or of processors
// that nobody resides on.
func (b *Book) found(p *part) int32 {
	h := &b.houses
	var id int32
	if n := len(h.free); n > 0 {
		id, h.free = h.free[n-1], h.free[:n-1]
	} else {
		id = market.Int32(len(h.all))
		h.all, h.keys = append(h.all, House{}), append(h.keys, 0)
		h.partOf = append(h.partOf, 0)
	}
	house := &h.all[id]
	house.Procs = append(house.Procs[:0], p.procs...)
	house.N, house.Rating, house.touched = p.n, p.rating, false
	house.Residents, h.keys[id] = house.Residents[:0], scatter(math.Float64bits(p.rating))
	if p.house != 0 {
		old := &h.all[p.house]
		house.Residents, h.keys[id] = append(house.Residents, old.Residents...), h.keys[p.house]
		for _, r := range old.Residents {
			b.slots.at(r).houses = append(b.slots.at(r).houses, id)
		}
		old.Procs, old.N = without(old.Procs, p.procs), old.N-p.n
		h.touch(p.house)
	}
	for proc := range p.procs.All() {
		h.of[proc] = id
	}
	return id
}

// reside adds a resident to a house.
func (b *Book) reside(house *House, s Slot, id market.JobID) {
	here := house.Residents
	at := len(here)
	for at > 0 && b.slots.at(here[at-1]).Job.ID > id { // the newest is the last, as a rule
		at--
	}
	house.Residents = slices.Insert(here, at, s)
}

// leave takes a job out of the houses that it resides in: one that has now the
// residents of another is one with it.
func (b *Book) leave(s Slot, e *Entry) {
	h := &b.houses
	for _, id := range e.houses {
		house := &h.all[id]
		here := house.Residents
		at := slices.Index(here, s)
		house.Residents = append(here[:at], here[at+1:]...)
		h.keys[id] ^= scatter(market.Bits(e.Job.ID))
		if len(house.Residents) == 0 {
			h.empty(id, 0)
			continue
		}
		h.touch(b.unite(id))
	}
	e.houses = e.houses[:0]
	if e.guest {
		e.guest = false
		b.guests--
	}
}

// unite makes a house one with that of the same residents, if there is one, and
// returns which of the two is left.
func (b *Book) unite(id int32) int32 {
	h := &b.houses
	house := &h.all[id]
	fewest := b.slots.at(house.Residents[0])
	for _, r := range house.Residents[1:] {
		if e := b.slots.at(r); len(e.houses) < len(fewest.houses) {
			fewest = e
		}
	}
	for _, other := range fewest.houses {
		if h.keys[other] != h.keys[id] || other == id {
			continue
		}
		o := &h.all[other]
		if o.Rating != house.Rating || !slices.Equal(o.Residents, house.Residents) {
			continue
		}
		if o.N > house.N {
			id, other, house, o = other, id, o, house
		}
		house.Procs, house.N = with(house.Procs, o.Procs), house.N+o.N
		for _, r := range o.Residents {
			e := b.slots.at(r)
			at, last := slices.Index(e.houses, other), len(e.houses)-1
			e.houses[at] = e.houses[last]
			e.houses = e.houses[:last]
		}
		h.empty(other, id)
		return id
	}
	return id
}

// empty makes the processors of a house another's, and its number free.
func (h *houses) empty(id, to int32) {
	house := &h.all[id]
	for proc := range house.Procs.All() {
		h.of[proc] = to
	}
	house.Procs, house.Residents, house.N = house.Procs[:0], house.Residents[:0], 0
	h.touch(id) // who keeps something of it forgets it
	h.free = append(h.free, id)
}

func (h *houses) touch(id int32) {
	if house := &h.all[id]; !house.touched {
		house.touched = true
		h.touched = append(h.touched, id)
	}
}

// planned forgets what was touched.
func (h *houses) planned() {
	for _, id := range h.touched {
		h.all[id].touched = false
	}
	h.touched = h.touched[:0]
}

// touchAll notes that something happened to a job that advances as one, in all the
// houses that it resides in.
func (b *Book) touchAll(e *Entry) {
	if e.state != running || e.alone || e.independent {
		return
	}
	for _, id := range e.houses {
		b.houses.touch(id)
	}
}

// countGuest notes whether a resident is a guest: one without a deadline.
func (b *Book) countGuest(e *Entry) {
	if guest := !e.Due().Finite(); guest && !e.guest {
		e.guest = true
		b.guests++
	}
}

// scatter spreads numbers over all 64 bits (the finaliser of a hash).
func scatter(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// without takes a part out of a set of processors, in place.
func without(set, gone market.Procs) market.Procs {
	kept, i := set[:0], 0
	for _, b := range set {
		if i < len(gone) && gone[i].Index == b.Index {
			b.Bits &^= gone[i].Bits
			i++
		}
		if b.Bits != 0 {
			kept = append(kept, b)
		}
	}
	return kept
}

// with joins two sets of processors into the first.
func with(set, more market.Procs) market.Procs {
	i, j := len(set)-1, len(more)-1
	both := 0
	for x, y := 0, 0; x < len(set) && y < len(more); {
		switch {
		case set[x].Index == more[y].Index:
			both++
			x++
			y++
		case set[x].Index < more[y].Index:
			x++
		default:
			y++
		}
	}
	set = slices.Grow(set, len(more))[:len(set)+len(more)-both]
	for k := len(set) - 1; j >= 0; k-- { // from behind, so that nothing is overwritten
		switch {
		case i >= 0 && set[i].Index == more[j].Index:
			set[k] = market.Block{Bits: set[i].Bits | more[j].Bits, Index: set[i].Index}
			i--
			j--
		case i >= 0 && set[i].Index > more[j].Index:
			set[k] = set[i]
			i--
		default:
			set[k] = more[j]
			j--
		}
	}
	return set
}
