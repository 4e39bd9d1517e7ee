package web

import (
	"strconv"
)

// previewReply is what the script of the form gets: parts of the page to put in
// place.
type previewReply struct {
	Parts map[string]string `json:"parts"`
	Wrong map[string]string `json:"wrong"`
	Say   string            `json:"say"` // for those who do not see the page
	Seen  string            `json:"seen"`
}

// preview answers while somebody types.
func preview(c *call) error {
	c.session.asking.Lock()
	defer c.session.asking.Unlock()
	f, r := c.readRequest()
	var axis [2]int64
	for i, name := range []string{"axis-min", "axis-max"} {
		axis[i], _ = strconv.ParseInt(c.r.PostFormValue(name), 10, 64) // without a number there is none
	}
	if err := c.propose(f, &r); err != nil {
		return err
	}
	a, err := c.ask(c.r.Context(), f, r, axis)
	if err != nil {
		return err
	}
	v := &submitView{form: f, Answer: a}
	reply := previewReply{Parts: map[string]string{}, Wrong: f.Wrong}
	for _, name := range []string{"offer", "curve", "saving", "notes", "guess"} {
		if reply.Parts[name], err = c.h.pages.part("submit", name, v); err != nil {
			return err
		}
	}
	switch {
	case a.Quote != nil:
		reply.Seen = strconv.FormatInt(a.Quote.Price, 10)
		reply.Say = "Price " + moneyIn(a.Quote.Price, c.h.unit)
		switch s := a.Surely(); {
		case a.Later:
			reply.Say += " now, nothing is promised before it can begin"
		case s != "":
			reply.Say += ", " + s
		}
	case a.Refusal != nil:
		reply.Say = "Refused: " + a.Refusal.Detail
	}
	return c.json(reply)
}
