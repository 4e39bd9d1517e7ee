package broker_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
)

func TestARefusalGoesToTheNext(t *testing.T) {
	w := three(t).start()
	// Two of them fill the fast one, the cheap one is too slow for any.
	for i, want := range []string{"fast", "fast", "middle"} {
		j := w.submit("alice", job("wide", wish("first"), func(r *v1.Request) { r.Processors, r.DeadlineMS = 4, 40_000 }))
		if got := where(&j); got != want {
			t.Errorf("job %d went to %s, not %s", i, got, want)
		}
	}
	if fast, cheap, middle := w.record("fast"), w.record("cheap"), w.record("middle"); fast.Asked != 3 || fast.Won != 2 || fast.Refused != 1 ||
		cheap.Asked != 1 || cheap.Refused != 1 || middle.Asked != 1 || middle.Won != 1 {
		t.Errorf("got %+v, %+v, %+v", fast, cheap, middle)
	}
}

func TestRefusedEverywhere(t *testing.T) {
	w := three(t).start()
	budget := int64(10e6)
	poor := func(r *v1.Request) { r.Budget = &budget }
	_, err := w.as("alice").Submit(t.Context(), job("poor", poor), "")
	p := problem(t, err)
	if p.ExitCode() != 3 || p.Reason != "cannot_meet_budget" || p.Job == 0 {
		t.Fatalf("got %+v", p)
	}
	for _, c := range w.clusters {
		if !strings.Contains(p.Detail, c.name+": ") {
			t.Errorf("%s is not in %q", c.name, p.Detail)
		}
	}
	var middle *v1.Offer
	for i := range p.Offers { // the lowest price first
		o := &p.Offers[i]
		if i > 0 && o.Quote.Price < p.Offers[i-1].Quote.Price || o.Quote.Owner != "alice" || o.Quote.ID == "" {
			t.Errorf("offer %d: %+v", i, o)
		}
		if o.Change == "budget" && strings.HasPrefix(o.Detail, "middle: ") {
			middle = o
		}
	}
	if middle == nil || !strings.HasPrefix(p.Offers[0].Detail, "cheap: ") {
		t.Fatalf("got %+v", p.Offers)
	}
	// The refused job is kept, and nobody has it.
	if j, err := w.as("alice").Job(t.Context(), p.Job); err != nil || j.State != v1.Rejected {
		t.Errorf("got %+v, %v", j, err)
	}
	// Somebody else's offer is not there.
	if _, err := w.as("bob").Submit(t.Context(), v1.Request{}, middle.Quote.ID); problem(t, err).Status != http.StatusNotFound {
		t.Errorf("bob takes alice's offer: %v", err)
	}
	j, err := w.as("alice").Submit(t.Context(), v1.Request{}, middle.Quote.ID)
	if err != nil || where(&j) != "middle" || j.Quote != middle.Quote.ID || j.Price != middle.Quote.Price {
		t.Fatalf("got %+v, %v", j, err)
	}
	// It is not there twice.
	if _, err := w.as("alice").Submit(t.Context(), v1.Request{}, middle.Quote.ID); err == nil {
		t.Error("an offer was taken twice")
	}
	if n := len(w.clusters[2].jobs()); n != 1 {
		t.Errorf("%d jobs at middle", n)
	}
}

func TestAQuoteThroughTheBroker(t *testing.T) {
	w := three(t).start()
	alice := w.as("alice")
	q, err := alice.AskQuote(t.Context(), job("q"), time.Minute)
	if err != nil || !q.Binding || q.Owner != "alice" || !strings.HasPrefix(q.ID, "b") {
		t.Fatalf("got %+v, %v", q, err)
	}
	if again, err := alice.Quote(t.Context(), q.ID); err != nil || again.Price != q.Price {
		t.Errorf("got %+v, %v", again, err)
	}
	if _, err := w.as("bob").Quote(t.Context(), q.ID); problem(t, err).Status != http.StatusNotFound {
		t.Errorf("bob reads alice's quote: %v", err)
	}
	if _, err := alice.Submit(t.Context(), v1.Request{EstimateMS: 5}, q.ID); problem(t, err).Status != http.StatusBadRequest {
		t.Errorf("other terms than quoted: %v", err)
	}
	// It survives the broker.
	w.end()
	w.start()
	j, err := w.as("alice").Submit(t.Context(), v1.Request{}, q.ID)
	if err != nil || where(&j) != "cheap" || j.Price != q.Price {
		t.Fatalf("got %+v, %v", j, err)
	}
	if _, err := w.as("alice").Quote(t.Context(), q.ID); problem(t, err).Status != http.StatusNotFound {
		t.Errorf("a quote that was taken: %v", err)
	}
	second, err := w.as("alice").AskQuote(t.Context(), job("q2"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.as("alice").DropQuote(t.Context(), second.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.as("alice").Submit(t.Context(), v1.Request{}, second.ID); problem(t, err).Status != http.StatusNotFound {
		t.Errorf("a quote that was given back: %v", err)
	}
	if p, err := w.as("alice").Preview(t.Context(), job("p")); err != nil || p.Binding || p.ID != "" || p.Owner != "alice" {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestWhatMakesNoSenseForABroker(t *testing.T) {
	w := three(t).start()
	root, alice := w.as("root"), w.as("alice")
	_, epoch := root.SetEpoch(t.Context(), v1.Epoch{Policy: "libra"})
	_, ledger := root.VerifyLedger(t.Context())
	_, log := root.Log(t.Context(), 0, 1)
	for what, err := range map[string]error{"epoch": epoch, "ledger": ledger, "log": log} {
		if p := problem(t, err); p.Status != http.StatusConflict || !strings.Contains(p.Detail, "a broker has no") {
			t.Errorf("%s: got %+v", what, p)
		}
	}
	for _, r := range []v1.Request{
		job("x", wish("soonest")),
		job("x", func(r *v1.Request) { r.Tags = []string{"broker:x"} }),
		job("x", func(r *v1.Request) { r.Tags = strings.Split(strings.Repeat("t,", 15)+"t", ",") }),
	} {
		if _, err := alice.Submit(t.Context(), r, ""); problem(t, err).Status != http.StatusBadRequest {
			t.Errorf("%v: got %v", r.Tags, err)
		}
	}
	if _, err := w.as("carol").Submit(t.Context(), job("x"), ""); !strings.Contains(problem(t, err).Detail, "knows carol") {
		t.Errorf("got %v", err)
	}
	if _, err := alice.Submit(t.Context(), job("x", func(r *v1.Request) { r.Account = "alice/nowhere" }), ""); problem(t, err).Status != http.StatusNotFound {
		t.Errorf("got %v", err)
	}
}
