package book

import "slices"

// lane gives the waiting job of the smallest (rank, id). Who comes after all who
// wait, as everybody does where the first to come is the first to go, stands in a
// row behind them; the others are in a heap.
type lane struct {
	row  []heapItem // in order
	gone int        // how many at its head have been let go
	rest heap
}

func (l *lane) push(s heapItem) {
	n := len(l.row)
	if n > 0 && s.before(l.row[n-1]) {
		l.rest.push(s)
		return
	}
	if n == cap(l.row) && l.gone > n/2 {
		l.row, l.gone = append(l.row[:0], l.row[l.gone:]...), 0
	} else if n == cap(l.row) {
		l.row = slices.Grow(l.row, n+1) // twice as many: it is copied less often than append would
	}
	l.row = append(l.row, s)
}

// first is the slot of the first one, or NoSlot.
func (l *lane) first() Slot {
	switch heap := l.rest.items; {
	case l.gone == len(l.row) && len(heap) == 0:
		return NoSlot
	case l.gone == len(l.row) || len(heap) > 0 && heap[0].before(l.row[l.gone]):
		return heap[0].slot
	}
	return l.row[l.gone].slot
}

// prune brings a job that still waits to the head, after one has left; so many
// still wait.
func (l *lane) prune(waits func(heapItem) bool, waiting int) {
	if len(l.rest.items) > 0 {
		l.rest.stale++ // or it stood in the row: then the heap is looked through too early
		l.rest.prune(waits)
	}
	for l.gone < len(l.row) && !waits(l.row[l.gone]) {
		l.gone++
	}
	if standing := len(l.row) - l.gone; standing == 0 {
		l.row, l.gone = l.row[:0], 0
	} else if standing > 64 && standing > 2*waiting {
		kept := l.row[:0]
		for _, s := range l.row[l.gone:] {
			if waits(s) {
				kept = append(kept, s)
			}
		}
		l.row, l.gone = kept, 0
	}
}
