package accounts

import (
	"slices"
	"strings"
)

// Binding lets a user spend from an account.
type Binding struct {
	Account string `json:"account"`
	Below   bool   `json:"below,omitempty"` // and from all below it
}

// Bindings are those of one user: of the accounts that are open, the first pays.
type Bindings []Binding

// May reports whether the user may spend from an account, and see it.
func (b Bindings) May(account string) bool {
	return slices.ContainsFunc(b, func(one Binding) bool { return one.Account == account || one.covers(account) })
}

// MayBelow reports whether the user may do so with an account and all below it.
func (b Bindings) MayBelow(account string) bool {
	return slices.ContainsFunc(b, func(one Binding) bool { return one.covers(account) })
}

func (b Binding) covers(account string) bool {
	rest, within := strings.CutPrefix(account, b.Account)
	return b.Below && within && (rest == "" || rest[0] == '/')
}

// Roots are the accounts that are not below another of them, in order.
func (b Bindings) Roots() []string {
	var roots []string
	for _, one := range b {
		if !slices.ContainsFunc(b, func(other Binding) bool { return strings.HasPrefix(one.Account, other.Account+"/") }) {
			roots = append(roots, one.Account)
		}
	}
	slices.Sort(roots)
	return roots
}

// Person is a user and what they are bound to.
type Person struct {
	User     string   `json:"user"`
	Bindings Bindings `json:"bindings"`
}

// ByName is who was bound to what by the rule of the first versions: an account, and
// all below it, was its whose name its path ends in, and the first of a name paid.
// The paths are in order.
func ByName(paths []string) []Person {
	r := New()
	for _, path := range paths {
		r.Bind(path[strings.LastIndex(path, "/")+1:], Binding{Account: path, Below: true}, false)
	}
	return r.All()
}
