package web

import (
	"errors"
	"io"
	"net/http"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/fair"
)

const (
	maxForm  = 2 << 20
	maxLogin = 16 << 10 // of a form from somebody who is not known yet
)

// party is who takes turns: the same user as at the API.
func (c *call) party() fair.Party { return fair.Party{Kind: fair.Person, Name: c.who.User} }

// class is what a call of the route is to the others of its user.
func (rt *route) class() fair.Class {
	switch {
	case rt.pattern == "/events":
		return fair.Poll
	case rt.pattern == "/jobs/{id}/log":
		return fair.Wait
	case rt.method == http.MethodGet || rt.pattern == "/preview" || rt.pattern == "/owner/whatif":
		return fair.Read
	default:
		return fair.Command
	}
}

// turn waits for the caller's turn.
func (c *call) turn() (err error) {
	ctx, ticket := fair.With(c.r.Context(), c.party())
	c.r = c.r.WithContext(ctx)
	free := c.who.Role == trade.RoleOwner || c.h.gate.Limits().Free(c.who.User)
	c.visit, err = c.h.gate.Enter(ctx, ticket, c.route.class(), free)
	return err
}

// receive lets the form be read: what has come of it counts against what the caller may
// keep here, and of somebody unknown only a little is read.
func (c *call) receive() {
	limit := int64(maxLogin)
	if c.session != nil {
		limit = maxForm
	}
	body := c.r.Body
	c.arriving = c.h.gate.Body(c.party(), http.MaxBytesReader(c.w, body, limit), http.NewResponseController(c.w).SetReadDeadline)
	c.r.Body = struct {
		io.Reader
		io.Closer
	}{c.arriving, body}
}

// taken notes how much came.
func (c *call) taken() {
	if c.route.class() == fair.Command && c.who.Role == trade.RoleUser {
		c.h.gate.Uploaded(c.party(), c.arriving.Size())
	}
}

// release gives back what the call has taken.
func (c *call) release() {
	c.visit.Leave()
	c.arriving.Release()
}

// tooMuch is what a page says to who is over a limit.
func tooMuch(err error) (trouble, bool) {
	o, ok := errors.AsType[*fair.Over](err)
	if !ok {
		return trouble{}, false
	}
	return trouble{http.StatusTooManyRequests, "Too much at a time", o.Detail, true}, true
}

// waitFor is after how many seconds it is worth while to ask again.
func waitFor(err error) int {
	if o, ok := errors.AsType[*fair.Over](err); ok {
		return o.Seconds()
	}
	return 1
}
