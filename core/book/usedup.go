package book

import "github.com/libra-market/libra/core/market"

// usedUps says which of the running jobs will have used up its estimate first. It
// is a heap with four children a node, which keeps it flat, and it knows where each
// job is, so that one moves when its speed changes: which it does all the time.
type usedUps struct {
	items []usedUp
	place []int32 // by slot: its place in items and 1; 0: it is not there
}

type usedUp struct {
	at   float64
	id   market.JobID
	slot Slot
}

func (a *usedUp) before(b *usedUp) bool { return a.at < b.at || a.at == b.at && a.id < b.id }

// set puts a job in, or moves it.
func (u *usedUps) set(x usedUp) {
	for int(x.slot) >= len(u.place) {
		u.place = append(u.place, 0)
	}
	i := int(u.place[x.slot]) - 1
	if i < 0 {
		i = len(u.items)
		u.items = append(u.items, x)
	}
	u.move(i, x)
}

func (u *usedUps) remove(s Slot) {
	if int(s) >= len(u.place) || u.place[s] == 0 {
		return
	}
	i, last := int(u.place[s])-1, len(u.items)-1
	u.place[s] = 0
	moved := u.items[last]
	u.items = u.items[:last]
	if i < last {
		u.move(i, moved)
	}
}

// of is a job that is there.
func (u *usedUps) of(s Slot) *usedUp { return &u.items[u.place[s]-1] }

// upTo visits the jobs whose time is no later than a bound, which may come closer
// meanwhile: from a place in the heap down.
func (u *usedUps) upTo(i int, bound func() float64, visit func(Slot)) {
	if i >= len(u.items) || u.items[i].at > bound() {
		return
	}
	visit(u.items[i].slot)
	for c := 4*i + 1; c <= 4*i+4; c++ {
		u.upTo(c, bound, visit)
	}
}

// move puts a job where it belongs, from a place that is free.
func (u *usedUps) move(i int, x usedUp) {
	for i > 0 && x.before(&u.items[(i-1)/4]) {
		u.put(i, u.items[(i-1)/4])
		i = (i - 1) / 4
	}
	for n := len(u.items); ; {
		first := 4*i + 1
		if first >= n {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, n); c++ {
			if u.items[c].before(&u.items[least]) {
				least = c
			}
		}
		if !u.items[least].before(&x) {
			break
		}
		u.put(i, u.items[least])
		i = least
	}
	u.put(i, x)
}

func (u *usedUps) put(i int, x usedUp) {
	u.items[i] = x
	u.place[x.slot] = market.Int32(i) + 1
}
