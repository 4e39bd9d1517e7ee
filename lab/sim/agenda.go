package sim

import "github.com/libra-market/libra/core/market"

// agenda says which of a number of units, slots or processors, is done first.
// It is a heap with four children a node, which keeps it flat, and it knows
// where each unit is, so that a unit moves when its speed changes.
type agenda struct {
	slots []agendaSlot
	place []int32 // by unit: its slot, plus one; 0 is none
	early []int32 // scratch
}

type agendaSlot struct {
	at   market.Time
	unit int32
}

func (s agendaSlot) before(t agendaSlot) bool {
	return s.at < t.at || s.at == t.at && s.unit < t.unit
}

// first is the time of the first unit.
func (a *agenda) first() market.Time {
	if len(a.slots) == 0 {
		return market.Never
	}
	return a.slots[0].at
}

// at is the time of a unit, if it is there.
func (a *agenda) at(unit int32) (at market.Time, on bool) {
	if int(unit) >= len(a.place) || a.place[unit] == 0 {
		return 0, false
	}
	return a.slots[a.place[unit]-1].at, true
}

// unit is the first unit.
func (a *agenda) unit() int32 { return a.slots[0].unit }

// pop takes the first unit out.
func (a *agenda) pop() int32 {
	unit := a.slots[0].unit
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
	if i >= len(a.slots) || a.slots[i].at > horizon {
		return found
	}
	if holds(a.slots[i].unit) {
		found = append(found, a.slots[i].unit)
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
	slot := agendaSlot{at: at, unit: unit}
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
	if i > 0 && s.before(a.slots[(i-1)/4]) {
		a.up(i, s)
	} else {
		a.down(i, s)
	}
}

func (a *agenda) up(i int, s agendaSlot) {
	for i > 0 {
		parent := (i - 1) / 4
		if !s.before(a.slots[parent]) {
			break
		}
		a.put(i, a.slots[parent])
		i = parent
	}
	a.put(i, s)
}

func (a *agenda) down(i int, s agendaSlot) {
	n := len(a.slots)
	for {
		first := 4*i + 1
		if first >= n {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, n); c++ {
			if a.slots[c].before(a.slots[least]) {
				least = c
			}
		}
		if !a.slots[least].before(s) {
			break
		}
		a.put(i, a.slots[least])
		i = least
	}
	a.put(i, s)
}

func (a *agenda) put(i int, s agendaSlot) {
	a.slots[i] = s
	a.place[s.unit] = market.Int32(i) + 1
}
