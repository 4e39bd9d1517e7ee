package web

import (
	"embed"
	"fmt"
	"html/template"
	"path"
	"strings"
	"time"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

//go:embed pages
var pageFiles embed.FS

// pages are the templates by name. Each is the layout, the parts that several share,
// and a file of its own.
type pages map[string]*template.Template

// pagesIn are the pages with amounts in a unit.
func pagesIn(unit string) pages {
	list, err := pageFiles.ReadDir("pages")
	if err != nil {
		panic(err) // they are in the program
	}
	all := pages{}
	amounts := template.FuncMap{
		"unit":   func() string { return unit },
		"rate":   func(micros int64) string { return exactly(float64(micros)) + "\u00a0" + unit }, // two decimals of what a second costs say nothing
		"money":  func(micros any) string { return moneyIn(microsOf(micros), unit) },
		"signed": func(micros int64) string { return signedMoney(micros) + "\u00a0" + unit },
	}
	for _, entry := range list {
		name := strings.TrimSuffix(path.Base(entry.Name()), ".html")
		if name == "layout" || name == "parts" {
			continue
		}
		all[name] = template.Must(template.New(name).Funcs(functions).Funcs(amounts).ParseFS(pageFiles,
			"pages/layout.html", "pages/parts.html", "pages/"+entry.Name()))
	}
	return all
}

var functions = template.FuncMap{
	"asset":    assetURL,
	"exact":    func(micros int64) string { return market.Money(micros).Exact() },
	"span":     span,
	"percent":  percent,
	"count":    func(n int64) string { return thousands(n) },
	"when":     when,
	"asof":     asof,
	"plural":   plural,
	"label":    stateLabel[string],
	"tone":     stateTone,
	"reason":   reasonLabel,
	"join":     strings.Join,
	"sentence": sentence,
	"add":      func(a, b int) int { return a + b },
	"field":    newField,
	"lever": func(l lever, can bool) any {
		return struct {
			lever
			Can bool
		}{l, can}
	},
}

// fieldView is one line of a form.
type fieldView struct{ Name, Label, Hint, Placeholder, Value, Wrong string }

func newField(v *submitView, name, label, hint, placeholder string) fieldView {
	return fieldView{name, label, hint, placeholder, v.Fields[name], v.Wrong[name]}
}

// frame is what every page has around what it shows.
type frame struct {
	Title string
	Base  string // that addresses are relative to: the session's
	Here  string // address of this page
	At    string // which part of the site this is
	Who   trade.Identity
	SignedIn,
	Owner bool
	CSRF    string
	Carry   string // key for the next start, if there is one
	Door    string // where that is asked for
	Account string
	Free    int64 // of the caller's account
	NowUS   int64
	Clock   string // what is wrong with it, if anything is
	Body    any
}

func (c *call) frame(title, at string, body any) (*frame, error) {
	f := &frame{Title: title, Base: c.base(), Here: c.base() + strings.TrimPrefix(c.r.URL.RequestURI(), "/"), At: at, Body: body, NowUS: c.h.now().UnixMicro(), Clock: clockNote(c.h.options.Ahead())}
	if c.session == nil {
		return f, nil
	}
	f.SignedIn, f.Who, f.Owner, f.CSRF = true, c.who, c.everybody(), stamp(c.secret)
	if c.h.carriesOver() {
		f.Carry, f.Door = c.session.carry, c.h.options.Door
	}
	ctx := c.r.Context()
	account, err := c.h.market.AccountOf(ctx, c.who.User)
	if err != nil {
		return f, nil //nolint:nilerr // a page that says what is wrong needs its frame too
	}
	f.Account = account
	if account == "" {
		return f, nil
	}
	if list, err := c.h.market.Accounts(ctx, account); err == nil {
		for i := range list {
			if list[i].Path == account {
				f.Free = list[i].Free
			}
		}
	}
	return f, nil
}

// clockNote says that the time of day was set on the market's machine, until the
// market's time is that of the day again.
func clockNote(ahead time.Duration) string {
	switch {
	case ahead > time.Second:
		return fmt.Sprintf("The clock of the market's machine was set back. The times here are %s ahead of it, and come to agree with it little by little; deadlines and prices are not touched.", market.Span(ahead.Round(time.Second).Milliseconds()))
	case ahead < -time.Second:
		return fmt.Sprintf("The clock of the market's machine was set forward. The times here are %s behind it, and come to agree with it little by little; deadlines and prices are not touched.", market.Span(-ahead.Round(time.Second).Milliseconds()))
	}
	return ""
}

// part renders one named part of a page, for those who already show the rest.
func (p pages) part(page, name string, data any) (string, error) {
	out, err := render(p[page], name, data)
	return string(out), err
}
