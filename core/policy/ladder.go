package policy

import "slices"

// ladder keeps houses in the order of a key, then of their first processors. Its rungs
// lie side by side in short rows: to find one touches a few lines of memory, where a
// tree would touch one at every step.
type ladder struct {
	rows  [][]rung // none is empty
	spare [][]rung
	place []rung // by house: where it is, if it is a member
	on    []bool // by house: whether it is
}

type rung struct {
	key   float64
	first int32
	house int32
}

// mostRungs is how long a row becomes before it is cut into two: a rung is pushed in
// by moving half of a row.
const mostRungs = 128

// before is the order. Houses whose places are out of date may claim the same first
// processor for a while, hence their numbers.
func (r *rung) before(s *rung) bool {
	if r.key != s.key {
		return r.key < s.key
	}
	return r.first < s.first || r.first == s.first && r.house < s.house
}

// grow makes room for houses that are new.
func (l *ladder) grow(n int) {
	for len(l.place) < n {
		l.place, l.on = append(l.place, rung{}), append(l.on, false)
	}
}

func (l *ladder) has(h int32) bool { return l.on[h] }

// at reports whether a member is where the key and the first processor put it.
func (l *ladder) at(h int32, key float64, first int32) bool {
	return l.place[h].key == key && l.place[h].first == first
}

// row is the first row whose last rung is not before one.
func (l *ladder) row(r *rung) int {
	low, high := 0, len(l.rows)
	for low < high {
		mid := (low + high) / 2
		if row := l.rows[mid]; row[len(row)-1].before(r) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// rungIn is the first rung of a row that is not before one.
func rungIn(row []rung, r *rung) int {
	low, high := 0, len(row)
	for low < high {
		mid := (low + high) / 2
		if row[mid].before(r) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

func (l *ladder) insert(h int32, key float64, first int32) {
	r := rung{key: key, first: first, house: h}
	l.place[h], l.on[h] = r, true
	at := l.row(&r)
	if at == len(l.rows) {
		if at == 0 {
			l.rows = append(l.rows, append(l.empty(), r))
			return
		}
		at--
	}
	row := slices.Insert(l.rows[at], rungIn(l.rows[at], &r), r)
	if len(row) < mostRungs {
		l.rows[at] = row
		return
	}
	l.rows[at] = row[:mostRungs/2]
	l.rows = slices.Insert(l.rows, at+1, append(l.empty(), row[mostRungs/2:]...))
}

// empty is a row without rungs, one that was given up if there is one.
func (l *ladder) empty() []rung {
	last := len(l.spare) - 1
	if last < 0 {
		return make([]rung, 0, mostRungs)
	}
	row := l.spare[last]
	l.spare = l.spare[:last]
	return row[:0]
}

func (l *ladder) remove(h int32) {
	r := l.place[h]
	l.on[h] = false
	at := l.row(&r)
	row := l.rows[at]
	in := rungIn(row, &r)
	if row = slices.Delete(row, in, in+1); len(row) > 0 {
		l.rows[at] = row
		return
	}
	l.spare = append(l.spare, row)
	l.rows = slices.Delete(l.rows, at, at+1)
}

// from yields the members whose key is at least the given one, in order, until
// told to stop.
func (l *ladder) from(key float64, yield func(h int32, key float64, first int32) bool) {
	begin := rung{key: key, first: -1}
	at := l.row(&begin)
	if at == len(l.rows) {
		return
	}
	for in := rungIn(l.rows[at], &begin); at < len(l.rows); at, in = at+1, 0 {
		for _, r := range l.rows[at][in:] {
			if !yield(r.house, r.key, r.first) {
				return
			}
		}
	}
}
