package controller

import (
	"testing"
)

func TestAKeyIsTakenForUsedUntilItIsKnownNotToBe(t *testing.T) {
	u := newUsedKeys()
	if !u.maybe("ann", "new") {
		t.Error("before the store was read, a key is taken for new")
	}
	u.whole = true
	u.add("ann", "old")
	for _, c := range []struct {
		owner, key string
		want       bool
	}{{"ann", "old", true}, {"ann", "new", false}, {"bob", "old", false}, {"an", "nold", false}} {
		if got := u.maybe(c.owner, c.key); got != c.want {
			t.Errorf("%s of %s: %v", c.key, c.owner, got)
		}
	}
	u.turn()
	if !u.maybe("ann", "old") {
		t.Error("forgotten at the next turn")
	}
	u.turn()
	if u.maybe("ann", "old") {
		t.Error("remembered for ever")
	}
}
