package web

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/libra-market/libra/client/v1"
)

const writeWait = 30 * time.Second // for a browser to take a message

// events tells a page what changes of what it shows, until it is closed or its
// session is over.
func events(c *call) error {
	a, err := c.audience()
	if err != nil {
		return err
	}
	done, err := c.h.gate.Follow(c.party())
	if err != nil {
		return err
	}
	defer done()
	w := c.h.hub.join(a)
	defer c.h.hub.unsubscribe(w)
	rc := http.NewResponseController(c.w)
	header := c.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("X-Accel-Buffering", "no") // a proxy in between must not hold events back
	c.takesLong(writeWait)
	c.status = http.StatusOK
	c.w.WriteHeader(http.StatusOK)
	first, err := c.missed(a)
	if err != nil {
		first = event("reload", struct{}{})
	}
	if err := c.send(rc, slices.Concat([]byte("retry: 2000\n\n"), c.alive(), first)); err != nil {
		return nil // the page is gone
	}
	beat := time.NewTicker(c.h.options.Heartbeat)
	defer beat.Stop()
	for {
		var message []byte
		select {
		case message = <-w.out:
		case <-beat.C:
			if good, err := c.h.stillGood(c.r.Context(), c.session); err == nil && !good || c.h.sessions.find(c.secret) == nil {
				return nil
			}
			message = c.alive()
		case <-c.r.Context().Done():
			return nil
		case <-c.h.ctx.Done():
			return nil
		}
		if err := c.send(rc, message); err != nil {
			return nil // the page is gone
		}
	}
}

// audience is what the page wants to hear of, if it may.
func (c *call) audience() (audience, error) {
	q := c.r.URL.Query()
	a := audience{topic: q.Get("for")}
	if !c.everybody() || q.Get("whose") == "mine" {
		a.user = c.who.User
	}
	switch a.topic {
	case "jobs":
		from, err1 := strconv.ParseInt(q.Get("from"), 10, 64)
		to, err2 := strconv.ParseInt(q.Get("to"), 10, 64)
		if err1 != nil || err2 != nil {
			return a, errNotFound
		}
		a.from, a.to, a.table = from, to, a.user == ""
	case "job":
		id, err := strconv.ParseInt(q.Get("id"), 10, 64)
		if err != nil {
			return a, errNotFound
		}
		if _, err := c.job(id); err != nil {
			return a, err
		}
		a.from, a.to = id, id
	case "market":
		if a.span = q.Get("span"); spans[a.span] == 0 {
			return a, errNotFound
		}
		a.user = "" // everybody sees the same
	case "owner":
		if !c.everybody() {
			return a, errRole
		}
		a.user = ""
	case "page": // nothing but signs of life
	default:
		return a, errNotFound
	}
	return a, nil
}

// missed is what has changed between the making of the page and the beginning of
// its stream.
func (c *call) missed(a audience) ([]byte, error) {
	seen, err := strconv.ParseInt(c.r.URL.Query().Get("seen"), 10, 64)
	if err != nil {
		return nil, nil //nolint:nilerr // a page that does not say when it was made has missed nothing
	}
	var jobs []v1.Job
	switch a.topic {
	case "job":
		jobs = make([]v1.Job, 1)
		if jobs[0], err = c.job(a.from); err != nil {
			return nil, err
		}
	case "jobs":
		ask := v1.JobQuery{Owner: a.user, Limit: rowsShown}
		if a.to != 0 {
			ask.Before = a.to + 1
		}
		if jobs, err = c.h.market.Jobs(c.r.Context(), ask); err != nil {
			return nil, err
		}
	}
	var list []change
	for i := range jobs {
		j := &jobs[i]
		switch news := max(j.SubmittedUS, j.EndedUS) >= seen; {
		case j.ID < a.from || a.topic == "jobs" && !news && j.State.Final():
			continue
		case news && a.topic == "jobs":
			row, err := c.h.pages.part("jobs", "row", c.h.row(c.r.Context(), j, a.table))
			if err != nil {
				return nil, err
			}
			n := newChange(j)
			n.Row = row
			list = append(list, n)
		default:
			list = append(list, newChange(j))
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	slices.Reverse(list) // the newest last: it is put on top
	return event("jobs", list), nil
}

// alive is a sign of life with the time of the server, so that a page counts down
// by the clock that decides.
func (c *call) alive() []byte { return event("alive", map[string]int64{"now": c.h.now().UnixMilli()}) }

func (c *call) send(rc *http.ResponseController, text []byte) error {
	c.takesLong(writeWait)
	if _, err := c.w.Write(text); err != nil {
		return err
	}
	return rc.Flush()
}
