package broker_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
)

// played is three markets whose nodes work in real time.
func played(t *testing.T) *world {
	t.Helper()
	var all []*cluster
	for i, name := range []string{"north", "south", "west"} {
		c := open(t, name, fmt.Sprint(i+1))
		c.Join("n1", 4).Play()
		all = append(all, c)
	}
	return behind(t, all...)
}

func quick(name, at string) v1.Request {
	return job(name, func(r *v1.Request) {
		r.Script, r.EstimateMS, r.DeadlineMS, r.Account = "#!/bin/sh\necho "+name+"\nwork 300ms\n", 2_000, 20_000, "alice/"+at
	})
}

// A day of a user whose jobs run on three clusters: they are followed to their
// end, their output is there, and one statement is the sum of those of the
// clusters.
func TestADay(t *testing.T) {
	w := played(t).start()
	alice := w.as("alice")
	states := map[int64]v1.State{}
	notices, err := w.broker.Follow(t.Context(), "alice", -1)
	if err != nil {
		t.Fatal(err)
	}
	var jobs []v1.Job
	for _, at := range []string{"north", "south", "west", "north"} {
		jobs = append(jobs, w.submit("alice", quick("at-"+at, at)))
	}
	w.submit("bob", job("bobs"))
	for ended := 0; ended < len(jobs); {
		select {
		case n := <-notices:
			if n.Kind == "job" && n.Owner != "alice" {
				t.Fatalf("alice hears of %+v", n)
			}
			if n.Job != nil && n.Job.State.Final() && !states[n.Job.ID].Final() {
				ended++
			}
			if n.Job != nil {
				states[n.Job.ID] = n.Job.State
			}
		case <-time.After(time.Minute):
			t.Fatalf("no more news; %v", states)
		}
	}
	spent := int64(0)
	for _, j := range jobs {
		now, err := alice.Job(t.Context(), j.ID)
		if err != nil || now.State != v1.Completed || now.Receipt == nil || now.Receipt.Job != j.ID || now.Charged <= 0 || now.Request.Script == "" {
			t.Fatalf("got %+v, %v", now, err)
		}
		spent += now.Charged
		chunk, err := alice.Tail(t.Context(), j.ID, client.Output{Limit: 1000})
		if err != nil || !strings.HasPrefix(string(chunk.Data), "at-"+where(&now)) {
			t.Errorf("got %q, %v", chunk.Data, err)
		}
		if r, err := alice.Receipt(t.Context(), j.ID); err != nil || r.Net != now.Charged {
			t.Errorf("got %+v, %v", r, err)
		}
	}
	if r := w.record("north"); r.Kept != 2 || r.Won < 2 || r.Lied != 0 {
		t.Errorf("got %+v", r)
	}
	w.statement(alice, spent)
	w.conformance()
	w.pages()
}

// statement checks that one statement is the sum of all.
func (w *world) statement(alice *client.Client, spent int64) {
	w.Helper()
	one, err := alice.Statement(w.Context(), client.Period{})
	if err != nil {
		w.Fatal(err)
	}
	var opening, closing int64
	lines := 0
	for _, c := range w.clusters {
		direct, err := client.New(c.server.URL, c.tokens["alice"], client.Options{Plain: true})
		if err != nil {
			w.Fatal(err)
		}
		defer direct.Close()
		s, err := direct.Statement(w.Context(), client.Period{})
		if err != nil {
			w.Fatal(err)
		}
		opening, closing, lines = opening+s.Opening, closing+s.Closing, lines+len(s.Lines)
		part, err := alice.Statement(w.Context(), client.Period{Account: "alice/" + c.name})
		if err != nil || part.Closing != s.Closing || len(part.Lines) != len(s.Lines) {
			w.Errorf("%s: got %+v, %v", c.name, part, err)
		}
	}
	if one.Opening != opening || one.Closing != closing || len(one.Lines) != lines || one.Account != "alice" {
		w.Errorf("opening %d, closing %d, %d lines; the clusters say %d, %d, %d", one.Opening, one.Closing, len(one.Lines), opening, closing, lines)
	}
	balance, charged := one.Opening, int64(0)
	for i, l := range one.Lines {
		balance += l.Amount
		if l.Balance != balance || l.Seq != int64(i+1) || l.Memo == "" {
			w.Errorf("line %d: %+v", i, l)
		}
		if l.Kind == string(ledger.KindCharge) {
			charged -= l.Amount
			if j, err := alice.Job(w.Context(), l.Job); err != nil || l.Memo != where(&j) || j.Charged != -l.Amount {
				w.Errorf("line %+v is of job %+v, %v", l, j, err)
			}
		}
	}
	if charged != spent {
		w.Errorf("charged %d, not %d", charged, spent)
	}
	accounts, err := alice.Accounts(w.Context(), "")
	if err != nil || len(accounts) != 4 || accounts[0].Path != "alice" || accounts[0].Free+accounts[0].Held != closing {
		w.Errorf("got %+v, %v; want %d together", accounts, err, closing)
	}
	file, err := alice.StatementFile(w.Context(), client.Period{}, "focus")
	if err != nil {
		w.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) < 5 {
		w.Errorf("%d rows, %v", len(rows), err)
	}
	// A cluster that is gone must not make a wrong sum.
	south := w.clusters[1]
	south.gate.set(cut, nil)
	south.server.CloseClientConnections()
	if _, err := alice.Statement(w.Context(), client.Period{}); !strings.Contains(problem(w, err).Detail, "south") {
		w.Errorf("got %v", err)
	}
	if _, err := alice.Statement(w.Context(), client.Period{Account: "alice/north"}); err != nil {
		w.Error(err)
	}
	south.gate.set(nil, nil)
	if _, err := alice.Statement(w.Context(), client.Period{Account: "bob/north"}); problem(w, err).Status != http.StatusNotFound {
		w.Errorf("alice reads bob's: %v", err)
	}
}
