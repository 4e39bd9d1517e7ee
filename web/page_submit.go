package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"libra/api"
	"libra/exchange"
	"libra/market"
)

// submitView is the page on which a job is handed in.
type submitView struct {
	*form
	Answer   *answer
	Key      string // makes the form count once
	Accounts []exchange.Account
	Home     string
	Like     int64 // the job that it was filled in from
	Said     string
	Refused  bool // what the answer says was said to a submission, not to a question
}

// More reports whether the folded part of the form should be open.
func (v *submitView) More() bool { return v.more() }

// answer is what the market says to what is in the form.
type answer struct {
	Quote   *exchange.Quote
	Refusal *exchange.Refusal
	Offers  []offerView
	Curve   *curve
	Blank   bool // there is nothing to ask about yet
	NowUS   int64
}

// offerView is a counter-offer as a button.
type offerView struct {
	exchange.Offer
	Terms string // the value of the button
	Words string
}

// newOffer puts an offer beside what was asked.
func newOffer(o exchange.Offer, asked *exchange.Request) offerView {
	v, r := offerView{Offer: o, Terms: offerTerms(&o), Words: o.Detail}, &o.Quote.Request
	switch o.Change {
	case "deadline":
		v.Words = fmt.Sprintf("Deadline %s instead of %s", span(r.DeadlineMS), span(asked.DeadlineMS))
	case "budget":
		if r.Budget == nil || asked.Budget == nil {
			break
		}
		v.Words = fmt.Sprintf("Budget %s instead of %s", money(*r.Budget), money(*asked.Budget))
	case "processors":
		v.Words = fmt.Sprintf("%s instead of %d, %s on each", plural(r.Processors, "processor", "processors"), max(1, asked.Processors), span(r.EstimateMS))
	}
	if o.Change != "budget" && r.Budget != nil && asked.Budget != nil && *r.Budget != *asked.Budget {
		v.Words += fmt.Sprintf(", budget %s instead of %s", money(*r.Budget), money(*asked.Budget))
	}
	return v
}

// sentence makes one of a detail.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// Surely says how sure the deadline is.
func (a *answer) Surely() string {
	switch o := a.Quote.Odds; {
	case a.Quote.Request.DeadlineMS == 0:
		return ""
	case o >= 0.995:
		return "more than 99\u2009% sure"
	default:
		return fmt.Sprintf("%.0f\u2009%% sure", o*100)
	}
}

// AheadMS is by how much the job is expected before it has to be done.
func (a *answer) AheadMS() int64 {
	if a.Quote.PredictedUS == 0 || a.Quote.FinishUS == 0 {
		return 0
	}
	return (a.Quote.FinishUS - a.Quote.PredictedUS) / 1000
}

// Drawn is the curve as a drawing.
func (a *answer) Drawn() template.HTML {
	if a == nil || a.Curve == nil {
		return ""
	}
	return a.Curve.SVG()
}

// ask puts the request to the market: its price, or why not, and the curve.
func (c *call) ask(ctx context.Context, f *form, r exchange.Request, axis [2]int64) (*answer, error) {
	a := &answer{NowUS: c.h.now().UnixMicro()}
	if r.EstimateMS == 0 || len(f.Wrong) > 0 {
		a.Blank = true
		return a, nil
	}
	if err := r.ValidateTerms(); err != nil {
		if f.fault(err) {
			a.Blank = true
			return a, nil
		}
		return nil, err
	}
	if r.Account != "" {
		if _, err := c.account(r.Account); err != nil {
			f.Wrong["account"] = "An account of yours"
			a.Blank = true
			return a, nil //nolint:nilerr // said beside the field
		}
	}
	r.Script, r.Argv = "", nil // what it runs does not change what it costs
	o, err := c.h.market.Preview(ctx, c.who, r)
	if err != nil {
		return nil, err
	}
	a.take(o, &r)
	a.Curve, err = c.newCurve(ctx, &r, axis)
	return a, err
}

// take notes what the market answered.
func (a *answer) take(o exchange.Outcome, asked *exchange.Request) {
	a.Quote, a.Refusal, a.Offers = o.Quote, o.Refusal, nil
	if o.Refusal != nil {
		for i := range o.Refusal.Offers {
			a.Offers = append(a.Offers, newOffer(o.Refusal.Offers[i], asked))
		}
	}
}

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
		last, err := c.h.market.Jobs(ctx, api.JobQuery{Owner: c.who.User, Limit: 1})
		if err != nil {
			return err
		}
		if len(last) > 0 {
			v.Fields["dir"] = last[0].Request.Dir
		}
	}
	var err error
	if v.Answer, err = c.ask(ctx, v.form, c.again(v.form), [2]int64{}); err != nil {
		return err
	}
	return c.showForm(v)
}

