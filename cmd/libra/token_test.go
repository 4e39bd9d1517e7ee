package main

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// The command makes, lists and ends them as the API does.
func TestTokensWithTheirChildren(t *testing.T) {
	open(t, newFloor(), v1.RoleOwner)
	child := strings.TrimSpace(libra(t, "token", "create", "--user", "alice", "--name", "ci").out)
	if out := mustLibra(t, "token", "list"); !strings.Contains(out, "made with") || strings.Count(out, "0123456789abcdef") != 2 {
		t.Errorf("got\n%s", out)
	}
	if out := mustLibra(t, "token", "list", "--json"); !strings.Contains(out, `"parent": "0123456789abcdef"`) {
		t.Errorf("got %s", out)
	}
	if out := mustLibra(t, "token", "revoke", "0123456789abcdef", "--with-children"); !strings.Contains(out, "with all that was made with it") {
		t.Errorf("got %s", out)
	}
	t.Setenv("LIBRA_TOKEN", child)
	if r := libra(t, "token", "list"); r.code == exitOK || !strings.Contains(r.err, "revoked") {
		t.Errorf("the child is good: %+v", r)
	}
}
