package accounts

import (
	"maps"
	"slices"
)

// Register is who is bound to what.
type Register struct {
	of      map[string]Bindings // by user
	users   map[string][]string // by account: who is bound to it, in order
	changed map[string]bool     // users, since somebody last asked
}

// New is a register in which nobody is bound to anything.
func New() *Register {
	return &Register{of: map[string]Bindings{}, users: map[string][]string{}, changed: map[string]bool{}}
}

// Of is what a user is bound to. It is not to be written to.
func (r *Register) Of(user string) Bindings { return r.of[user] }

// Users are those who are bound to an account itself, in order.
func (r *Register) Users(account string) []string { return r.users[account] }

// Pays is the account that pays for a user who names none: the first of theirs that
// is open. false: there is none.
func (r *Register) Pays(user string, open func(account string) bool) (string, bool) {
	for _, b := range r.of[user] {
		if open(b.Account) {
			return b.Account, true
		}
	}
	return "", false
}

// Bind binds a user to an account, or says anew how. Put first it pays from now on;
// otherwise whatever paid goes on to.
func (r *Register) Bind(user string, b Binding, first bool) {
	was := r.of[user]
	at := slices.IndexFunc(was, func(one Binding) bool { return one.Account == b.Account })
	is := slices.Clone(was)
	switch {
	case first:
		if at >= 0 {
			is = slices.Delete(is, at, at+1)
		}
		is = slices.Insert(is, 0, b)
	case at >= 0:
		is[at] = b
	default:
		is = append(is, b)
	}
	r.Put(Person{User: user, Bindings: is})
	r.changed[user] = true
}

// Unbind takes a binding back; false: there was none.
func (r *Register) Unbind(user, account string) bool {
	is := slices.DeleteFunc(slices.Clone(r.of[user]), func(b Binding) bool { return b.Account == account })
	if len(is) == len(r.of[user]) {
		return false
	}
	r.Put(Person{User: user, Bindings: is})
	r.changed[user] = true
	return true
}

// Put makes true what is written down of a user.
func (r *Register) Put(p Person) {
	for _, b := range r.of[p.User] {
		left := slices.DeleteFunc(slices.Clone(r.users[b.Account]), func(u string) bool { return u == p.User })
		if len(left) == 0 {
			delete(r.users, b.Account)
		} else {
			r.users[b.Account] = left
		}
	}
	delete(r.of, p.User)
	if len(p.Bindings) == 0 {
		return
	}
	r.of[p.User] = p.Bindings
	for _, b := range p.Bindings {
		users := r.users[b.Account]
		if i, there := slices.BinarySearch(users, p.User); !there {
			r.users[b.Account] = slices.Insert(slices.Clone(users), i, p.User)
		}
	}
}

// Replace makes the register say this and nothing else.
func (r *Register) Replace(all []Person) {
	for _, user := range slices.Sorted(maps.Keys(r.of)) {
		r.changed[user] = true
	}
	clear(r.of)
	clear(r.users)
	for _, p := range all {
		r.Put(p)
		r.changed[p.User] = true
	}
}

// All is everybody who is bound to something, by name.
func (r *Register) All() []Person {
	all := make([]Person, 0, len(r.of))
	for _, user := range slices.Sorted(maps.Keys(r.of)) {
		all = append(all, Person{User: user, Bindings: r.of[user]})
	}
	return all
}

// Changed takes those whose bindings have changed since it was last asked, as they
// are now.
func (r *Register) Changed() []Person {
	if len(r.changed) == 0 {
		return nil
	}
	some := make([]Person, 0, len(r.changed))
	for _, user := range slices.Sorted(maps.Keys(r.changed)) {
		some = append(some, Person{User: user, Bindings: r.of[user]})
	}
	clear(r.changed)
	return some
}
