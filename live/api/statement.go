package api

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/live/wire"
)

// statement answers with what happened on an account in a period, as JSON or
// as a file for a spreadsheet (csv) or for cost tools (focus).
func statement(c *call) error {
	p, err := c.query()
	if err != nil {
		return err
	}
	format := p.choice("format", "json", "json", "csv", "focus")
	subtree := p.flag("subtree")
	period := p.period(c.h.options.Now())
	if p.err != nil {
		return p.err
	}
	account, err := c.account(p.text("account"))
	if err != nil {
		return err
	}
	if subtree {
		if err = c.maySeeBelow(account); err != nil {
			return err
		}
	}
	if format == "focus" {
		return c.focus(account, subtree, period)
	}
	s, err := c.h.accounts.Statement(c.r.Context(), account, subtree, period.Start, period.End)
	if err != nil {
		return err
	}
	if format == "json" {
		s.Lines = some(s.Lines)
		return c.answer(http.StatusOK, wire.Statement(&s))
	}
	var out bytes.Buffer
	if err := s.WriteCSV(&out); err != nil {
		return err
	}
	c.file("statement.csv", out.Bytes())
	return nil
}

func (c *call) focus(account string, subtree bool, period ledger.Period) error {
	used, err := c.h.accounts.Usage(c.r.Context(), account, period.Start, period.End)
	if err != nil {
		return err
	}
	if !subtree {
		used = slices.DeleteFunc(slices.Clone(used), func(u ledger.Usage) bool { return string(u.Account) != account })
	}
	var out bytes.Buffer
	if err := ledger.WriteFOCUS(&out, c.h.options.Seller, period, used); err != nil {
		return err
	}
	c.file("focus.csv", out.Bytes())
	return nil
}

// file writes a CSV file to be saved.
func (c *call) file(name string, text []byte) {
	c.w.Header()["Content-Disposition"] = []string{fmt.Sprintf("attachment; filename=%q", name)}
	c.raw(http.StatusOK, csvType, text)
}

var csvType = []string{"text/csv; charset=utf-8; header=present"}

// period reads month=2026-11, or from and to; without either it is the month
// that is under way. All is UTC.
func (q *query) period(now time.Time) ledger.Period {
	month, from, to := q.text("month"), q.text("from"), q.text("to")
	switch {
	case month != "" && (from != "" || to != ""):
		q.fail(badField("month", "it, or from and to"))
	case month != "":
		start, err := time.Parse("2006-01", month)
		if err != nil {
			q.fail(badField("month", "a month, such as 2026-11"))
			break
		}
		return ledger.MonthOf(start.UnixMicro())
	case from == "" && to == "":
		return ledger.MonthOf(now.UnixMicro())
	}
	p := ledger.Period{Start: q.instant("from", 0), End: q.instant("to", now.UnixMicro())}
	if q.err == nil && p.Start >= p.End {
		q.fail(badField("to", "a time after from"))
	}
	return p
}

// instant reads a time: a date, an RFC 3339 time, or unix microseconds.
func (q *query) instant(name string, otherwise int64) int64 {
	text := q.text(name)
	if text == "" {
		return otherwise
	}
	at, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		var t time.Time
		if t, err = time.Parse(time.DateOnly, text); err != nil {
			t, err = time.Parse(time.RFC3339Nano, text)
		}
		at = t.UnixMicro()
	}
	if err != nil || at < 0 || at > lastInstant {
		q.fail(badField(name, "a date (2026-11-01), a time (2026-11-01T12:00:00Z) or unix microseconds"))
	}
	return at
}

const lastInstant = 253_402_300_799_999_999 // the end of the year 9999
