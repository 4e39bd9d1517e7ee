package api_test

import (
	"context"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
)

func TestTokensHaveParents(t *testing.T) {
	w := newWorld(t)
	grow := func(by, name, user string) v1.NewToken {
		t.Helper()
		a := w.ask(by, "POST", "/v1/tokens", v1.TokenRequest{Name: name, User: user})
		if a.status != 201 {
			t.Fatalf("%s makes %s: %d %s", by, name, a.status, a.body)
		}
		n := read[v1.NewToken](t, a)
		w.secret[name] = n.Secret
		return n
	}
	alive := func(want string, names ...string) {
		t.Helper()
		for _, name := range names {
			if a := w.ask(name, "GET", "/v1/whoami", nil); (a.status == 200) != (want == "good") {
				t.Errorf("%s: %d, want it %s", name, a.status, want)
			}
		}
	}
	first := grow("alice", "first", "")
	second, other := grow("first", "second", ""), grow("alice", "other", "")
	third := grow("second", "third", "")
	if first.Parent != "t-alice" || second.Parent != first.ID || third.Parent != second.ID || other.Parent != "t-alice" {
		t.Errorf("parents %q, %q, %q, %q", first.Parent, second.Parent, third.Parent, other.Parent)
	}
	parents := map[string]string{}
	for _, one := range read[v1.TokenList](t, w.ask("alice", "GET", "/v1/tokens", nil)).Tokens {
		parents[one.Name] = one.Parent
	}
	if parents["third"] != second.ID {
		t.Errorf("listed with parents %v", parents)
	}

	// Alone, it leaves what was made with it; children can still be asked for.
	if a := w.ask("alice", "DELETE", "/v1/tokens/"+first.ID, nil); a.status != 204 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	alive("void", "first")
	alive("good", "second", "third", "other", "alice")
	if a := w.ask("bob", "DELETE", "/v1/tokens/"+first.ID+"?children=true", nil); a.status != 404 {
		t.Errorf("bob: %d", a.status)
	}
	if a := w.ask("alice", "DELETE", "/v1/tokens/"+first.ID+"?children=perhaps", nil); a.status < 400 {
		t.Errorf("children=perhaps: %d", a.status)
	}
	alive("good", "second", "third")
	if a := w.ask("alice", "DELETE", "/v1/tokens/"+first.ID+"?children=true", nil); a.status != 204 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	alive("void", "first", "second", "third")
	alive("good", "other", "alice", "bob")

	// What an owner's token made for others ends with it if the owner asks, and
	// not at the word of anybody else.
	w.secret["key"] = w.keys.MakeToken(v1.Token{ID: "t-key", User: "alice", Role: v1.RoleOwner})
	grow("key", "bobs", "bob")
	grow("bobs", "bobs second", "")
	if a := w.ask("alice", "DELETE", "/v1/tokens/t-key?children=true", nil); a.status != 204 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	alive("void", "key")
	alive("good", "bobs", "bobs second")
	if a := w.ask("root", "DELETE", "/v1/tokens/t-key?children=true", nil); a.status != 204 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	alive("void", "bobs", "bobs second")
	alive("good", "bob", "alice")
}

func TestDescendants(t *testing.T) {
	list := []v1.Token{{ID: "a", Parent: "c"}, {ID: "b", Parent: "a"}, {ID: "c", Parent: "b"}, {ID: "d"}, {ID: "e", Parent: "d"}, {ID: "f", Parent: "f"}}
	for id, want := range map[string][]string{"a": {"b", "c"}, "d": {"e"}, "e": nil, "f": nil, "": nil} { // also where a store has nonsense
		if got := slices.Sorted(maps.Keys(api.Descendants(list, id))); !slices.Equal(got, want) {
			t.Errorf("%q: %v", id, got)
		}
	}
}

// hasty is keys of which one is revoked, with its children, while it makes another.
type hasty struct{ *apitest.Keys }

func (k hasty) AddToken(ctx context.Context, hash []byte, t v1.Token) error {
	if _, err := k.RevokeToken(ctx, "", t.Parent, true, 1); err != nil {
		return err
	}
	return k.Keys.AddToken(ctx, hash, t)
}

func TestATokenRevokedWhileItMakesAnother(t *testing.T) {
	keys := &apitest.Keys{}
	secret := keys.Make("alice", v1.RoleUser)
	h := api.New(apitest.New("alice"), hasty{keys}, api.Options{})
	t.Cleanup(h.Close)
	r := httptest.NewRequest("POST", "/v1/tokens", strings.NewReader("{}"))
	r.Header.Set("Authorization", "Bearer "+secret)
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	list, err := keys.Tokens(t.Context(), "alice")
	if err != nil || len(list) != 2 {
		t.Fatalf("%d, %d tokens, %v: %s", rec.Code, len(list), err, rec.Body)
	}
	for i := range list {
		if rec.Code != 401 || list[i].RevokedUS == 0 {
			t.Errorf("%d, and %s is good", rec.Code, list[i].ID)
		}
	}
}
