package api

import (
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
)

// The routes that ask nobody who they are.

func healthz(c *call) error {
	if err := c.h.health.Healthy(c.r.Context()); err != nil {
		return c.ill(err)
	}
	return c.answer(http.StatusOK, v1.Health{Status: "ok"})
}

// readyz is healthz here: who waits for the lead is in the lobby.
func readyz(c *call) error {
	if err := c.h.health.Healthy(c.r.Context()); err != nil {
		return c.ill(err)
	}
	return c.answer(http.StatusOK, c.stand(nil))
}

func livez(c *call) error {
	return c.answer(http.StatusOK, c.stand(c.h.health.Healthy(c.r.Context())))
}

// stand is how a controller stands that leads.
func (c *call) stand(ill error) v1.Standing {
	h := v1.Standing{Status: "ok", Alive: true, Ready: true, Leading: true, Term: c.h.options.Term, Reason: c.h.options.Notice()}
	if ill != nil {
		h.Status, h.Ready, h.Reason = "closed", false, closedFor(ill)
	}
	return h
}

// ill says as much of why as anybody may know; the rest is for the log.
func (c *call) ill(err error) error {
	c.h.options.Log.WarnContext(c.r.Context(), "not healthy", "error", redact(err.Error()))
	if why, ok := errors.AsType[*trade.Closed](err); ok {
		return why
	}
	return fmt.Errorf("%w: not healthy", trade.ErrUnavailable)
}

// By hand: it is made from the table of routes and the Go types by a test, so it
// cannot say what the code does not do; generators want annotations, or own the code.
//
//go:embed openapi.json
var openAPI []byte

func describe(c *call) error {
	c.w.Header()["Cache-Control"] = briefly
	c.raw(http.StatusOK, jsonType, openAPI)
	return nil
}

var briefly = []string{"public, max-age=300"}

// explainProblem says in words what a type of problem means.
func explainProblem(c *call) error {
	k := kindOfName(c.r.PathValue("name"))
	if k == nil {
		return notFound("this problem")
	}
	var b strings.Builder
	p := k.problem("")
	fmt.Fprintf(&b, "%s\n\n%s\n\nHTTP status %d, exit code %d of commands.\n", k.title, k.text, k.status, p.ExitCode())
	if k.reason != "" {
		fmt.Fprintf(&b, "The reason is %q: a refusal by the market, not a mistake.\n", k.reason)
	}
	c.w.Header()["Cache-Control"] = briefly
	c.raw(http.StatusOK, textType, []byte(b.String()))
	return nil
}
