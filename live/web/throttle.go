package web

import (
	"time"

	"github.com/libra-market/libra/live/fair"
)

// Who signs in, or tries to, is held to so many. A person does not meet these.
const (
	signInRate  = 1.0 / 3 // a second
	signInBurst = 20.0
	returnRate  = 1.0
	returnBurst = 200.0
)

// attempts counts what did not work by where it came from, and what did by user:
// nobody's wrong tokens keep somebody else out who comes from elsewhere, nor
// whoever has a link.
type attempts struct {
	wrong   *fair.Throttle // of a source
	signIns *fair.Throttle // of a user, by token
	links   *fair.Throttle // of a user
	returns *fair.Throttle // of a user who goes on after a restart, in each tab
}

func newAttempts(now func() time.Time) attempts {
	one := func(limit string) *fair.Throttle { return fair.NewThrottle(limit, signInRate, signInBurst, now) }
	return attempts{
		wrong: one("wrong_sign_ins"), signIns: one("sign_ins"), links: one("login_links"),
		returns: fair.NewThrottle("returns", returnRate, returnBurst, now),
	}
}

const (
	tooManyWrong   = "There were too many wrong attempts to sign in from your address. Wait, or sign in with a link (libra login)."
	tooManySignIns = "You have signed in too often in a short time. Wait a little."
	tooManyLinks   = "You have asked for too many links in a short time. Wait a little."
)

func (c *call) source() string { return fair.Source(c.r.RemoteAddr) }
