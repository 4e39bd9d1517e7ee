package front

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/store"
)

// Which token another was made with is known after a restart, and revoking the
// first then ends the others. Tokens of stores from before have no parent.
func TestParentsOfTokensAreKept(t *testing.T) {
	path, ctx := filepath.Join(t.TempDir(), "libra.db"), t.Context()
	with := func(do func(Keyring, store.Tokens)) {
		t.Helper()
		st, err := store.Open(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		do(Keyring{st}, st)
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
	with(func(k Keyring, st store.Tokens) {
		if err := st.AddToken(ctx, store.Token{Hash: []byte("old"), User: "alice", Role: "user", Name: "aa my old laptop / 2", Created: 1}); err != nil {
			t.Fatal(err)
		}
		for i, one := range []v1.Token{
			{ID: "bb", Parent: "aa", User: "alice", Name: "its child"},
			{ID: "cc", Parent: "bb", User: "alice"},
			{ID: "dd", Parent: "ee", User: "alice", Name: "aa / bb"},
			{ID: "ff", Parent: "bb", User: "bob"},
		} {
			one.Role, one.MadeUS = v1.RoleUser, int64(i+2)
			if err := k.AddToken(ctx, []byte(one.ID), one); err != nil {
				t.Fatal(err)
			}
		}
	})
	with(func(k Keyring, _ store.Tokens) {
		list, err := k.Tokens(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for i := range list {
			fmt.Fprintf(&got, "%s<%s:%s|", list[i].ID, list[i].Parent, list[i].Name)
		}
		if want := "aa<:my old laptop / 2|bb<aa:its child|cc<bb:|dd<ee:aa / bb|ff<bb:|"; got.String() != want {
			t.Errorf("got %s, want %s", got.String(), want)
		}
		if found, err := k.RevokeToken(ctx, "alice", "aa", true, 9); err != nil || !found {
			t.Fatal(found, err)
		}
	})
	with(func(k Keyring, _ store.Tokens) {
		if got := void(ctx, t, k); got != "aa bb cc" {
			t.Errorf("alice ended %s", got)
		}
		if found, err := k.RevokeToken(ctx, "", "aa", true, 9); err != nil || !found {
			t.Fatal(found, err)
		}
		if got := void(ctx, t, k); got != "aa bb cc ff" {
			t.Errorf("the owner ended %s", got)
		}
		if found, err := k.RevokeToken(ctx, "", "zz", true, 9); err != nil || found {
			t.Error(found, err)
		}
	})
}

func void(ctx context.Context, t *testing.T, k Keyring) string {
	t.Helper()
	list, err := k.Tokens(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i := range list {
		if list[i].RevokedUS != 0 {
			ids = append(ids, list[i].ID)
		}
	}
	return strings.Join(ids, " ")
}
