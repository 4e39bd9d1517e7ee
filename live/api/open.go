package api

import (
	_ "embed"
	"fmt"
	"net/http"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
)

// The routes that ask nobody who they are.

func healthz(c *call) error {
	if err := c.h.health.Healthy(c.r.Context()); err != nil {
		// Why is for the log: anybody may ask here.
		c.h.options.Log.WarnContext(c.r.Context(), "not healthy", "error", redact(err.Error()))
		return fmt.Errorf("%w: not healthy", trade.ErrUnavailable)
	}
	return c.answer(http.StatusOK, v1.Health{Status: "ok"})
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
