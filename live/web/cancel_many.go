package web

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
)

// manyView is the question whether several jobs are to be cancelled: which, and what
// each is charged then.
type manyView struct {
	Jobs  []*jobView
	Total int64
	Ended int    // of those that were chosen, that had ended
	Back  string // the table they were chosen in
	Query string // of its address
}

// cancelJobs asks first, and cancels those that were chosen when somebody is sure.
func cancelJobs(c *call) error {
	chosen := c.r.PostForm["job"]
	if len(chosen) > rowsShown {
		return &trade.FieldError{Field: "job", Want: fmt.Sprintf("at most %d at a time", rowsShown)}
	}
	v := &manyView{Query: tableQuery(c.r.PostFormValue("back"))}
	v.Back = "jobs?" + v.Query
	asked := map[string]bool{}
	for _, text := range chosen {
		if asked[text] { // a job that is told twice is killed
			continue
		}
		asked[text] = true
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return errNotFound
		}
		j, err := c.job(id)
		if err != nil {
			return err
		}
		if j.State.Final() {
			v.Ended++
			continue
		}
		one := &jobView{rowView: *c.h.row(c.r.Context(), &j, false)}
		if one.Why, err = c.h.market.Explain(c.r.Context(), id); err != nil {
			return err
		}
		v.Jobs = append(v.Jobs, one)
		v.Total += one.IfCancelled()
	}
	if c.r.PostFormValue("sure") != "yes" {
		return c.page("cancel", "Cancel jobs", "jobs", v)
	}
	return c.cancelAll(v)
}

// cancelAll cancels them one by one, each in its turn among what its user asks of the
// market.
func (c *call) cancelAll(v *manyView) error {
	done, left := 0, 0
	for i := range v.Jobs {
		if i > 0 {
			c.visit.Leave()
			if err := c.turn(); err != nil {
				if _, over := tooMuch(err); !over {
					return err
				}
				left = len(v.Jobs) - i
				break
			}
		}
		_, err := c.do(trade.Command{Cancel: &trade.Cancel{Job: v.Jobs[i].ID}}, api.Key{})
		switch {
		case errors.Is(err, trade.ErrUnknown): // it has ended meanwhile
			v.Ended++
		case err != nil:
			return err
		default:
			done++
		}
	}
	q, err := url.ParseQuery(v.Query)
	if err != nil {
		return err
	}
	for name, n := range map[string]int{"cancelled": done, "ended": v.Ended, "left": left} {
		if n > 0 || name == "cancelled" {
			q.Set(name, strconv.Itoa(n))
		}
	}
	return c.redirect("/jobs?" + q.Encode())
}

// tableQuery is what of an address says which table it is.
func tableQuery(text string) string {
	given, err := url.ParseQuery(text)
	if err != nil {
		return ""
	}
	kept := url.Values{}
	for _, name := range []string{"state", "name", "whose", "sort", "page", "before"} {
		if value := given.Get(name); value != "" {
			kept.Set(name, value)
		}
	}
	return kept.Encode()
}

// saidOf is what became of those that were cancelled, by the address that it led to.
func saidOf(q url.Values) string {
	count := func(name string) int {
		n, err := strconv.Atoi(q.Get(name))
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	if !q.Has("cancelled") {
		return ""
	}
	text := plural(count("cancelled"), "job is", "jobs are") + " being cancelled."
	if n := count("ended"); n > 0 {
		text += " " + plural(n, "job had", "jobs had") + " ended before."
	}
	if n := count("left"); n > 0 {
		text += " " + plural(n, "job is", "jobs are") + " left as before: that was too much at a time. Try again in a moment."
	}
	return text
}
