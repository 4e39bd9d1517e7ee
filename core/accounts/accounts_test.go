package accounts_test

import (
	"reflect"
	"testing"

	"github.com/libra-market/libra/core/accounts"
)

func anyOpen(string) bool { return true }

// Who is bound may spend, and nobody else: whatever their name is.
func TestWhoMaySpend(t *testing.T) {
	r := accounts.New()
	r.Bind("alice", accounts.Binding{Account: "site/alice"}, false)
	r.Bind("pi", accounts.Binding{Account: "site", Below: true}, false)
	for _, c := range []struct {
		user, account string
		may, below    bool
	}{
		{"alice", "site/alice", true, false},
		{"alice", "site/alice/thesis", false, false},
		{"alice", "site", false, false},
		{"pi", "site", true, true},
		{"pi", "site/alice", true, true},
		{"pi", "sites", false, false},
		{"site", "site/alice", false, false},
		{"site", "site", false, false},
	} {
		b := r.Of(c.user)
		if b.May(c.account) != c.may || b.MayBelow(c.account) != c.below {
			t.Errorf("%s and %s: %v, %v", c.user, c.account, b.May(c.account), b.MayBelow(c.account))
		}
	}
}

func TestTheFirstOpenOnePays(t *testing.T) {
	r := accounts.New()
	if path, some := r.Pays("carol", anyOpen); some {
		t.Errorf("%s pays for a stranger", path)
	}
	r.Bind("carol", accounts.Binding{Account: "staff/carol"}, false)
	r.Bind("carol", accounts.Binding{Account: "project"}, false)
	if path, _ := r.Pays("carol", anyOpen); path != "staff/carol" {
		t.Errorf("%s pays", path)
	}
	if path, _ := r.Pays("carol", func(a string) bool { return a != "staff/carol" }); path != "project" {
		t.Errorf("with the first closed %s pays", path)
	}
	r.Bind("carol", accounts.Binding{Account: "project"}, true)
	if path, _ := r.Pays("carol", anyOpen); path != "project" {
		t.Errorf("put first, %s pays", path)
	}
	r.Bind("dave", accounts.Binding{Account: "project"}, false)
	if got := r.Users("project"); !reflect.DeepEqual(got, []string{"carol", "dave"}) {
		t.Errorf("%v", got)
	}
	if !r.Unbind("carol", "project") || r.Unbind("carol", "project") {
		t.Error("a binding is taken back once")
	}
	if got := r.Users("project"); !reflect.DeepEqual(got, []string{"dave"}) {
		t.Errorf("%v", got)
	}
}

// What has changed is what makes another register say the same.
func TestChangesAreEnough(t *testing.T) {
	r, copied := accounts.New(), accounts.New()
	follow := func() {
		t.Helper()
		for _, p := range r.Changed() {
			copied.Put(p)
		}
		if !reflect.DeepEqual(r.All(), copied.All()) {
			t.Errorf("%v, want %v", copied.All(), r.All())
		}
	}
	r.Bind("a", accounts.Binding{Account: "x"}, false)
	r.Bind("b", accounts.Binding{Account: "x", Below: true}, false)
	follow()
	r.Unbind("a", "x")
	follow()
	r.Replace(accounts.ByName([]string{"lab", "lab/b", "lab/c"}))
	follow()
	if r.Changed() != nil {
		t.Error("nothing has changed")
	}
}

// The rule of the first versions: the end of a path is a name, and the first pays.
func TestByName(t *testing.T) {
	r := accounts.New()
	r.Replace(accounts.ByName([]string{"lab", "lab/alice", "lab/alice/thesis", "staff/alice"}))
	if path, _ := r.Pays("alice", anyOpen); path != "lab/alice" {
		t.Errorf("%s pays", path)
	}
	if got := r.Of("alice").Roots(); !reflect.DeepEqual(got, []string{"lab/alice", "staff/alice"}) {
		t.Errorf("roots %v", got)
	}
	if b := r.Of("alice"); !b.May("lab/alice/thesis") || !b.May("staff/alice") || b.May("lab") {
		t.Errorf("%v", b)
	}
}
