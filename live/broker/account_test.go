package broker_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/web/webtest"
)

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
		return err1 == nil && err2 == nil && x.State == v1.Completed && y.State == v1.Completed
	})
	if _, err := w.as("bob").Job(t.Context(), a.ID); problem(t, err).Status != http.StatusNotFound {
		t.Errorf("got %v", err)
	}
	page, err := w.as("bob").Jobs(t.Context(), v1.JobQuery{})
	if err != nil || len(page.Jobs) != 1 || page.Jobs[0].Name != "bs" {
		t.Errorf("got %+v, %v", page, err)
	}
	s, err := w.as("bob").Statement(t.Context(), client.Period{})
	if err != nil || len(s.Lines) != 1 || s.Lines[0].Job != b.ID || s.Opening != 0 || s.Closing != s.Lines[0].Amount || s.Closing >= 0 {
		t.Errorf("got %+v, %v", s, err)
	}
	accounts, err := w.as("bob").Accounts(t.Context(), "")
	if err != nil || len(accounts) != 2 || accounts[1].Path != "bob/north" || accounts[1].Free != 0 || accounts[1].Spent != -s.Closing {
		t.Errorf("got %+v, %v", accounts, err)
	}
	if _, err := w.as("bob").Submit(t.Context(), job("x", func(r *v1.Request) { r.Account = "bob/north/below" }), ""); problem(t, err).Status != http.StatusNotFound {
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
		for state := v1.Queued; state != v1.Completed; {
			select {
			case n := <-notices:
				if n.Job != nil && n.Job.ID == j.ID {
					state = n.Job.State
				}
			case <-time.After(time.Minute):
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
	for _, m := range []trade.MoneyCommand{{Op: "open", To: "lab/alice/thesis", User: "alice"}, {Op: "grant", To: "lab/alice/thesis", Amount: 900e6}} {
		c.Do(trade.Command{By: webtest.Root, Money: &m})
	}
	w := behind(t, c).start()
	j := w.submit("alice", job("a", func(r *v1.Request) { r.Account = "alice/north/thesis" }))
	if there := c.jobs()[0].Account; j.Account != "alice/north/thesis" || there != "lab/alice/thesis" {
		t.Errorf("%s pays here, %s there", j.Account, there)
	}
	s, err := w.as("alice").Statement(t.Context(), client.Period{Account: "alice/north/thesis"})
	if err != nil || s.Closing != int64(900*market.Unit) {
		t.Errorf("got %+v, %v", s, err)
	}
	all, err := w.as("alice").Statement(t.Context(), client.Period{Subtree: true})
	if err != nil || all.Closing != int64(100_900*market.Unit) {
		t.Errorf("got %+v, %v", all, err)
	}
	accounts, err := w.as("alice").Accounts(t.Context(), "alice/north")
	if err != nil || len(accounts) != 2 || accounts[1].Path != "alice/north/thesis" {
		t.Errorf("got %+v, %v", accounts, err)
	}
	if page, err := w.as("alice").Jobs(t.Context(), v1.JobQuery{Account: "alice/north"}); err != nil || len(page.Jobs) != 1 {
		t.Errorf("got %+v, %v", page, err)
	}
	q, err := w.as("alice").AskQuote(t.Context(), job("b", func(r *v1.Request) { r.Account = "alice/north/thesis" }), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if j, err := w.as("alice").Submit(t.Context(), v1.Request{}, q.ID); err != nil || j.Account != "alice/north/thesis" {
		t.Errorf("got %+v, %v", j, err)
	}
}

func quickAny(name string) v1.Request {
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
