package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/wire"
)

// submitView is the page on which a job is handed in.
type submitView struct {
	*form
	Answer   *answer
	Key      string // makes the form count once
	Accounts []v1.Account

	Partitions []partitionChoice // where the market has several, the usual one first

	Home    string
	Like    int64 // the job that it was filled in from
	Said    string
	Refused bool // what the answer says was said to a submission, not to a question
}

// More reports whether the folded part of the form should be open.
func (v *submitView) More() bool { return v.more() }

// showSubmit is the empty form, or one filled in like another job.
func showSubmit(c *call) error {
	ctx := c.r.Context()
	v := &submitView{form: &form{Fields: map[string]string{"estimate": "10m", "deadline": "1h", "wish": "cheapest"}, Wrong: map[string]string{}}}
	if text := c.r.URL.Query().Get("like"); text != "" {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return errNotFound
		}
		j, err := c.job(id)
		if err != nil {
			return err
		}
		v.like(&j)
		v.Like = id
	} else {
		last, err := c.h.market.Jobs(ctx, v1.JobQuery{Owner: c.who.User, Limit: 1})
		if err != nil {
			return err
		}
		if len(last) > 0 {
			v.Fields["dir"] = last[0].Request.Dir
		}
	}
	var err error
	r := c.again(v.form)
	if err = c.propose(v.form, &r); err != nil {
		return err
	}
	if v.Answer, err = c.ask(ctx, v.form, r, [2]int64{}); err != nil {
		return err
	}
	return c.showForm(v)
}

// again makes a request of a form that did not come from a browser.
func (c *call) again(f *form) v1.Request {
	c.r.PostForm = url.Values{}
	for name, value := range f.Fields {
		c.r.PostForm.Set(name, value)
	}
	read, r := c.readRequest()
	f.Wrong, f.Notes = read.Wrong, read.Notes
	return r
}

func (c *call) showForm(v *submitView) error {
	v.Key = newSecret()
	if v.Home = v.Fields["dir"]; v.Home == "" {
		v.Home = c.h.options.Home(c.who.User)
	}
	var err error
	if v.Accounts, err = c.accounts(""); err != nil {
		return err
	}
	own, err := c.account("")
	if err != nil {
		return err
	}
	slices.SortStableFunc(v.Accounts, func(a, b v1.Account) int { // what pays unless another is chosen comes first
		switch {
		case a.Path == own && b.Path != own:
			return -1
		case b.Path == own && a.Path != own:
			return 1
		}
		return 0
	})
	v.Partitions = c.partitions()
	return c.page("submit", "Submit a job", "submit", v)
}

// submit hands the job in, or asks for its price, or takes an offer: the button
// says which.
func submit(c *call) error {
	f, r := c.readRequest()
	v := &submitView{form: f}
	offer, err := url.ParseQuery(c.r.PostFormValue("offer"))
	switch {
	case err != nil:
		return errNotFound
	case offer.Get("quote") != "" && !later(&r):
		return c.takeOffer(v, r, offer)
	case len(offer) > 0: // to a job that begins later none is kept: its terms are what it is asked with again
		f.use(offer)
		return c.askAgain(v)
	case c.r.PostFormValue("do") == "ask":
		return c.askAgain(v)
	}
	if err = c.propose(f, &r); err != nil {
		return err
	}
	if len(f.Wrong) == 0 {
		if err = wire.Validate(&r); err != nil && !f.fault(err) {
			return err
		}
	}
	if len(f.Wrong) > 0 {
		return c.askAgain(v)
	}
	if v.Said, err = c.moved(&r); err != nil {
		return err
	}
	if v.Said != "" {
		return c.askAgain(v)
	}
	o, err := c.do(trade.Command{Submit: wire.ToSubmit(&v1.SubmitRequest{Request: r})}, c.key(&r, ""))
	if err != nil {
		if f.fault(err) {
			return c.askAgain(v)
		}
		return err
	}
	return c.submitted(v, &r, o)
}

