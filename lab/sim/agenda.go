package sim

import (
	"math"
	"math/bits"

	"github.com/libra-market/libra/core/market"
)

// agenda says which of a number of units, slots or processors, is done first.
// It is a heap with four children a node, which keeps it flat, and it knows
// where each unit is, so that a unit moves when its speed changes.
type agenda struct {
	slots []agendaSlot
	place []int32 // by unit: its slot, plus one; 0 is none
	early []int32 // scratch
}

// agendaSlot is a unit in its place. Its time is kept as a whole number in the same order, and the unit
// not below zero: which of two is first is then a subtraction, not a branch, and that is anybody's guess.
type agendaSlot struct {
	key  uint64
	unit uint32
}

func (s *agendaSlot) of() int32 { return int32(s.unit) } //nolint:gosec // it was one

// keyOf is a number in the order of times.
func keyOf(at market.Time) uint64 {
	b := math.Float64bits(float64(at))
	return b ^ (-(b >> 63) | 1<<63)
}

func timeOf(key uint64) market.Time {
	return market.Time(math.Float64frombits(key ^ ((key>>63 - 1) | 1<<63)))
}

// before is 1 if a unit comes before another: the earlier, and of equals the lower number.
func (s *agendaSlot) before(t *agendaSlot) uint64 {
	_, less := bits.Sub64(uint64(s.unit), uint64(t.unit), 0)
	_, less = bits.Sub64(s.key, t.key, less)
	return less
}

// first is the time of the first unit.
func (a *agenda) first() market.Time {
	if len(a.slots) == 0 {
		return market.Never
	}
	return timeOf(a.slots[0].key)
}

// at is the time of a unit, if it is there.
func (a *agenda) at(unit int32) (at market.Time, on bool) {
	if int(unit) >= len(a.place) || a.place[unit] == 0 {
		return 0, false
	}
	return timeOf(a.slots[a.place[unit]-1].key), true
}

// unit is the first unit.
func (a *agenda) unit() int32 { return a.slots[0].of() }

// pop takes the first unit out.
func (a *agenda) pop() int32 {
	unit := a.unit()
	a.set(unit, market.Never)
	return unit
}

// bringUp moves to a time those units due by the horizon of which something
// holds, and reports whether there are any.
func (a *agenda) bringUp(horizon, at market.Time, holds func(unit int32) bool) bool {
	a.early = a.search(0, horizon, holds, a.early[:0])
	for _, unit := range a.early {
		a.set(unit, at)
	}
	return len(a.early) > 0
}

func (a *agenda) search(i int, horizon market.Time, holds func(unit int32) bool, found []int32) []int32 {
	if i >= len(a.slots) || timeOf(a.slots[i].key) > horizon {
		return found
	}
	if unit := a.slots[i].of(); holds(unit) {
		found = append(found, unit)
	}
	for c := 4*i + 1; c <= 4*i+4; c++ {
		found = a.search(c, horizon, holds, found)
	}
	return found
}

// set moves a unit to a time; a time that never comes takes it out.
func (a *agenda) set(unit int32, at market.Time) {
	for int(unit) >= len(a.place) {
		a.place = append(a.place, 0)
	}
	i := int(a.place[unit]) - 1
	slot := agendaSlot{key: keyOf(at), unit: uint32(unit)} //nolint:gosec // no unit is below zero
	switch {
	case i < 0 && at.Finite():
		a.slots = append(a.slots, slot)
		a.up(len(a.slots)-1, slot)
	case i < 0:
	case at.Finite():
		a.move(i, slot)
	default:
		a.place[unit] = 0
		last := len(a.slots) - 1
		moved := a.slots[last]
		a.slots = a.slots[:last]
		if i < last {
			a.move(i, moved)
		}
	}
}

func (a *agenda) move(i int, s agendaSlot) {
	if i > 0 && s.before(&a.slots[(i-1)/4]) != 0 {
		a.up(i, s)
	} else {
		a.down(i, s)
	}
}

func (a *agenda) up(i int, s agendaSlot) {
	for i > 0 {
		parent := (i - 1) / 4
		if s.before(&a.slots[parent]) == 0 {
			break
		}
		a.put(i, a.slots[parent])
		i = parent
	}
	a.put(i, s)
}

func (a *agenda) down(i int, s agendaSlot) {
	for {
		first := 4*i + 1
		if first >= len(a.slots) {
			break
		}
		least := leastOf(a.slots[first:])
		kid := &a.slots[first+least]
		if kid.before(&s) == 0 {
			break
		}
		a.put(i, *kid)
		i = first + least
	}
	a.put(i, s)
}

// leastOf says which of the first four is before the others.
func leastOf(kids []agendaSlot) int {
	if len(kids) >= 4 {
		four := (*[4]agendaSlot)(kids)
		low := four[1].before(&four[0])
		high := 2 + four[3].before(&four[2])
		return int(low + (high-low)*four[high&3].before(&four[low&3])) //nolint:gosec // of 0 to 3
	}
	least := 0
	for c := 1; c < len(kids); c++ {
		if kids[c].before(&kids[least]) != 0 {
			least = c
		}
	}
	return least
}

func (a *agenda) put(i int, s agendaSlot) {
	a.slots[i] = s
	a.place[s.unit] = market.Int32(i) + 1
}
