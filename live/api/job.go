package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/wire"
)

const (
	defaultPage = 100
	maxPage     = 500
)

// errEmpty says that a Market answered neither yes nor no.
var errEmpty = errors.New("the market answered with an empty outcome")

func submit(c *call) error {
	var want v1.SubmitRequest
	if err := c.decode(&want); err != nil {
		return err
	}
	switch {
	case want.Quote == "":
		if err := wire.Validate(&want.Request); err != nil {
			return err
		}
	case !validID(want.Quote):
		return notFound("quote " + short(want.Quote))
	}
	if err := c.mayPay(&want.Request.Account); err != nil {
		return err
	}
	o, err := c.do(trade.Command{Submit: wire.ToSubmit(&want)})
	if err != nil {
		return err
	}
	if o.Job == nil {
		return errEmpty
	}
	// Who sent the script has it; the outcome may be shared, so a copy goes out.
	job := *o.Job
	job.Request.Script = ""
	c.w.Header()["Location"] = []string{"/v1/jobs/" + strconv.FormatInt(job.ID, 10)}
	return c.answer(http.StatusCreated, &job)
}

func listJobs(c *call) error {
	p, err := c.query()
	if err != nil {
		return err
	}
	q := v1.JobQuery{Owner: p.text("owner"), Name: p.text("name"), Account: p.text("account")}
	q.Limit = int(p.number("limit", defaultPage, 1, maxPage))
	q.Before = p.number("before", 0, 0, 1<<62)
	q.Batch = p.number("batch", 0, 0, 1<<62)
	counts := p.flag("counts")
	if p.err != nil {
		return p.err
	}
	if q.States, err = states(p.text("state")); err != nil {
		return err
	}
	if q.Account != "" && !validAccount(q.Account) {
		return badField("account", "the path of an account")
	}
	if !c.owner() {
		if q.Owner != "" && q.Owner != c.who.User {
			return notFound("user " + short(q.Owner))
		}
		q.Owner = c.who.User
	}
	page := v1.JobPage{}
	q.Limit++ // one more shows whether there are more
	if page.Jobs, err = c.h.jobs.Jobs(c.r.Context(), q); err != nil {
		return err
	}
	page.Jobs = some(page.Jobs)
	if len(page.Jobs) >= q.Limit {
		page.Jobs = page.Jobs[:q.Limit-1]
		page.Next = page.Jobs[len(page.Jobs)-1].ID
		c.next("before", page.Next)
	}
	if counts {
		if page.Counts, err = c.h.jobs.CountJobs(c.r.Context(), q.Owner); err != nil {
			return err
		}
	}
	return c.answer(http.StatusOK, &page)
}

// next says in a Link header where the list goes on.
func (c *call) next(cursor string, at int64) {
	values, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return // it was read before, so this does not happen
	}
	values.Set(cursor, strconv.FormatInt(at, 10))
	c.w.Header().Set("Link", fmt.Sprintf(`<%s?%s>; rel="next"`, c.r.URL.Path, values.Encode()))
}

// states reads states with commas between them. "live" is all that have not
// ended, "ended" is all others.
func states(text string) ([]v1.State, error) {
	if text == "" {
		return nil, nil
	}
	var out []v1.State
	for word := range strings.SplitSeq(text, ",") {
		n := len(out)
		for _, s := range v1.States() {
			if word == string(s) || word == "live" && !s.Final() || word == "ended" && s.Final() {
				out = append(out, s)
			}
		}
		if len(out) == n {
			return nil, badField("state", "states of a job with commas between them, or live, or ended")
		}
	}
	return out, nil
}

func readJob(c *call) error {
	job, err := c.ownJob()
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, &job)
}

// ownJob is the job of the path, if it is the caller's.
func (c *call) ownJob() (v1.Job, error) {
	id, err := c.id()
	if err != nil {
		return v1.Job{}, err
	}
	job, err := c.h.jobs.Job(c.r.Context(), id)
	if err == nil && !c.mine(job.Owner) {
		err = notFound("job " + strconv.FormatInt(id, 10))
	}
	return job, err
}

func cancelJob(c *call) error {
	return c.tellJob(func(id int64) trade.Command { return trade.Command{Cancel: &trade.Cancel{Job: id}} })
}

func releaseJob(c *call) error {
	return c.tellJob(func(id int64) trade.Command { return trade.Command{Begin: &trade.Begin{Job: id}} })
}

// tellJob has the market do something with a job that is under way.
func (c *call) tellJob(what func(id int64) trade.Command) error {
	if err := c.decodeNone(); err != nil {
		return err
	}
	job, err := c.ownJob()
	if err != nil {
		return err
	}
	o, err := c.do(what(job.ID))
	if errors.Is(err, trade.ErrUnknown) {
		// It is there, so it has ended: the market floor forgets those.
		return fmt.Errorf("%w: job %d has ended", trade.ErrConflict, job.ID)
	}
	if err != nil {
		return err
	}
	if o.Job != nil {
		job = *o.Job
	}
	job.Request.Script = ""
	return c.answer(http.StatusOK, &job)
}

func voidJob(c *call) error {
	var want v1.VoidRequest
	if err := c.decode(&want); err != nil {
		return err
	}
	job, err := c.ownJob()
	if err != nil {
		return err
	}
	o, err := c.do(trade.Command{Void: &trade.Void{Job: job.ID, Reason: want.Reason}})
	switch {
	case errors.Is(err, trade.ErrUnknown) && job.Reason == v1.ReasonVoided: // asked twice: it is as it was to be
	case errors.Is(err, trade.ErrUnknown):
		return fmt.Errorf("%w: job %d has ended, there is nothing left to void", trade.ErrConflict, job.ID)
	case err != nil:
		return err
	case o.Job != nil:
		job = *o.Job
	}
	job.Request.Script = ""
	return c.answer(http.StatusOK, &job)
}

func explain(c *call) error {
	job, err := c.ownJob()
	if err != nil {
		return err
	}
	e, err := c.h.jobs.Explain(c.r.Context(), job.ID)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, &e)
}

func receipt(c *call) error {
	job, err := c.ownJob()
	if err != nil {
		return err
	}
	if job.Receipt == nil {
		return &fault{kind: kindNotFound, detail: fmt.Sprintf("job %d is %s: it has no receipt", job.ID, job.State.Word())}
	}
	return c.answer(http.StatusOK, job.Receipt)
}
