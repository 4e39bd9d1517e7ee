package exchange

import (
	"container/heap"
	"maps"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// heldQuote is a quote somebody may come back to. A binding and firm one holds room
// in the cluster under the job number that it will have.
type heldQuote struct {
	trade.Quote

	Account  string        `json:"account"`
	Job      int64         `json:"job"` // number of the reservation
	Reserved bool          `json:"reserved"`
	Refused  string        `json:"refused,omitempty"`
	Owed     market.Price  `json:"owed"`
	Working  trade.Working `json:"working"`
	Procs    market.Procs  `json:"procs,omitempty"`

	Era int `json:"era,omitempty"` // its epoch, counted from 1; 0: that of when it was made

	ending bool // nobody took it in time, or it was dropped
}

// quoteBook is the quotes that are open.
type quoteBook struct {
	byID  map[string]*heldQuote
	byJob map[int64]*heldQuote // those that hold room, or did
	ends  expiries
}

func newQuoteBook() quoteBook {
	return quoteBook{byID: map[string]*heldQuote{}, byJob: map[int64]*heldQuote{}}
}

// add takes a quote in.
func (b *quoteBook) add(q *heldQuote) {
	b.byID[q.ID] = q
	if q.Reserved {
		b.byJob[q.Job] = q
	}
	b.ends.push(q.ExpiresUS, q.ID)
}

// remove forgets a quote. When it would have expired, nothing is found.
func (b *quoteBook) remove(q *heldQuote) {
	delete(b.byID, q.ID)
	delete(b.byJob, q.Job)
}

// find is the quote of an ID; nil: there is none.
func (b *quoteBook) find(id string) *heldQuote { return b.byID[id] }

// reservation is the quote that holds room under a job number.
func (b *quoteBook) reservation(job int64) *heldQuote {
	if q := b.byJob[job]; q != nil && q.Reserved {
		return q
	}
	return nil
}

// all lists the quotes, by ID.
func (b *quoteBook) all() []*heldQuote {
	list := make([]*heldQuote, 0, len(b.byID))
	for _, id := range slices.Sorted(maps.Keys(b.byID)) {
		list = append(list, b.byID[id])
	}
	return list
}

// of counts the quotes that a user has asked for and has open, and the processors
// that they keep.
func (b *quoteBook) of(user string) (n int, keeps float64) {
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

// kept counts the quotes that keep room, and the processors that they keep.
func (b *quoteBook) kept() (n int, keeps float64) {
	for _, q := range b.all() {
		if q.Reserved {
			n++
			keeps += q.Keeps
		}
	}
	return n, keeps
}

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
