package fair

import (
	"container/heap"
	"sync"
	"time"
)

// Queue is an inbox that serves parties in turn. What one party puts in comes out
// in its order; between parties the one comes next that has cost least (start-time
// fair queueing), so who asks often, or for what is dear, waits behind itself and
// holds up nobody for longer than one call.
type Queue[T any] struct {
	most  int           // of one party; 0: any number
	ready chan struct{} // something is there

	mu    sync.Mutex
	lines map[Party]*line[T]
	turns turns[T]
	now   int64 // virtual: what the line that is being served has cost
	count int64 // of lines that formed, for ties
	size  int
}

// line is what one party waits for.
type line[T any] struct {
	party Party
	items []T
	start int64 // what it has cost, in the time of the queue
	seq   int64
	index int // among turns; negative: it is not
}

// least is what a call costs that costs nothing: equal parties alternate.
const least = int64(time.Microsecond)

// NewQueue is an empty one.
func NewQueue[T any](most int) *Queue[T] {
	return &Queue[T]{most: most, ready: make(chan struct{}, 1), lines: map[Party]*line[T]{}}
}

// Ready has something when something may be there.
func (q *Queue[T]) Ready() <-chan struct{} { return q.ready }

// Put appends to the line of a party. The house has no limit.
func (q *Queue[T]) Put(p Party, v T) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[p]
	if l == nil {
		l = &line[T]{party: p, index: -1}
		q.lines[p] = l
	}
	if q.most > 0 && p.Kind != House && len(l.items) >= q.most {
		return over("queue", time.Second, "%d calls of %s wait to be carried out: wait for their answers before sending more", len(l.items), p.Name)
	}
	l.items = append(l.items, v)
	q.size++
	if l.index < 0 {
		q.count++
		l.start, l.seq = max(l.start, q.now), q.count
		heap.Push(&q.turns, l)
	}
	q.signal()
	return nil
}

// Take is who is next, and what with.
func (q *Queue[T]) Take() (v T, p Party, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.turns) == 0 {
		return v, p, false
	}
	l := q.turns[0]
	v, p = l.items[0], l.party
	var none T
	l.items[0] = none
	l.items = l.items[1:]
	q.size--
	q.now = l.start
	l.start += least
	q.count++
	l.seq = q.count
	if len(l.items) > 0 {
		heap.Fix(&q.turns, 0)
	} else {
		heap.Pop(&q.turns)
		l.items = nil
		q.even(l)
		q.forget()
	}
	return v, p, true
}

// Charge says what the last call of a party has cost, beyond the least.
func (q *Queue[T]) Charge(p Party, cost time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[p]
	if l == nil || cost <= 0 {
		return
	}
	if l.start += int64(cost); l.index >= 0 {
		heap.Fix(&q.turns, l.index)
	}
	q.even(l)
}

// even lets time go on to the end of the last call if nobody was held up by it:
// then nobody owes anything.
func (q *Queue[T]) even(l *line[T]) {
	if len(q.turns) == 0 {
		q.now = max(q.now, l.start)
	}
}

// Len is how many wait.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.size
}

// Signal makes Ready ready: whoever leaves something behind comes back for it.
func (q *Queue[T]) Signal() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.size > 0 {
		q.signal()
	}
}

func (q *Queue[T]) signal() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// manyLines is from how many on lines are looked through for such as owe nothing.
const manyLines = 1024

// forget drops lines that are empty and owe nothing any more.
func (q *Queue[T]) forget() {
	if len(q.lines) <= 2*len(q.turns)+manyLines {
		return
	}
	for p, l := range q.lines {
		if l.index < 0 && l.start <= q.now {
			delete(q.lines, p)
		}
	}
}

// turns are the lines in which somebody waits, the cheapest first.
type turns[T any] []*line[T]

func (t turns[T]) Len() int { return len(t) }
func (t turns[T]) Less(i, k int) bool {
	if t[i].start != t[k].start {
		return t[i].start < t[k].start
	}
	return t[i].seq < t[k].seq
}

func (t turns[T]) Swap(i, k int) {
	t[i], t[k] = t[k], t[i]
	t[i].index, t[k].index = i, k
}

func (t *turns[T]) Push(v any) {
	l := v.(*line[T])
	l.index = len(*t)
	*t = append(*t, l)
}

func (t *turns[T]) Pop() any {
	all := *t
	l := all[len(all)-1]
	all[len(all)-1] = nil
	l.index = -1
	*t = all[:len(all)-1]
	return l
}
