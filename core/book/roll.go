package book

import "slices"

// roll is all who wait, in the order of their ranks, as somebody was told it last, and who came since: so it is not
// sorted anew each time. Nothing is kept until somebody asks.
type roll struct {
	asked bool
	stand []heapItem // in order
	left  bool       // some of them have
	since []heapItem // as they came
	spare []heapItem
}

// join notes who came.
func (l *roll) join(s heapItem) {
	switch {
	case !l.asked:
	case len(l.since) > 64+len(l.stand): // nobody has asked for long, and who does has them sorted
		l.asked, l.stand, l.since = false, l.stand[:0], l.since[:0]
	default:
		l.since = append(l.since, s)
	}
}

// inOrder lists the waiting jobs by rank.
func (b *Book) inOrder() []Slot {
	q := &b.queue
	l := &q.roll
	if !l.asked {
		l.asked = true
		l.since = append(append(l.since[:0], q.heads.row[q.heads.gone:]...), q.heads.rest.items...)
	}
	switch {
	case len(l.since) > 0:
		inOrder(l.since)
		l.stand, l.spare = q.mergeStill(l.spare[:0], l.stand, l.since), l.stand
		l.since = l.since[:0]
	case l.left:
		l.stand = slices.DeleteFunc(l.stand, func(x heapItem) bool { return !q.still(x) })
	}
	l.left = false
	var fresh []heapItem
	for _, s := range q.fresh {
		e := b.slots.at(s)
		fresh = append(fresh, heapItem{key: float64(e.Terms.Rank), id: e.Job.ID, slot: s, ticket: q.waits[s]})
	}
	inOrder(fresh)
	slots := make([]Slot, 0, q.n)
	for _, x := range l.stand {
		for len(fresh) > 0 && fresh[0].before(x) {
			slots, fresh = append(slots, fresh[0].slot), fresh[1:]
		}
		slots = append(slots, x.slot)
	}
	for _, x := range fresh {
		slots = append(slots, x.slot)
	}
	return slots
}

// mergeStill puts two that are in order together, without those who do not wait any more.
func (q *queue) mergeStill(to, a, b []heapItem) []heapItem {
	for _, x := range a {
		for len(b) > 0 && b[0].before(x) {
			if q.still(b[0]) {
				to = append(to, b[0])
			}
			b = b[1:]
		}
		if q.still(x) {
			to = append(to, x)
		}
	}
	for _, x := range b {
		if q.still(x) {
			to = append(to, x)
		}
	}
	return to
}

// inOrder puts some in order.
func inOrder(items []heapItem) {
	slices.SortFunc(items, func(x, y heapItem) int {
		switch {
		case x.before(y):
			return -1
		case y.before(x):
			return 1
		}
		return 0 // one that waits again, in the same place
	})
}
