package policy

import (
	"math"

	"github.com/libra-market/libra/core/market"
)

// shelves keeps processors together that are like each other in what they bring and
// what they have left, so that a bound on all of them is close to that of each. A
// larger cluster has more on a shelf, not more sorts.
type shelves struct {
	sorts  []sort
	used   []int32 // those that somebody has been of
	of     []int32 // by processor: its sort and 1; 0: none
	place  []int32 // by processor: its place there
	visits []visit // scratch: a heap, the highest bound first
	gone   []int32 // scratch
}

// sort is the processors of one sort.
type sort struct {
	reach
	items  []prospect // side by side: they are read one after the other
	boards []board    // of so many of them each
	stale  int        // how many have left or are another since reach was worked out
	known  bool       // it is in the list of those used
}

// board is some processors of a sort.
type board struct {
	reach
	stale int
}

const (
	onBoard  = 8
	worths   = 64 // powers of two
	frees    = 5
	rests    = 3
	allSorts = worths * frees * rests
)

// small is how many processors are asked one after the other. Tests change it.
var small = 512

// visit is a sort to be looked into.
type visit struct {
	bound float64
	sort  int32
}

func newShelves(processors int) shelves {
	return shelves{sorts: make([]sort, allSorts), of: make([]int32, processors), place: make([]int32, processors)}
}

// sortOf is the sort of a processor.
func sortOf(q *prospect) int {
	_, power := math.Frexp(q.worth)
	power += worths * 3 / 4
	free, rest := 0, 0
	for _, least := range [frees - 1]float64{1. / 32, 1. / 16, 1. / 8, 1. / 3} {
		if q.free >= least {
			free++
		}
	}
	for _, least := range [rests - 1]float64{0.1, 0.4} {
		if q.rest >= least {
			rest++
		}
	}
	return (min(max(power, 0), worths-1)*frees+free)*rests + rest
}

// set puts a processor where its bounds put it.
func (s *shelves) set(q *prospect) {
	proc, now := q.proc, -1
	old := int(s.of[proc]) - 1
	if q.some {
		now = sortOf(q)
	}
	if old >= 0 && old == now {
		s.sorts[now].replace(int(s.place[proc]), q)
		return
	}
	if old >= 0 {
		s.remove(proc, old)
	}
	s.of[proc] = market.Int32(now + 1)
	if now < 0 {
		return
	}
	t := &s.sorts[now]
	if !t.known {
		t.known, t.reach = true, nowhere
		s.used = append(s.used, market.Int32(now))
	}
	place := len(t.items)
	if place/onBoard == len(t.boards) {
		t.boards = append(t.boards, board{reach: nowhere})
	}
	t.items = append(t.items, *q)
	s.place[proc] = market.Int32(place)
	t.boards[place/onBoard].take(q)
	t.take(q)
}

// replace puts in other bounds of a processor that stays where it is.
func (t *sort) replace(place int, q *prospect) {
	t.items[place] = *q
	b := &t.boards[place/onBoard]
	b.take(q)
	t.take(q)
	b.stale++
	t.stale++
	t.tidy(place / onBoard)
}

// remove takes a processor off its board; the last one of its sort takes its place.
func (s *shelves) remove(proc int32, from int) {
	t, place := &s.sorts[from], int(s.place[proc])
	last := len(t.items) - 1
	if place < last {
		moved := &t.items[last]
		t.items[place], s.place[moved.proc] = *moved, market.Int32(place)
		b := &t.boards[place/onBoard]
		b.take(moved)
		b.stale++
	}
	t.items = t.items[:last]
	if last%onBoard == 0 {
		t.boards = t.boards[:last/onBoard]
	} else {
		t.boards[last/onBoard].stale++
	}
	t.stale++
	t.tidy(place / onBoard)
}

// on is what is on a board.
func (t *sort) on(i int) []prospect { return t.items[i*onBoard : min((i+1)*onBoard, len(t.items))] }

// tidy works out anew what is a bound on too many who have left.
func (t *sort) tidy(i int) {
	if i < len(t.boards) && t.boards[i].stale >= onBoard/2 {
		b, items := &t.boards[i], t.on(i)
		*b = board{reach: nowhere}
		for k := range items {
			b.take(&items[k])
		}
	}
	if t.stale > len(t.boards)+onBoard {
		t.reach, t.stale = nowhere, 0
		for k := range t.boards {
			t.join(&t.boards[k].reach)
		}
	}
}

// over lists the processors whose bounds are no longer true at a time.
func (s *shelves) over(now market.Time) []int32 {
	s.gone = s.gone[:0]
	for _, k := range s.used {
		t := &s.sorts[k]
		if t.until > now {
			continue
		}
		t.until = market.Never
		for i := range t.boards {
			b := &t.boards[i]
			if b.until <= now {
				b.until = s.overOn(t.on(i), now)
			}
			t.until = min(t.until, b.until)
		}
	}
	return s.gone
}

// overOn lists those of one board, and returns when the next will be.
func (s *shelves) overOn(items []prospect, now market.Time) market.Time {
	next := market.Never
	for k := range items {
		if q := &items[k]; q.until > now {
			next = min(next, q.until)
		} else {
			s.gone = append(s.gone, q.proc)
		}
	}
	return next
}

// push puts a sort on the list of those to be looked into.
func (s *shelves) push(x visit) {
	s.visits = append(s.visits, x)
	i := len(s.visits) - 1
	for i > 0 && s.visits[(i-1)/2].bound < x.bound {
		s.visits[i] = s.visits[(i-1)/2]
		i = (i - 1) / 2
	}
	s.visits[i] = x
}

// pop takes the one of the highest bound off it.
func (s *shelves) pop() visit {
	top, last := s.visits[0], len(s.visits)-1
	x := s.visits[last]
	s.visits = s.visits[:last]
	i := 0
	for child := 1; child < last; child = 2*i + 1 {
		if child+1 < last && s.visits[child+1].bound > s.visits[child].bound {
			child++
		}
		if s.visits[child].bound <= x.bound {
			break
		}
		s.visits[i] = s.visits[child]
		i = child
	}
	if last > 0 {
		s.visits[i] = x
	}
	return top
}
