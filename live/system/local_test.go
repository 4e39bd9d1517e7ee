package system_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// Who comes by the socket of the market, as the kernel says who they are, needs no token
// where the site wants that; and is nobody else, least of all root.
func TestNoTokenOnTheMarketsOwnMachine(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	t.Parallel()
	as := func(b *bazaar, name string, args ...string) ran {
		who, _ := userOf(t, name)
		return run(t, b.dir, append([]string{"setpriv", "--reuid", who.Uid, "--regid", who.Gid, "--clear-groups", binary()}, args...)...)
	}
	open, shut := newBazaar(t, terms{login: "users"}), newBazaar(t, terms{})
	unixUser(t, alice, open.dir)
	unixUser(t, bob, open.dir)
	open.user(alice, 100)
	if r := as(open, alice, "account", "--json", "--server", open.url); r.code != 0 || !strings.Contains(r.out, alice) {
		t.Errorf("alice has no token and is alice: %+v", r)
	}
	if r := as(open, bob, "account", "show", "people/"+alice, "--server", open.url); r.code == 0 {
		t.Errorf("bob is not alice: %+v", r)
	}
	if r := as(open, bob, "token", "create", "--user", alice, "--server", open.url); r.code == 0 {
		t.Errorf("bob made a token of alice's: %+v", r)
	}
	if r := as(open, alice, "token", "create", "--server", open.url); r.code != 0 || !strings.Contains(r.out, "libra_") {
		t.Errorf("a token of one's own, to take elsewhere: %+v", r)
	}
	if r := as(open, "root", "jobs", "--server", open.url); r.code != 1 || !strings.Contains(r.err, "user 0 is the system's own") {
		t.Errorf("root is nobody's user: %+v", r)
	}
	if r := as(open, "nobody", "jobs", "--server", open.url); r.code != 1 || !strings.Contains(r.err, "the system's own") {
		t.Errorf("nobody is nobody's user: %+v", r)
	}
	if r := as(shut, alice, "jobs", "--server", shut.url); r.code != 1 || !strings.Contains(r.err, "login.socket") {
		t.Errorf("this market wants a token: %+v", r)
	}
	tokens, err := open.owner.Tokens(t.Context(), alice)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tokens {
		if tokens[i].Role != v1.RoleUser {
			t.Errorf("a token beyond alice's own: %s", fmt.Sprint(tokens[i]))
		}
	}
}
