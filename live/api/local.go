package api

import (
	"fmt"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/passwd"
)

// bySocket is where the context of a connection has the user number of who came by
// the socket.
type bySocket struct{}

// local lets in who shows nothing and is known all the same: a user of this machine who
// came by the market's socket, where the site wants that. The kernel says who it is, so
// nobody can be another; and none of the system's own is anybody in the market by accident.
func (c *call) local() error {
	uid, here := c.r.Context().Value(bySocket{}).(int)
	switch {
	case !here:
		return &fault{kind: kindUnauthenticated, detail: "no token: send Authorization: Bearer libra_..."}
	case !c.h.options.LocalUsers:
		return &fault{kind: kindUnauthenticated, detail: "no token, and this market takes nobody for the user of the system that they are (login.socket in its libra.yaml)"}
	}
	who, err := c.userOf(uid)
	if err == nil {
		c.who = who
	}
	return err
}

// userOf is who in the market a user of the system is, by the number: a user, and none that
// is the system's own.
func (c *call) userOf(uid int) (who trade.Identity, err error) {
	if passwd.System(uid) {
		return who, &fault{kind: kindUnauthenticated, detail: fmt.Sprintf("no token, and user %d is the system's own: root and daemons are nobody's users here without one", uid)}
	}
	name, err := c.h.names.Of(c.r.Context(), uid)
	switch {
	case err != nil:
		return who, &fault{kind: kindUnauthenticated, detail: fmt.Sprintf("no token, and who user %d is this host does not say: %v", uid, err)}
	case !validUser(name) || passwd.IsSystem(name):
		return who, &fault{kind: kindUnauthenticated, detail: fmt.Sprintf("no token, and %q is no name that a user of the market can have", name)}
	}
	return trade.Identity{User: name, Role: trade.RoleUser}, nil
}
