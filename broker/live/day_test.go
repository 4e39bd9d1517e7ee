package live_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"libra/api"
	"libra/api/client"
	"libra/exchange"
	"libra/ledger"
	"libra/market"
	"libra/web"
	"libra/web/webtest"
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

func quick(name, at string) exchange.Request {
	return job(name, func(r *exchange.Request) {
		r.Script, r.EstimateMS, r.DeadlineMS, r.Account = "#!/bin/sh\necho "+name+"\nwork 300ms\n", 2_000, 20_000, "alice/"+at
	})
}

// A day of a user whose jobs run on three clusters: they are followed to their
// end, their output is there, and one statement is the sum of those of the
// clusters.
func TestADay(t *testing.T) {
	w := played(t).start()
	alice := w.as("alice")
	states := map[int64]exchange.State{}
	notices, err := w.broker.Follow(t.Context(), "alice", -1)
	if err != nil {
		t.Fatal(err)
	}
	var jobs []exchange.Job
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
		case <-time.After(30 * time.Second):
			t.Fatalf("no more news; %v", states)
		}
	}
	spent := int64(0)
	for _, j := range jobs {
		now, err := alice.Job(t.Context(), j.ID)
		if err != nil || now.State != exchange.Completed || now.Receipt == nil || now.Receipt.Job != j.ID || now.Charged <= 0 || now.Request.Script == "" {
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

// pages looks at every page as the owner of the broker.
func (w *world) pages() {
	w.Helper()
	h := web.New(w.broker, w.keys, web.Options{})
	defer h.Close()
	server := httptest.NewServer(h)
	defer server.Close()
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	res, err := browser.PostForm(server.URL+"/login", url.Values{"token": {w.secrets["root"]}})
	if err != nil {
		w.Fatal(err)
	}
	res.Body.Close()
	for path, want := range map[string]string{
		"/submit": "", "/jobs": "at-north", "/jobs/1": "at-north", "/market": "north/n1", "/owner": "", "/account": "",
	} {
		status := http.StatusOK
		if path == "/owner" { // it is about the levers of a policy, and there is none
			status = http.StatusConflict
		}
		res, err := browser.Get(server.URL + path)
		if err != nil {
			w.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != status || !strings.Contains(string(text), want) {
			w.Errorf("%s: status %d, %v, without %q", path, res.StatusCode, err, want)
		}
	}
}

// statement checks that one statement is the sum of all.
func (w *world) statement(alice *client.Client, spent int64) {
	w.Helper()
	one, err := alice.Statement(w.Context(), client.Period{})
	if err != nil {
		w.Fatal(err)
	}
	var opening, closing market.Money
	lines := 0
	for _, c := range w.clusters {
		direct, err := client.New(c.server.URL, c.tokens["alice"], client.Options{})
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
		w.Errorf("opening %s, closing %s, %d lines; the clusters say %s, %s, %d", one.Opening, one.Closing, len(one.Lines), opening, closing, lines)
	}
	balance, charged := one.Opening, market.Money(0)
	for i, l := range one.Lines {
		balance += l.Amount
		if l.Balance != balance || l.Seq != int64(i+1) || l.Memo == "" {
			w.Errorf("line %d: %+v", i, l)
		}
		if l.Kind == ledger.KindCapture {
			charged -= l.Amount
			if j, err := alice.Job(w.Context(), l.Job); err != nil || l.Memo != where(&j) || market.Money(j.Charged) != -l.Amount {
				w.Errorf("line %+v is of job %+v, %v", l, j, err)
			}
		}
	}
	if charged != market.Money(spent) {
		w.Errorf("charged %s, not %s", charged, market.Money(spent))
	}
	accounts, err := alice.Accounts(w.Context(), "")
	if err != nil || len(accounts) != 4 || accounts[0].Path != "alice" || accounts[0].Free+accounts[0].Held != int64(closing) {
		w.Errorf("got %+v, %v; want %s together", accounts, err, closing)
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

// conformance asks for everything that the API has, and checks the answers
// against its description.
func (w *world) conformance() {
	w.Helper()
	paths := w.description()
	for _, c := range []struct {
		who, method, path, at string
		body                  string
		status                int
	}{
		{"alice", "GET", "/v1/jobs?counts=1", "/v1/jobs", "", 200},
		{"root", "GET", "/v1/jobs", "/v1/jobs", "", 200},
		{"alice", "GET", "/v1/jobs/1", "/v1/jobs/{id}", "", 200},
		{"alice", "GET", "/v1/jobs/1/explain", "/v1/jobs/{id}/explain", "", 200},
		{"alice", "GET", "/v1/jobs/1/receipt", "/v1/jobs/{id}/receipt", "", 200},
		{"alice", "GET", "/v1/jobs/1/logs", "/v1/jobs/{id}/logs", "", 200},
		{"alice", "GET", "/v1/nodes", "/v1/nodes", "", 200},
		{"alice", "GET", "/v1/prices", "/v1/prices", "", 200},
		{"alice", "GET", "/v1/epochs", "", "", 409},
		{"alice", "GET", "/v1/accounts", "/v1/accounts", "", 200},
		{"alice", "GET", "/v1/accounts/alice/north", "/v1/accounts/{path}", "", 200},
		{"alice", "GET", "/v1/statements", "/v1/statements", "", 200},
		{"alice", "GET", "/v1/whoami", "/v1/whoami", "", 200},
		{"alice", "GET", "/v1/tokens", "/v1/tokens", "", 200},
		{"alice", "POST", "/v1/previews", "/v1/previews", `{"request":{"estimate_ms":1000,"deadline_ms":60000}}`, 200},
		{"alice", "POST", "/v1/quotes", "/v1/quotes", `{"request":{"estimate_ms":1000,"deadline_ms":60000}}`, 201},
		{"alice", "POST", "/v1/jobs", "/v1/jobs", `{"request":{"argv":["true"],"estimate_ms":1000,"deadline_ms":60000}}`, 201},
		{"alice", "POST", "/v1/jobs", "", `{"request":{"argv":["true"],"estimate_ms":1000,"deadline_ms":60000,"budget_micros":1}}`, 422},
		{"bob", "GET", "/v1/jobs/1", "", "", 404},
		{"alice", "GET", "/v1/jobs/999", "", "", 404},
		{"alice", "GET", "/v1/accounts/bob", "", "", 404},
		{"alice", "POST", "/v1/transfers", "", `{"to":"bob","amount_micros":5}`, 409},
		{"root", "POST", "/v1/grants", "", `{"to":"bob","amount_micros":5}`, 409},
		{"root", "GET", "/v1/report", "/v1/report", "", 200},
		{"root", "GET", "/v1/history", "/v1/history", "", 200},
		{"root", "GET", "/v1/accounts", "/v1/accounts", "", 200},
		{"root", "GET", "/v1/ledger/verify", "", "", 409},
		{"root", "GET", "/metrics", "", "", 200},
		{"root", "GET", "/healthz", "/healthz", "", 200},
	} {
		r, err := http.NewRequestWithContext(w.Context(), c.method, w.server.URL+c.path, strings.NewReader(c.body))
		if err != nil {
			w.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+w.secrets[c.who])
		if c.body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			w.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != c.status {
			w.Errorf("%s %s as %s: %d (want %d), %v: %s", c.method, c.path, c.who, res.StatusCode, c.status, err, text)
			continue
		}
		at := "/components/responses/Problem/content/application~1problem+json/schema"
		switch {
		case c.status < 400 && c.at == "":
			continue
		case c.status < 400:
			at = fmt.Sprintf("/paths/%s/%s/responses/%d/content/application~1json/schema",
				strings.NewReplacer("/", "~1", "{", "%7B", "}", "%7D").Replace(c.at), strings.ToLower(c.method), c.status)
		}
		schema, err := paths.Compile("mem:///openapi.json#" + at)
		if err != nil {
			w.Errorf("%s %s: %v", c.method, c.path, err)
			continue
		}
		var v any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			w.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			w.Errorf("%s %s is not as described: %v\n%.600s", c.method, c.path, err, text)
		}
	}
}

func (w *world) description() *jsonschema.Compiler {
	w.Helper()
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	doc, err := jsonschema.UnmarshalJSON(rec.Body)
	if err != nil {
		w.Fatal(err)
	}
	for _, s := range doc.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any) {
		s.(map[string]any)["additionalProperties"] = false
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("mem:///openapi.json", doc); err != nil {
		w.Fatal(err)
	}
	return c
}

// Where a cluster has one token for everybody, the broker tells apart who is
// who: nobody sees what others have or spent.
func TestOneTokenForAll(t *testing.T) {
	c := open(t, "north", "1")
	c.Join("n1", 4).Play()
	c.shared, c.tokens = c.tokens["alice"], nil
	w := behind(t, c).start()
	a, b := w.submit("alice", quickAny("as")), w.submit("bob", quickAny("bs"))
	eventually(t, "both to end", func() bool {
		x, err1 := w.as("alice").Job(t.Context(), a.ID)
		y, err2 := w.as("bob").Job(t.Context(), b.ID)
		return err1 == nil && err2 == nil && x.State == exchange.Completed && y.State == exchange.Completed
	})
	if _, err := w.as("bob").Job(t.Context(), a.ID); problem(t, err).Status != http.StatusNotFound {
		t.Errorf("got %v", err)
	}
	page, err := w.as("bob").Jobs(t.Context(), api.JobQuery{})
	if err != nil || len(page.Jobs) != 1 || page.Jobs[0].Name != "bs" {
		t.Errorf("got %+v, %v", page, err)
	}
	s, err := w.as("bob").Statement(t.Context(), client.Period{})
	if err != nil || len(s.Lines) != 1 || s.Lines[0].Job != b.ID || s.Opening != 0 || s.Closing != s.Lines[0].Amount || s.Closing >= 0 {
		t.Errorf("got %+v, %v", s, err)
	}
	accounts, err := w.as("bob").Accounts(t.Context(), "")
	if err != nil || len(accounts) != 2 || accounts[1].Path != "bob/north" || accounts[1].Free != 0 || accounts[1].Spent != -int64(s.Closing) {
		t.Errorf("got %+v, %v", accounts, err)
	}
	if _, err := w.as("bob").Submit(t.Context(), job("x", func(r *exchange.Request) { r.Account = "bob/north/below" }), ""); problem(t, err).Status != http.StatusNotFound {
		t.Errorf("got %v", err)
	}
}

// Where streams do not get through, jobs are followed all the same.
func TestWithoutStreams(t *testing.T) {
	c := open(t, "north", "1")
	c.Join("n1", 4).Play()
	c.gate.set(func(r *http.Request) bool { return r.URL.Path != "/v1/events" }, nil)
	w := behind(t, c).start()
	for _, name := range []string{"a", "b"} {
		j := w.submit("alice", quickAny(name))
		notices, err := w.broker.Follow(t.Context(), "alice", -1)
		if err != nil {
			t.Fatal(err)
		}
		for state := exchange.Queued; state != exchange.Completed; {
			select {
			case n := <-notices:
				if n.Job != nil && n.Job.ID == j.ID {
					state = n.Job.State
				}
			case <-time.After(20 * time.Second):
				t.Fatal("no more news")
			}
		}
	}
	if r := w.record("north"); r.AwayUS != 0 || r.Kept != 2 {
		t.Errorf("got %+v", r)
	}
}

// What is below a user's account at a cluster is below it here.
func TestAccountsBelow(t *testing.T) {
	c := open(t, "north", "1")
	c.node(4, 1)
	for _, m := range []exchange.MoneyCommand{{Op: "open", To: "lab/alice/thesis"}, {Op: "grant", To: "lab/alice/thesis", Amount: 900e6}} {
		c.Do(exchange.Command{By: webtest.Root, Money: &m})
	}
	w := behind(t, c).start()
	j := w.submit("alice", job("a", func(r *exchange.Request) { r.Account = "alice/north/thesis" }))
	if there := c.jobs()[0].Account; j.Account != "alice/north/thesis" || there != "lab/alice/thesis" {
		t.Errorf("%s pays here, %s there", j.Account, there)
	}
	s, err := w.as("alice").Statement(t.Context(), client.Period{Account: "alice/north/thesis"})
	if err != nil || s.Closing != 900*market.Unit {
		t.Errorf("got %+v, %v", s, err)
	}
	all, err := w.as("alice").Statement(t.Context(), client.Period{Subtree: true})
	if err != nil || all.Closing != 100_900*market.Unit {
		t.Errorf("got %+v, %v", all, err)
	}
	accounts, err := w.as("alice").Accounts(t.Context(), "alice/north")
	if err != nil || len(accounts) != 2 || accounts[1].Path != "alice/north/thesis" {
		t.Errorf("got %+v, %v", accounts, err)
	}
	if page, err := w.as("alice").Jobs(t.Context(), api.JobQuery{Account: "alice/north"}); err != nil || len(page.Jobs) != 1 {
		t.Errorf("got %+v, %v", page, err)
	}
	q, err := w.as("alice").AskQuote(t.Context(), job("b", func(r *exchange.Request) { r.Account = "alice/north/thesis" }), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if j, err := w.as("alice").Submit(t.Context(), exchange.Request{}, q.ID); err != nil || j.Account != "alice/north/thesis" {
		t.Errorf("got %+v, %v", j, err)
	}
}

func quickAny(name string) exchange.Request {
	r := quick(name, "")
	r.Account = ""
	return r
}

// Tokens of clusters are in no log and in no answer.
func TestTokensAreNotShown(t *testing.T) {
	w := three(t).start()
	w.submit("alice", job("a"))
	for _, c := range w.clusters {
		c.gate.set(cut, nil)
		c.server.CloseClientConnections()
	}
	_, err := w.as("alice").Submit(t.Context(), job("b"), "")
	said := fmt.Sprintf("%+v %v", problem(t, err), err) + w.log.String()
	for _, c := range w.clusters {
		for _, secret := range c.tokens {
			if strings.Contains(said, secret) {
				t.Fatal("a token of a cluster is shown")
			}
		}
	}
}