// submitted goes to the job, or says why there is none.
func (c *call) submitted(v *submitView, r *v1.Request, o api.Outcome) error {
	if o.Refusal == nil && o.Job != nil {
		return c.redirect("/jobs/" + strconv.FormatInt(o.Job.ID, 10))
	}
	if o.Refusal == nil {
		return errors.New("the market answered with an empty outcome")
	}
	// The curve is drawn as for a question; the refusal is the real one, because
	// its offers are kept for a minute.
	a, err := c.ask(c.r.Context(), v.form, *r, [2]int64{})
	if err != nil {
		return err
	}
	a.Blank = false
	a.fill(o, r)
	v.Answer, v.Refused = a, true
	return c.showForm(v)
}

// askAgain shows the form with what the market says to it now.
func (c *call) askAgain(v *submitView) error {
	wrong := v.Wrong
	r := c.again(v.form)
	for name, text := range wrong {
		if v.Wrong[name] == "" {
			v.Wrong[name] = text
		}
	}
	err := c.propose(v.form, &r)
	if err != nil {
		return err
	}
	if v.Answer, err = c.ask(c.r.Context(), v.form, r, [2]int64{}); err != nil {
		return err
	}
	return c.showForm(v)
}

// takeOffer submits on an offer that was made to this form. One that has expired
// is asked for again rather than taken at another price.
func (c *call) takeOffer(v *submitView, r v1.Request, offer url.Values) error {
	program := v1.Request{
		Name: r.Name, Argv: r.Argv, Script: r.Script, Dir: r.Dir, Env: r.Env, Output: r.Output, Error: r.Error,
		Overrun: r.Overrun, NoRestart: r.NoRestart, Tags: r.Tags, GraceMS: r.GraceMS, After: r.After, AfterAny: r.AfterAny, AfterFailed: r.AfterFailed, AfterBegun: r.AfterBegun, AfterEach: r.AfterEach, AfterElement: r.AfterElement,
	}
	id := offer.Get("quote")
	offer.Del("quote")
	o, err := c.do(trade.Command{Submit: wire.ToSubmit(&v1.SubmitRequest{Request: program, Quote: id})}, c.key(&program, id))
	v.use(offer)
	switch {
	case errors.Is(err, trade.ErrUnknown):
		v.Said = "That offer has expired. This is what the market says to the same terms now."
		return c.askAgain(v)
	case err != nil && v.fault(err):
		return c.askAgain(v)
	case err != nil:
		return err
	}
	return c.submitted(v, &r, o)
}

// moved says that the price is not what was shown, where nothing else limits it.
func (c *call) moved(r *v1.Request) (string, error) {
	seen, err := strconv.ParseInt(c.r.PostFormValue("seen"), 10, 64)
	if err != nil || r.Budget != nil || later(r) {
		return "", nil //nolint:nilerr // no price was shown
	}
	o, err := c.h.market.Preview(c.r.Context(), c.who, wire.ToRequest(r))
	if err != nil || o.Quote == nil || o.Quote.Price <= seen {
		return "", err
	}
	was, is := market.Apart(market.Money(seen), market.Money(o.Quote.Price))
	return fmt.Sprintf("The price has moved from %s to %s %s. Nothing has been submitted yet.", was, is, c.h.unit), nil
}

// key makes the same form, sent twice, one submission. What is asked is part of
// it, so a form that was changed is another.
func (c *call) key(r *v1.Request, quote string) api.Key {
	given := c.r.PostFormValue("key")
	if len(given) < 16 || len(given) > 64 {
		return api.Key{}
	}
	text, err := json.Marshal(r)
	if err != nil {
		return api.Key{}
	}
	sum := sha256.Sum256(append(text, quote...))
	return api.Key{Owner: c.who.User, Key: "page " + given + " " + hex.EncodeToString(sum[:8]), Digest: sum[:]}
}
