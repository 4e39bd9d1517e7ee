package web

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
)

// linesShown is how many lines of a statement a page has.
const linesShown = 100

// accountView is an account and what moved on it in a month.
type accountView struct {
	Path      string
	Own       string
	User      string // who has none
	Account   v1.Account
	Open      bool
	Below     []v1.Account
	Month     string // 2026-11
	Label     string // November 2026
	Earlier   string // address of the month before
	Later     string
	Statement ledger.Statement
	Lines     []lineView
	Page      int
	Pages     int
	PageURL   func(int) string
	Export    string // query for the files
	In, Out   int64
	Holds     []v1.Job // jobs under way for which something is held
}

// lineView is a line of a statement.
type lineView struct {
	ledger.Line
	HasJob bool
	Micros int64
	After  int64
}

// Label says what moved.
func (l lineView) Label() string {
	if l.Kind == ledger.KindPenalty {
		return "penalty paid back"
	}
	return l.Kind.Label()
}

// month is the month that was asked for, or the one that is under way.
func (c *call) month() (time.Time, error) {
	text := c.r.URL.Query().Get("month")
	if text == "" {
		now := c.h.now().UTC()
		return time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC), nil
	}
	at, err := time.Parse("2006-01", text)
	if err != nil || at.Year() < 1970 || at.Year() > 9998 {
		return at, errNotFound
	}
	return at, nil
}

func showAccount(c *call) error {
	q := c.r.URL.Query()
	path, err := c.account(q.Get("path"))
	if err != nil {
		return err
	}
	month, err := c.month()
	if err != nil {
		return err
	}
	v := &accountView{Path: path, Month: month.Format("2006-01"), Label: month.Format("January 2006")}
	if v.Own, err = c.account(""); err != nil {
		return err
	}
	if path == "" { // bound to none: "" would be everybody's
		v.User = c.who.User
		return c.page("account", "Account", "account", v)
	}
	list, err := c.accounts(path)
	if err != nil {
		return err
	}
	for i := range list {
		if list[i].Path == path {
			v.Account, v.Open = list[i], true
		} else {
			v.Below = append(v.Below, list[i])
		}
	}
	if v.Account.Held > 0 {
		if err = c.holds(v); err != nil {
			return err
		}
	}
	period := ledger.MonthOf(month.UnixMicro())
	if v.Statement, err = c.h.market.Statement(c.r.Context(), path, false, period.Start, period.End); err != nil {
		return err
	}
	address := func(change url.Values) string {
		if path != v.Own {
			change.Set("path", path)
		}
		return "account?" + change.Encode()
	}
	v.Earlier = address(url.Values{"month": {month.AddDate(0, -1, 0).Format("2006-01")}})
	if later := month.AddDate(0, 1, 0); !later.After(c.h.now().UTC()) {
		v.Later = address(url.Values{"month": {later.Format("2006-01")}})
	}
	v.PageURL = func(n int) string {
		return address(url.Values{"month": {v.Month}, "page": {strconv.Itoa(n)}})
	}
	export := url.Values{"month": {v.Month}, "path": {path}}
	v.Export = export.Encode()
	v.paginate(q.Get("page"))
	return c.page("account", "Account", "account", v)
}

// holdsShown is how many jobs are named for which something is held.
const holdsShown = 20

// holds finds the jobs for which something is held.
func (c *call) holds(v *accountView) error {
	jobs, err := c.h.market.Jobs(c.r.Context(), v1.JobQuery{Account: v.Path, States: filters[1].States, Limit: 2 * holdsShown})
	if err != nil {
		return err
	}
	for i := range jobs {
		if jobs[i].Held > 0 && jobs[i].Account == v.Path && may(c.who, belongings{user: jobs[i].Owner}) && len(v.Holds) < holdsShown {
			v.Holds = append(v.Holds, jobs[i])
		}
	}
	return nil
}

// paginate takes a page of the lines, the latest first.
func (v *accountView) paginate(page string) {
	lines := v.Statement.Lines
	for i := range lines {
		if lines[i].Amount > 0 {
			v.In += int64(lines[i].Amount)
		} else {
			v.Out += int64(lines[i].Amount)
		}
	}
	v.Pages = max(1, (len(lines)+linesShown-1)/linesShown)
	n, err := strconv.Atoi(page)
	if err != nil {
		n = 1
	}
	v.Page = min(max(1, n), v.Pages)
	last := len(lines) - (v.Page-1)*linesShown
	for i := last - 1; i >= max(0, last-linesShown); i-- {
		v.Lines = append(v.Lines, lineView{lines[i], lines[i].Job != ledger.NoJob, int64(lines[i].Amount), int64(lines[i].Balance)})
	}
}

// Opening is what the account owned at the start of the month.
func (v *accountView) Opening() int64 { return int64(v.Statement.Opening) }

// Closing is what it owned at the end, or owns now.
func (v *accountView) Closing() int64 { return int64(v.Statement.Closing) }

// exportStatement is the statement as a file for a spreadsheet.
func exportStatement(c *call) error {
	path, period, err := c.exported()
	if err != nil {
		return err
	}
	s, err := c.h.market.Statement(c.r.Context(), path, false, period.Start, period.End)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := s.WriteCSV(&out); err != nil {
		return err
	}
	c.file("statement.csv", out.Bytes())
	return nil
}

// exportFocus is the same month as a bill in the FOCUS format.
func exportFocus(c *call) error {
	path, period, err := c.exported()
	if err != nil {
		return err
	}
	used, err := c.h.market.Usage(c.r.Context(), path, period.Start, period.End)
	if err != nil {
		return err
	}
	used = slices.DeleteFunc(slices.Clone(used), func(u ledger.Usage) bool { return u.Account != market.Account(path) })
	var out bytes.Buffer
	if err := ledger.WriteFOCUS(&out, c.h.options.Seller, period, used); err != nil {
		return err
	}
	c.file("focus.csv", out.Bytes())
	return nil
}

func (c *call) exported() (path string, period ledger.Period, err error) {
	if path, err = c.account(c.r.URL.Query().Get("path")); err != nil {
		return "", period, err
	}
	if path == "" {
		return "", period, errNotFound
	}
	month, err := c.month()
	return path, ledger.MonthOf(month.UnixMicro()), err
}

func (c *call) file(name string, text []byte) {
	c.w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	c.raw(http.StatusOK, "text/csv; charset=utf-8; header=present", text)
}
