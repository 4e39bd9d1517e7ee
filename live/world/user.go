package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/libra-market/libra/client"
	v1 "github.com/libra-market/libra/client/v1"
)

// outcome is what a user heard of a deed.
type outcome struct {
	deed    int
	asked   time.Duration // when it was first asked for
	at      time.Duration // when it was heard
	job     int64         // acknowledged; -1: none
	refused bool
	amount  int64 // sent
}

// tries is how often a user asks again before they give up.
const tries = 40

// insist asks until there is an answer: what was lost on the way is asked again, under
// the same key. It returns the last error.
func (w *World) insist(what string, ask func(context.Context) error) error {
	var err error
	for try := range int64(tries) {
		ctx, cancel := context.WithTimeout(w.alive, 30*time.Second)
		err = ask(ctx)
		cancel()
		var p *v1.Problem
		if err == nil || w.alive.Err() != nil {
			return err
		}
		if errors.As(err, &p) {
			switch p.Status {
			case http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusBadGateway:
			case http.StatusInternalServerError:
				w.fail("%s: %v", what, err)
				return err
			default:
				return err
			}
		}
		if !sleep(w.alive, between(w.chance("again "+what, try), 200*time.Millisecond, 4*time.Second)) {
			return w.alive.Err()
		}
	}
	w.note("%s: given up: %v", what, err)
	return err
}

// act does a deed.
func (w *World) act(i int) {
	d := &w.day.Deeds[i]
	if d.Kind == nothing || !sleep(w.alive, d.At) {
		return
	}
	c := w.client(d.User, deskOf(i))
	what := fmt.Sprintf("deed %d (%s)", i, d.Kind)
	key := func(ctx context.Context, n string) context.Context {
		return client.WithKey(ctx, fmt.Sprintf("deed-%d-%s", i, n))
	}
	o := outcome{deed: i, job: -1, asked: w.at()}
	quote := ""
	switch d.Kind {
	case absurd:
		w.pester(i, what)
		return
	case sends:
		amount := w.amountOf(i)
		to := users[w.chance("to", int64(i)).IntN(len(users))]
		err := w.insist(what, func(ctx context.Context) error {
			_, err := c.Transfer(key(ctx, "send"), v1.Transfer{To: to, Amount: amount})
			return err
		})
		if o.refused = err != nil; !o.refused {
			o.amount = amount
		}
		w.heard(o)
		return
	case quotes, squats:
		var q v1.Quote
		err := w.insist(what, func(ctx context.Context) (err error) {
			q, err = c.AskQuote(key(ctx, "quote"), d.Request, 0)
			return err
		})
		if err != nil || d.Kind == squats {
			o.refused = true
			w.heard(o)
			return
		}
		quote = q.ID
	}
	var j v1.Job
	err := w.insist(what, func(ctx context.Context) (err error) {
		j, err = c.Submit(key(ctx, "submit"), d.Request, quote)
		return err
	})
	if o.refused = err != nil; !o.refused {
		o.job = j.ID
	}
	w.heard(o)
	if d.Kind == cancels && !o.refused && sleep(w.alive, d.After) {
		err = w.insist(what, func(ctx context.Context) (err error) {
			_, err = c.Cancel(key(ctx, "cancel"), j.ID)
			return err
		})
		w.note("%s: cancel %d: %v", what, j.ID, err)
	}
}

// deskOf is the machine of whoever does a deed.
func deskOf(i int) *host {
	return &host{name: fmt.Sprintf("desk-%d", i), phase: time.Duration(50+i%400) * time.Nanosecond}
}

// amountOf is what a deed sends.
func (w *World) amountOf(deed int) int64 {
	return 1 + w.chance("amount", int64(deed)).Int64N(5_000_000)
}

// heard writes down what a user was told.
func (w *World) heard(o outcome) {
	o.at = w.at()
	w.note("deed %d: job %d refused %v sent %d", o.deed, o.job, o.refused, o.amount)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.outcomes = append(w.outcomes, o)
}

// pester sends what is absurd. Whatever comes back, it is not a mistake of the
// market's.
func (w *World) pester(i int, what string) {
	d := &w.day.Deeds[i]
	way := w.newLine(deskOf(i))
	for range 3 {
		ctx, cancel := context.WithTimeout(w.alive, 30*time.Second)
		status, text, err := w.raw(ctx, way, d, i)
		cancel()
		w.note("%s: %s %s: %d %v", what, d.Path, d.Raw, status, err)
		if status == http.StatusInternalServerError {
			w.fail("%s: %s %s is answered with %d %s", what, d.Path, d.Raw, status, text)
		}
		if err == nil || w.alive.Err() != nil {
			return
		}
	}
}

func (w *World) raw(ctx context.Context, way *line, d *Deed, i int) (int, string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://market"+d.Path, bytes.NewReader([]byte(d.Raw)))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Authorization", "Bearer "+w.secret(d.User))
	r.Header.Set("Content-Type", "application/json")
	if !strings.HasSuffix(d.Path, "previews") {
		r.Header.Set("Idempotency-Key", fmt.Sprintf("deed-%d-absurd", i))
	}
	res, err := way.RoundTrip(r)
	if err != nil {
		return 0, "", err
	}
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, string(text), err
}
