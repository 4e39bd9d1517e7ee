package ledger

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
)

func TestCheckPath(t *testing.T) {
	long := strings.Repeat("x", 64)
	for path, ok := range map[market.Account]bool{
		"org": true, "org/project/user": true, "0": true, "a.b_c-d/e": true,
		"1/2/3/4/5/6/7/8": true, market.Account(long): true,
		"1/2/3/4/5/6/7/8/9": false, market.Account(long + "x"): false,
		"": false, "/": false, "org/": false, "/org": false, "org//user": false,
		"Org": false, "-org": false, ".": false, "..": false, "org/../x": false, "_": false,
		"org ": false, "örg": false, "org\n": false, "org\x00": false, "@mint": false, "@owner": false, "@": false,
	} {
		if err := CheckPath(path); (err == nil) != ok || err != nil && !errors.Is(err, ErrPath) {
			t.Errorf("%q: %v, want ok %v", path, err, ok)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		path, root market.Account
		want       bool
	}{
		{"a", "a", true},
		{"a/b", "a", true},
		{"a/b/c", "a", true},
		{"a/b/c", "a/b", true},
		{"ab", "a", false},
		{"a", "a/b", false},
		{"a-b/c", "a", false},
		{"b/a", "a", false},
	} {
		if got := Within(c.path, c.root); got != c.want {
			t.Errorf("%q within %q: %v", c.path, c.root, got)
		}
	}
}

func FuzzCheckPath(f *testing.F) {
	for _, seed := range []string{"org/project/user", "a//b", "@mint", "A", "a/", "1/2/3/4/5/6/7/8/9", "a.b-c_d"} {
		f.Add(seed)
	}
	grammar := regexp.MustCompile(`\A[a-z0-9][a-z0-9._-]{0,63}(/[a-z0-9][a-z0-9._-]{0,63}){0,7}\z`)
	f.Fuzz(func(t *testing.T, text string) {
		path := market.Account(text)
		if got, want := CheckPath(path) == nil, grammar.MatchString(text); got != want {
			t.Fatalf("%q: ok %v, want %v", text, got, want)
		}
		if CheckPath(path) != nil {
			return
		}
		for up, more := parent(path); more; up, more = parent(up) {
			if CheckPath(up) != nil || !Within(path, up) || Within(up, path) {
				t.Fatalf("%q above %q", up, path)
			}
		}
	})
}