// again makes a request of a form that did not come from a browser.
func (c *call) again(f *form) exchange.Request {
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
	own, err := c.h.market.AccountOf(c.r.Context(), c.who.User)
	if err != nil {
		return err
	}
	if v.Accounts, err = c.h.market.Accounts(c.r.Context(), own); err != nil {
		return err
	}
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
	case offer.Get("quote") != "":
		return c.takeOffer(v, r, offer)
	case len(offer) > 0:
		f.use(offer)
		return c.askAgain(v)
	case c.r.PostFormValue("do") == "ask":
		return c.askAgain(v)
	}
	if len(f.Wrong) == 0 {
		if err := r.Validate(); err != nil && !f.fault(err) {
			return err
		}
	}
	if len(f.Wrong) > 0 {
		return c.askAgain(v)
	}
	if moved, err := c.moved(&r); err != nil {
		return err
	} else if moved != "" {
		v.Said = moved
		return c.askAgain(v)
	}
	o, err := c.do(exchange.Command{Submit: &exchange.Submit{Request: r}}, c.key(&r, ""))
	if err != nil {
		if f.fault(err) {
			return c.askAgain(v)
		}
		return err
	}
	return c.submitted(v, &r, o)
}

// submitted goes to the job, or says why there is none.
func (c *call) submitted(v *submitView, r *exchange.Request, o exchange.Outcome) error {
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
	a.take(o, r)
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
	var err error
	if v.Answer, err = c.ask(c.r.Context(), v.form, r, [2]int64{}); err != nil {
		return err
	}
	return c.showForm(v)
}

// takeOffer submits on an offer that was made to this form. One that has expired
// is asked for again rather than taken at another price.
func (c *call) takeOffer(v *submitView, r exchange.Request, offer url.Values) error {
	program := exchange.Request{
		Name: r.Name, Argv: r.Argv, Script: r.Script, Dir: r.Dir, Env: r.Env, Output: r.Output, Error: r.Error,
		Overrun: r.Overrun, NoRestart: r.NoRestart, Tags: r.Tags, GraceMS: r.GraceMS, After: r.After,
	}
	id := offer.Get("quote")
	offer.Del("quote")
	o, err := c.do(exchange.Command{Submit: &exchange.Submit{Request: program, Quote: id}}, c.key(&program, id))
	v.use(offer)
	switch {
	case errors.Is(err, exchange.ErrUnknown):
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
func (c *call) moved(r *exchange.Request) (string, error) {
	seen, err := strconv.ParseInt(c.r.PostFormValue("seen"), 10, 64)
	if err != nil || r.Budget != nil {
		return "", nil //nolint:nilerr // no price was shown
	}
	o, err := c.h.market.Preview(c.r.Context(), c.who, *r)
	if err != nil || o.Quote == nil || o.Quote.Price <= seen {
		return "", err
	}
	return fmt.Sprintf("The price has moved from %s to %s. Nothing has been submitted yet.",
		market.Money(seen), market.Money(o.Quote.Price)), nil
}

// key makes the same form, sent twice, one submission. What is asked is part of
// it, so a form that was changed is another.
func (c *call) key(r *exchange.Request, quote string) api.Key {
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

// previewReply is what the script of the form hears: parts of the page to put in
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
	a, err := c.ask(c.r.Context(), f, r, axis)
	if err != nil {
		return err
	}
	v := &submitView{form: f, Answer: a}
	reply := previewReply{Parts: map[string]string{}, Wrong: f.Wrong}
	for _, name := range []string{"offer", "curve", "saving", "notes"} {
		if reply.Parts[name], err = part("submit", name, v); err != nil {
			return err
		}
	}
	switch {
	case a.Quote != nil:
		reply.Seen = strconv.FormatInt(a.Quote.Price, 10)
		reply.Say = "Price " + money(a.Quote.Price)
		if s := a.Surely(); s != "" {
			reply.Say += ", " + s
		}
	case a.Refusal != nil:
		reply.Say = "Refused: " + a.Refusal.Detail
	}
	return c.json(reply)
}

// json answers a script.
func (c *call) json(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.raw(http.StatusOK, "application/json", text)
	return nil
}
