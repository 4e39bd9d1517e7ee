package allowance

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// Book is who has an allowance.
type Book struct {
	of      map[string]Allowance // by account
	changed map[string]bool      // accounts, since somebody last asked
	next    int64                // when the first of them is due; every command asks
}

// New is a book in which nobody has one.
func New() *Book {
	return &Book{of: map[string]Allowance{}, changed: map[string]bool{}, next: math.MaxInt64}
}

// Put makes true what is written down of an account.
func (b *Book) Put(a Allowance) {
	was, had := b.of[a.Account]
	if b.of[a.Account] = a; a.Amount == 0 {
		delete(b.of, a.Account)
	}
	if had && was.NextUS == b.next {
		b.look()
	} else if a.Amount > 0 {
		b.next = min(b.next, a.NextUS)
	}
}

// look finds out when the next one is due.
func (b *Book) look() {
	b.next = math.MaxInt64
	for _, a := range b.of {
		b.next = min(b.next, a.NextUS)
	}
}

// Set changes what an account gets. A first one is due at once; another comes when
// the one before it would have, or sooner.
func (b *Book) Set(now int64, a Allowance) {
	a.NextUS = now
	if was, had := b.of[a.Account]; had {
		a.NextUS = min(was.NextUS, now+a.EveryUS)
	}
	b.Put(a)
	b.changed[a.Account] = true
}

// All is all that there is, by account.
func (b *Book) All() []Allowance {
	var all []Allowance
	for _, account := range slices.Sorted(maps.Keys(b.of)) {
		all = append(all, b.of[account])
	}
	return all
}

// Changed takes those that have changed since it was last asked, as they are now.
func (b *Book) Changed() []Allowance {
	var some []Allowance
	for _, account := range slices.Sorted(maps.Keys(b.changed)) {
		a := b.of[account]
		a.Account = account
		some = append(some, a)
	}
	clear(b.changed)
	return some
}

// Of is what an account has: its own, or that of the nearest one above it which is for
// each below.
func (b *Book) Of(account string) (Allowance, bool) {
	if a, has := b.of[account]; has {
		return a, true
	}
	for path := account; ; {
		slash := strings.LastIndexByte(path, '/')
		if slash < 0 {
			return Allowance{}, false
		}
		path = path[:slash]
		if a, has := b.of[path]; has && a.Each {
			return a, true
		}
	}
}

// own is what an account itself gets, whoever else does by the same.
func (b *Book) own(account string) (Allowance, bool) {
	a, has := b.Of(account)
	return a, has && !(a.Each && a.Account == account)
}

// Next is when the next one is due.
func (b *Book) Next() (us int64, some bool) { return b.next, len(b.of) > 0 }

// Welcomes is the account that somebody gets who is bound to none.
func (b *Book) Welcomes(user string) (account string, some bool) {
	for _, a := range b.All() {
		if a.Welcome {
			return a.Account + "/" + user, true
		}
	}
	return "", false
}
