package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
)

// A refusal is 422 (402 where money alone would help), says why to programs and
// to people, and what would be taken instead.
func TestRefusalsAreProblems(t *testing.T) {
	w := newWorld(t)
	for reason, c := range map[string]struct {
		kind   string
		status int
	}{
		"cannot_meet_resources": {"cannot-meet-resources", 422},
		"cannot_meet_deadline":  {"cannot-meet-deadline", 422},
		"cannot_meet_budget":    {"cannot-meet-budget", 422},
		"not_worth_it":          {"not-worth-it", 422},
		"not_admitted":          {"not-admitted", 422},
		"not_firm":              {"not-firm", 422},
		"insufficient_funds":    {"insufficient-funds", 402},
		"over_limit":            {"over-limit", 422},
		"dependency_failed":     {"dependency-failed", 422},
		"quote_expired":         {"quote-expired", 422},
		"draining":              {"draining", 422},
		"a_new_one":             {"refused", 422},
	} {
		for path, body := range map[string]any{
			"/v1/jobs":     submission(apitest.RefusePrefix + reason),
			"/v1/quotes":   v1.QuoteRequest{Request: job(apitest.RefusePrefix + reason)},
			"/v1/previews": v1.PreviewRequest{Request: job(apitest.RefusePrefix + reason)},
		} {
			a := w.ask("alice", "POST", path, body)
			p := a.problem(t)
			if a.status != c.status || p.Type != "/problems/"+c.kind || p.Reason != reason || p.ExitCode() != 3 || len(p.Offers) != 1 {
				t.Errorf("%s, %s: got %d %+v", path, reason, a.status, p)
			}
			if (p.Job != 0) != (path == "/v1/jobs") {
				t.Errorf("%s, %s: kept as job %d", path, reason, p.Job)
			}
		}
	}
}

func TestErrorsAreProblems(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		err    error
		status int
		kind   string
		exit   int
	}{
		{trade.ErrUnknown, 404, "not-found", 1},
		{trade.ErrForbidden, 404, "not-found", 1},
		{trade.ErrConflict, 409, "conflict", 1},
		{trade.ErrKeyReused, 422, "key-reused", 1},
		{trade.ErrUnavailable, 503, "unavailable", 1},
		{context.DeadlineExceeded, 503, "unavailable", 1},
		{&trade.FieldError{Field: "after", Want: "jobs"}, 400, "invalid-field", 2},
		{&ledger.Shortage{}, 402, "insufficient-funds", 3},
		{&ledger.OverLimit{}, 422, "over-limit", 3},
		{ledger.ErrPath, 400, "invalid-field", 2},
		{ledger.ErrClosed, 409, "conflict", 1},
		{market.ErrAmount, 400, "invalid-field", 2},
		{errors.New("disk on fire at /var/secret"), 500, "internal", 1},
	} {
		w.market.Fail(fmt.Errorf("while doing this: %w", c.err))
		a := w.ask("alice", "POST", "/v1/jobs", submission("x"))
		p := a.problem(t)
		if a.status != c.status || p.Type != "/problems/"+c.kind || p.ExitCode() != c.exit {
			t.Errorf("%v: got %d %+v, exit %d", c.err, a.status, p, p.ExitCode())
		}
		if (a.header.Get("Retry-After") != "") != (a.status == 503) {
			t.Errorf("%v: Retry-After is %q", c.err, a.header.Get("Retry-After"))
		}
	}
	w.market.Fail(errors.New("disk on fire at /var/secret"))
	if a := w.ask("alice", "GET", "/v1/prices", nil); strings.Contains(a.body, "fire") {
		t.Errorf("a stranger hears of %s", a.body)
	}
	if !strings.Contains(w.log.String(), "disk on fire") {
		t.Error("the log does not say what happened")
	}
}

// Every problem explains itself.
func TestProblemsAreExplained(t *testing.T) {
	w := newWorld(t)
	for name, status := range api.ProblemNames() {
		a := w.ask("", "GET", "/problems/"+name, nil)
		if a.status != 200 || !strings.Contains(a.body, fmt.Sprint(status)) || len(a.body) < 80 {
			t.Errorf("%s: got %d %s", name, a.status, a.body)
		}
		if kind := a.header.Get("Content-Type"); kind != "text/plain; charset=utf-8" {
			t.Errorf("%s is %s", name, kind)
		}
	}
}

// Every reason for which the market refuses at the door has a type of its own.
func TestEveryReasonHasItsProblem(t *testing.T) {
	later := map[string]bool{"": true, "node_lost": true, "by_user": true, "out_of_patience": true} // ends, not refusals
	for _, reason := range reasons() {
		name := strings.ReplaceAll(reason, "_", "-")
		if _, ok := api.ProblemNames()[name]; ok == later[reason] {
			t.Errorf("%q: it is a problem: %v", reason, ok)
		}
	}
}

// reasons lists the reasons of the core up to the first that it has no word for.
func reasons() (list []string) {
	defer func() { _ = recover() }()
	for r := market.NoReason; ; r++ {
		list = append(list, r.String())
	}
}

func TestAPanicIsAProblem(t *testing.T) {
	w := newWorld(t)
	a := w.ask("alice", "POST", "/v1/jobs", submission(apitest.PanicName))
	if p := a.problem(t); a.status != 500 || strings.Contains(p.Detail, "breaks") {
		t.Errorf("got %d %+v", a.status, p)
	}
	if log := w.log.String(); !strings.Contains(log, "this job breaks the market") || !strings.Contains(log, "market.go") {
		t.Errorf("the log does not say what happened: %s", log)
	}
	if a := w.ask("alice", "GET", "/healthz", nil); a.status != 200 {
		t.Errorf("then: got %d", a.status)
	}
}

func TestHealthTellsStrangersNothing(t *testing.T) {
	w := newWorld(t)
	if a := w.ask("", "GET", "/healthz", nil); a.status != http.StatusOK || strings.TrimSpace(a.body) != `{"status":"ok"}` {
		t.Errorf("got %d %s", a.status, a.body)
	}
	w.market.Fail(errors.New("store at db.internal is gone"))
	for path, status := range map[string]int{"/healthz": http.StatusServiceUnavailable, "/readyz": http.StatusServiceUnavailable, "/livez": http.StatusOK} {
		if a := w.ask("", "GET", path, nil); a.status != status || strings.Contains(a.body, "db.internal") || strings.Contains(a.body, `"ready":true`) {
			t.Errorf("%s: got %d %s", path, a.status, a.body)
		}
	}
	w.market.Fail(fmt.Errorf("db.internal: %w", &trade.Closed{Why: "the database does not answer"}))
	for _, path := range []string{"/healthz", "/livez"} {
		if a := w.ask("", "GET", path, nil); strings.Contains(a.body, "db.internal") || !strings.Contains(a.body, "the database does not answer") {
			t.Errorf("%s does not say why, or more than that: %s", path, a.body)
		}
	}
}
