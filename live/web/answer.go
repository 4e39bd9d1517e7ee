package web

import (
	"context"
	"fmt"
	"html/template"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/wire"
)

// answer is what the market says to what is in the form.
type answer struct {
	Quote   *v1.Quote
	Refusal *v1.Refusal
	Offers  []offerView
	Curve   *curve
	Later   bool // it begins later, or after others: nothing is promised before, and the price is that of now
	Blank   bool // there is nothing to ask about yet
	NowUS   int64
	unit    string // that amounts are in
}

// offerView is a counter-offer as a button.
type offerView struct {
	v1.Offer
	Terms string // the value of the button
	Words string
}

// newOffer puts an offer beside what was asked.
func newOffer(o v1.Offer, asked *v1.Request, unit string) offerView {
	v, r := offerView{Offer: o, Terms: offerTerms(&o), Words: o.Detail}, &o.Quote.Request
	switch o.Change {
	case "deadline":
		v.Words = fmt.Sprintf("Deadline %s instead of %s", span(r.DeadlineMS), span(asked.DeadlineMS))
	case "budget":
		if r.Budget == nil || asked.Budget == nil {
			break
		}
		v.Words = fmt.Sprintf("Budget %s instead of %s", moneyIn(*r.Budget, unit), moneyIn(*asked.Budget, unit))
	case "processors":
		v.Words = fmt.Sprintf("%s instead of %d, %s on each", plural(r.Processors, "processor", "processors"), asked.Procs(), span(r.EstimateMS))
	}
	if o.Change != "budget" && r.Budget != nil && asked.Budget != nil && *r.Budget != *asked.Budget {
		v.Words += fmt.Sprintf(", budget %s instead of %s", moneyIn(*r.Budget, unit), moneyIn(*asked.Budget, unit))
	}
	return v
}

// sentence makes one of a detail. What begins with the name of an account is left alone.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	if word, _, _ := strings.Cut(text, " "); strings.Contains(word, "/") {
		return text + "."
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
func (c *call) ask(ctx context.Context, f *form, r v1.Request, axis [2]int64) (*answer, error) {
	a := &answer{NowUS: c.h.now().UnixMicro(), unit: c.h.unit}
	if r.EstimateMS == 0 || len(f.Wrong) > 0 {
		a.Blank = true
		return a, nil
	}
	if err := wire.ValidateTerms(&r); err != nil {
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
	o, err := c.h.market.Preview(ctx, c.who, wire.ToRequest(&r))
	if err != nil {
		return nil, err
	}
	a.fill(o, &r)
	a.Curve, err = c.newCurve(ctx, &r, axis)
	return a, err
}

// fill notes what the market answered.
func (a *answer) fill(o api.Outcome, asked *v1.Request) {
	a.Quote, a.Refusal, a.Offers, a.Later = o.Quote, o.Refusal, nil, later(asked) || asked.Follows()
	if o.Refusal != nil {
		for i := range o.Refusal.Offers {
			a.Offers = append(a.Offers, newOffer(o.Refusal.Offers[i], asked, a.unit))
		}
	}
}
