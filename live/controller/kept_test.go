package controller_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
)

// written is how many bytes the store has of the log, of jobs and of answers to
// the keys.
func (f *floor) written(keys ...string) int {
	f.Helper()
	n := 0
	for e, err := range f.store.Tail(f.Context(), 0) {
		if err != nil {
			f.Fatal(err)
		}
		n += len(e.Body)
	}
	jobs, err := f.store.Jobs(f.Context(), store.Query{Limit: 1000})
	if err != nil {
		f.Fatal(err)
	}
	for _, j := range jobs {
		row, _, err := f.store.Job(f.Context(), j.ID)
		if err != nil {
			f.Fatal(err)
		}
		n += len(row.Body) + len(row.Spec)
	}
	for _, key := range keys {
		r, found, err := f.store.Reply(f.Context(), "alice", key)
		if err != nil || !found {
			f.Fatal(key, found, err)
		}
		n += len(r.Body)
	}
	return n
}

// Who is told no leaves next to nothing behind: not the script, not the
// environment, not what is in the arguments, wherever it could be written.
func TestARefusalKeepsNoScript(t *testing.T) {
	f := open(t, nil)
	broke := int64(1)
	r := trade.Request{
		Script: "#!/bin/sh\n" + strings.Repeat("x", 1_000_000), Env: []string{"A=" + strings.Repeat("y", 100_000)},
		EstimateMS: 60_000, DeadlineMS: 120_000, Budget: &broke,
	}
	long := r
	long.Script, long.Argv = "", []string{"prog", strings.Repeat("z", 100_000)}
	before := f.written()
	var keys []string
	for i := range 5 {
		for k, one := range []trade.Request{r, long} {
			key := fmt.Sprint("k", i, "-", k)
			o, _ := f.do(trade.Command{By: alice, Submit: &trade.Submit{Request: one}}, key)
			if o.Refusal == nil {
				t.Fatalf("%+v", o.Job)
			}
			keys = append(keys, key)
			q, _ := f.do(trade.Command{By: alice, Quote: &trade.AskQuote{Request: one}}, key+"q")
			if q.Refusal == nil {
				t.Fatalf("%+v", q.Quote)
			}
			keys = append(keys, key+"q")
		}
	}
	if grown := f.written(keys...) - before; grown > len(keys)*8192 {
		t.Errorf("%d refusals grew the store by %d bytes", len(keys), grown)
	}
	again, replayed := f.do(trade.Command{By: alice, Submit: &trade.Submit{Request: r}}, "k0-0")
	if !replayed || again.Refusal == nil || again.Refusal.Reason == "" {
		t.Errorf("asked again: %v %+v", replayed, again.Refusal)
	}
	strict, err := controller.CheckStrictly(t.Context(), f.store, "test", nil)
	if err != nil || len(strict.Differ) > 0 {
		t.Errorf("what is kept is decided otherwise: %+v, %v", strict.Differ, err)
	}
	f.restart()
	f.verify()
}

// What is taken is there whole, after a restart too, and is written no more than
// twice: in the log, and where it is looked up.
func TestWhatIsTakenIsKept(t *testing.T) {
	f := open(t, nil)
	script := "#!/bin/sh\n" + strings.Repeat("x", 1_000_000)
	before := f.written()
	o, _ := f.do(trade.Command{By: alice, Submit: &trade.Submit{Request: trade.Request{
		Script: script, EstimateMS: 1000, DeadlineMS: 100_000,
	}}}, "k")
	q, _ := f.do(trade.Command{By: alice, Quote: &trade.AskQuote{Request: trade.Request{
		Script: script, EstimateMS: 1000, DeadlineMS: 100_000,
	}}}, "q")
	if o.Refusal != nil || q.Refusal != nil {
		t.Fatalf("%+v %+v", o.Refusal, q.Refusal)
	}
	if grown := f.written("k") - before; grown > 3*len(script)+100_000 { // the job twice, the quote once
		t.Errorf("two scripts of %d bytes grew the store by %d", len(script), grown)
	}
	f.restart()
	if j := f.job(o.Job.ID); j.Request.Script != script {
		t.Errorf("%d bytes of the script are left", len(j.Request.Script))
	}
	taken, _ := f.do(trade.Command{By: alice, Submit: &trade.Submit{Quote: q.Quote.ID}}, "t")
	if j := f.job(taken.Job.ID); j.Request.Script != script {
		t.Errorf("taken by its quote: %d bytes of the script are left", len(j.Request.Script))
	}
	strict, err := controller.CheckStrictly(t.Context(), f.store, "test", nil)
	if err != nil || len(strict.Differ) > 0 {
		t.Errorf("%+v, %v", strict.Differ, err)
	}
}

// Paths that no system could open are refused before they are kept.
func TestPathsHaveALength(t *testing.T) {
	f := open(t, nil)
	for field, change := range map[string]func(*trade.Request){
		"dir":    func(r *trade.Request) { r.Dir = "/" + strings.Repeat("d", 5000) },
		"output": func(r *trade.Request) { r.Output = strings.Repeat("o", 5000) },
		"error":  func(r *trade.Request) { r.Error = strings.Repeat("e", 5000) },
	} {
		r := trade.Request{Argv: []string{"true"}, EstimateMS: 1000}
		change(&r)
		for _, cmd := range []trade.Command{
			{By: alice, Submit: &trade.Submit{Request: r}}, {By: alice, Quote: &trade.AskQuote{Request: r}},
		} {
			_, _, err := f.Do(t.Context(), cmd, trade.Key{})
			var wrong *trade.FieldError
			if !errors.As(err, &wrong) || wrong.Field != field {
				t.Errorf("%s of 5000 bytes in a %s: %v", field, cmd.Kind(), err)
			}
		}
	}
}
