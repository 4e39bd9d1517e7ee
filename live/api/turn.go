package api

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/fair"
)

// party is who takes turns: a user, whatever token they come with, or a node.
func (c *call) party() fair.Party {
	if c.who.Role == trade.RoleNode {
		return fair.Party{Kind: fair.Node, Name: c.who.User}
	}
	return fair.Party{Kind: fair.Person, Name: c.who.User}
}

// free reports whether rates do not apply to the caller.
func (c *call) free() bool { return c.owner() || c.h.gate.Limits().Free(c.who.User) }

// class is what a call of the route is to the others of its party.
func (rt *route) class() fair.Class {
	switch {
	case rt.polls:
		return fair.Poll
	case rt.waits:
		return fair.Wait
	case rt.method == http.MethodGet || rt.looks:
		return fair.Read
	default:
		return fair.Command
	}
}

// counts reports whether bodies of the route count as sent: of commands, but for output,
// which somebody asked for.
func (rt *route) counts() bool {
	return rt.class() == fair.Command && (rt.roles != nodes || rt.limit == maxReport)
}

// turn waits for the caller's turn. What asks for no token asks for no turn.
func (c *call) turn() (err error) {
	if c.route.roles == everyone {
		return nil
	}
	ctx, ticket := fair.With(c.r.Context(), c.party())
	c.r = c.r.WithContext(ctx)
	c.visit, err = c.h.gate.Enter(ctx, ticket, c.route.class(), c.free())
	return err
}

// follow takes a place for a stream, and returns how to give it back. What goes on
// for long takes no turn from others of the party.
func (c *call) follow() (done func(), err error) {
	leave, err := c.h.gate.Follow(c.party())
	if err != nil {
		return nil, err
	}
	c.visit.Leave()
	c.h.metrics.streams.Inc()
	return func() {
		c.h.metrics.streams.Dec()
		leave()
	}, nil
}

// readBody takes in the body, as fast as it comes and no slower than it has to.
// Memory grows with what has arrived, not with what was announced.
func (c *call) readBody() error {
	c.body = c.h.borrow()
	limit := c.route.limit
	if limit == 0 {
		limit = maxBody
	}
	c.arriving = c.h.gate.Body(c.party(), http.MaxBytesReader(c.w, c.r.Body, limit), http.NewResponseController(c.w).SetReadDeadline)
	_, err := c.body.ReadFrom(c.arriving)
	c.taken = err == nil
	if c.route.counts() && !c.free() {
		c.h.gate.Uploaded(c.party(), c.arriving.Size())
	}
	var large *http.MaxBytesError
	if over, ok := errors.AsType[*fair.Over](err); ok {
		return over
	}
	switch {
	case errors.As(err, &large):
		return &fault{kind: kindTooLarge, detail: fmt.Sprintf("the body has more than %d bytes", limit)}
	case errors.Is(err, fair.ErrSlow):
		return malformed("the body came too slowly: send it at once")
	case err != nil:
		return malformed("the body did not arrive as a whole")
	case c.body.Len() == 0 || isJSON(c.r.Header.Get("Content-Type")):
		return nil
	case !c.route.takesSpec():
		return &fault{kind: kindMedia, detail: "Content-Type: want application/json"}
	case !isYAML(c.r.Header.Get("Content-Type")):
		return &fault{kind: kindMedia, detail: "Content-Type: want application/json or " + yamlType}
	}
	return nil
}

// drained is up to what size a body that nobody read is taken in, so that the
// connection can be used again.
const drained = 16 << 10

// hangUp closes the connection after an answer to a request whose body was not
// read: the server would read it, for whoever sent it and however slowly it came.
func (c *call) hangUp() {
	if c.taken || c.r.ContentLength == 0 || c.r.Body == nil || c.r.Body == http.NoBody {
		return
	}
	if c.who.User != "" && c.r.ContentLength > 0 && c.r.ContentLength <= drained {
		return
	}
	c.w.Header()["Connection"] = closed
}

var closed = []string{"close"}

// kindOfLimit says what kind of problem it is to be over a limit.
func kindOfLimit(limit string) *kind {
	switch limit {
	case "streams":
		return kindTooMany
	case "jobs", "kept_mb":
		return kindTooMuch
	default:
		return kindTooFast
	}
}

// overLimit is the problem of a limit.
func overLimit(o *fair.Over) v1.Problem {
	p := kindOfLimit(o.Limit).problem(o.Detail)
	p.Limit = o.Limit
	return p
}

// again is when a call is worth making again, as a header says it.
func again(err error) []string {
	if o, ok := errors.AsType[*fair.Over](err); ok {
		return []string{strconv.Itoa(o.Seconds())}
	}
	return retryAfter
}
