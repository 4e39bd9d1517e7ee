package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// events writes what changes, as server-sent events: the number of a notice is
// the ID of its event, so a browser that lost the connection says by itself
// (Last-Event-ID) where it was.
func events(c *call) error {
	p, err := c.query()
	if err != nil {
		return err
	}
	after := p.number("after", -1, -1, 1<<62)
	if p.err != nil {
		return p.err
	}
	if last := c.r.Header.Get("Last-Event-ID"); last != "" {
		if after, err = strconv.ParseInt(last, 10, 64); err != nil || after < 0 {
			return malformed("Last-Event-ID: want the number of an event")
		}
	}
	owner := c.who.User
	if c.owner() {
		owner = p.text("owner")
	} else if p.text("owner") != "" && p.text("owner") != owner {
		return notFound("user " + short(p.text("owner")))
	}
	done, err := c.follow()
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()
	notices, err := c.h.floor.Follow(ctx, owner, after)
	if err != nil {
		return err
	}
	return c.stream(notices, owner)
}

// stream writes notices until there are no more, with a sign of life where
// there is a pause.
func (c *call) stream(notices <-chan v1.Notice, owner string) error {
	rc := http.NewResponseController(c.w)
	header := c.w.Header()
	header["Content-Type"] = []string{"text/event-stream"}
	header["X-Accel-Buffering"] = []string{"no"} // a proxy in between must not hold events back
	c.takesLong(writeWait)
	c.head(http.StatusOK)
	if err := c.send(rc, []byte("retry: 1000\n\n")); err != nil {
		return err
	}
	alive := time.NewTicker(c.h.options.Heartbeat)
	defer alive.Stop()
	var out []byte
	for {
		out = out[:0]
		select {
		case n, open := <-notices:
			if !open {
				return nil
			}
			var err error
			out, err = c.appendEvent(out, &n, owner)
			for err == nil && len(notices) > 0 && len(out) < 64<<10 { // what is there goes out at once
				n = <-notices
				out, err = c.appendEvent(out, &n, owner)
			}
			if err == nil && len(out) > 0 {
				err = c.send(rc, out)
			}
			if err != nil {
				return err
			}
		case <-alive.C:
			if !c.stillGood() {
				return nil
			}
			if err := c.send(rc, []byte(":\n\n")); err != nil {
				return err
			}
		case <-c.r.Context().Done():
			return c.r.Context().Err()
		case <-c.h.closed:
			return nil
		}
	}
}

// appendEvent adds a notice, if it is for the caller's eyes. The market knows
// whom it sends to; that it keeps to it is worth looking at twice.
func (c *call) appendEvent(out []byte, n *v1.Notice, owner string) ([]byte, error) {
	if public := n.Owner == "" && n.Job == nil && n.Kind != "account"; owner != "" && n.Owner != owner && !public {
		return out, nil
	}
	text, err := json.Marshal(n)
	if err != nil {
		return out, err
	}
	if n.IsPlace() {
		out = append(out, "id: "...)
		out = append(strconv.AppendInt(out, n.Seq, 10), '\n')
	}
	out = append(out, "event: "...)
	out = append(out, n.Kind...)
	out = append(out, "\ndata: "...)
	out = append(out, text...)
	return append(out, "\n\n"...), nil
}

func (c *call) send(rc *http.ResponseController, text []byte) error {
	c.takesLong(writeWait)
	n, err := c.w.Write(text)
	c.sent += int64(n)
	if err != nil {
		return err
	}
	return rc.Flush()
}
