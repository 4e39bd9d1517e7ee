package api

import (
	"net/http"
	"time"

	"github.com/libra-market/libra/core/task"
)

// maxWait bounds how long an agent may wait for news.
const maxWait = time.Minute

func hello(c *call) error {
	var h task.Hello
	if err := c.decode(&h); err != nil {
		return err
	}
	switch {
	case h.Node != c.who.User:
		return badField("node", "the node of the path")
	case !validNode(h.Node):
		return badField("node", "a host name")
	}
	w, err := c.h.agents.Hello(c.r.Context(), h)
	if err != nil {
		return err
	}
	w.Changes, w.Lanes = true, true
	return c.answer(http.StatusOK, &w)
}

// desired tells all, every time: it is for agents of the first version.
func desired(c *call) error {
	p, err := c.query()
	if err != nil {
		return err
	}
	d, err := c.awaitOrders(p)
	if err != nil {
		return err
	}
	listed := make([]task.Order, len(d.Orders)) // agents of the first version know no other arrays
	for i := range d.Orders {
		listed[i] = d.Orders[i]
		listed[i].Spec = d.Orders[i].Spec.Listed()
	}
	d.Orders = listed
	return c.answer(http.StatusOK, &d)
}

// awaitOrders waits, as the asker wishes, for what a node should be doing.
func (c *call) awaitOrders(p *query) (task.Desired, error) {
	after := p.number("after", -1, -1, 1<<62)
	wait := time.Duration(p.number("wait_ms", 0, 0, maxWait.Milliseconds())) * time.Millisecond
	if p.err != nil {
		return task.Desired{}, p.err
	}
	if after < 0 {
		wait = 0 // who has nothing yet wants anything
	}
	if wait > 0 {
		c.takesLong(wait + writeWait)
	}
	return c.h.agents.Desired(c.r.Context(), c.who.User, after, wait)
}

func report(c *call) error {
	var r task.Report
	if err := c.decode(&r); err != nil {
		return err
	}
	if r.Node != c.who.User {
		return badField("node", "the node of the path")
	}
	reply, err := c.h.agents.Report(c.r.Context(), r)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, &reply)
}

func followsOther(c *call) error {
	var r task.Refusal
	if err := c.decode(&r); err != nil {
		return err
	}
	if err := c.h.agents.Refused(c.r.Context(), c.who.User, r); err != nil {
		return err
	}
	return c.nothing()
}

func chunk(c *call) error {
	id := c.r.PathValue("id")
	if !validID(id) {
		return notFound("tail " + short(id))
	}
	var k task.Chunk
	if err := c.decode(&k); err != nil {
		return err
	}
	if err := c.h.agents.Chunk(c.r.Context(), c.who.User, id, k); err != nil {
		return err
	}
	return c.nothing()
}
