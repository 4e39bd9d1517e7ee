package quote

import (
	"container/heap"
	"maps"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Held is a quote somebody may come back to. A binding and firm one holds room
// in the cluster under the job number that it will have.
type Held struct {
	trade.Quote

	Account  string        `json:"account"`
	Job      int64         `json:"job"` // number of the reservation
	Reserved bool          `json:"reserved"`
	Refused  string        `json:"refused,omitempty"`
	Owed     market.Price  `json:"owed"`
	Working  trade.Working `json:"working"`
	Procs    market.Procs  `json:"procs,omitempty"`

	Era int `json:"era,omitempty"` // its epoch, counted from 1; 0: that of when it was made

	Ending bool `json:"-"` // nobody took it in time, or it was dropped
}

// Book is the quotes that are open.
type Book struct {
	byID  map[string]*Held
	byJob map[int64]*Held // those that hold room, or did
	ends  expiries
}

// NewBook is one without quotes.
func NewBook() Book {
	return Book{byID: map[string]*Held{}, byJob: map[int64]*Held{}}
}

// Add takes a quote in.
func (b *Book) Add(q *Held) {
	b.byID[q.ID] = q
	if q.Reserved {
		b.byJob[q.Job] = q
	}
	b.ends.push(q.ExpiresUS, q.ID)
}

// Remove forgets a quote. When it would have expired, nothing is found.
func (b *Book) Remove(q *Held) {
	delete(b.byID, q.ID)
	delete(b.byJob, q.Job)
}

// Find is the quote of an ID; nil: there is none.
func (b *Book) Find(id string) *Held { return b.byID[id] }

// Reservation is the quote that holds room under a job number.
func (b *Book) Reservation(job int64) *Held {
	if q := b.byJob[job]; q != nil && q.Reserved {
		return q
	}
	return nil
}

// All lists the quotes, by ID.
func (b *Book) All() []*Held {
	list := make([]*Held, 0, len(b.byID))
	for _, id := range slices.Sorted(maps.Keys(b.byID)) {
		list = append(list, b.byID[id])
	}
	return list
}

// Of counts the quotes that a user has asked for and has open, and the processors
// that they keep.
func (b *Book) Of(user string) (n int, keeps float64) {
	for _, q := range b.byID {
		if q.Owner == user && q.Job != 0 { // counter-offers were not asked for, and keep nothing
			n++
		}
	}
	for _, q := range b.byJob {
		if q.Owner == user && q.Reserved {
			keeps += q.Keeps
		}
	}
	return n, keeps
}

// Kept counts the quotes that keep room, and the processors that they keep.
func (b *Book) Kept() (n int, keeps float64) {
	for _, q := range b.All() {
		if q.Reserved {
			n++
			keeps += q.Keeps
		}
	}
	return n, keeps
}

// KeptIn is how many processors quotes keep in a partition: those of a user; "": of all.
func (b *Book) KeptIn(partition, user string) (keeps float64) {
	for _, q := range b.All() {
		if q.Reserved && q.Request.Partition == partition && (user == "" || q.Owner == user) {
			keeps += q.Keeps
		}
	}
	return keeps
}

// NextEnd is when the next quote expires.
func (b *Book) NextEnd() (at int64, some bool) { return b.ends.first() }

// TakeDue is a quote that has expired by a time, or was to; each is said once.
func (b *Book) TakeDue(by int64) (id string, due bool) { return b.ends.pop(by) }

// expiries is a queue of quotes by the time at which they expire.
type expiries struct{ soonest expiryHeap }

type expiry struct {
	At int64  `json:"at"`
	ID string `json:"id"`
}

type expiryHeap []expiry

func (h expiryHeap) Len() int { return len(h) }
func (h expiryHeap) Less(i, k int) bool {
	if h[i].At != h[k].At {
		return h[i].At < h[k].At
	}
	return strings.Compare(h[i].ID, h[k].ID) < 0
}
func (h expiryHeap) Swap(i, k int) { h[i], h[k] = h[k], h[i] }
func (h *expiryHeap) Push(v any)   { *h = append(*h, v.(expiry)) }
func (h *expiryHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func (e *expiries) push(at int64, id string) { heap.Push(&e.soonest, expiry{At: at, ID: id}) }

func (e *expiries) first() (int64, bool) {
	if len(e.soonest) == 0 {
		return 0, false
	}
	return e.soonest[0].At, true
}

// pop takes out a quote that expires by a time.
func (e *expiries) pop(by int64) (string, bool) {
	if at, some := e.first(); !some || at > by {
		return "", false
	}
	return heap.Pop(&e.soonest).(expiry).ID, true
}
