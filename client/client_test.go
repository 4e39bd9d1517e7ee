package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
	"github.com/libra-market/libra/live/link"
)

// The agent works for whoever speaks like this.
var _ interface {
	Register(ctx context.Context, hello task.Hello) (task.Welcome, error)
	Desired(ctx context.Context, node string, after int64) (task.Desired, error)
	Report(ctx context.Context, report task.Report) (task.Reply, error)
	Tail(ctx context.Context, id string, chunk task.Chunk) error
} = (*link.Node)(nil)

// world is a market with a server and clients of it.
type world struct {
	market *apitest.Market
	keys   *apitest.Keys
	server *httptest.Server
}

func newWorld(t *testing.T, wrap func(http.Handler) http.Handler) *world {
	t.Helper()
	w := &world{market: apitest.New("alice", "bob", "root"), keys: &apitest.Keys{}}
	h := api.New(w.market, w.keys, api.Options{Heartbeat: 20 * time.Millisecond, Poll: time.Millisecond})
	var outer http.Handler = h
	if wrap != nil {
		outer = wrap(h)
	}
	w.server = httptest.NewServer(outer)
	t.Cleanup(func() {
		h.Close()
		w.server.Close()
	})
	return w
}

func (w *world) as(t *testing.T, user string, role v1.Role) *client.Client {
	t.Helper()
	c, err := client.New(w.server.URL+"/", w.keys.Make(user, role), client.Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func job(name string) v1.Request {
	return v1.Request{Name: name, Argv: []string{"/bin/true"}, EstimateMS: 60_000}
}

// must hands on what a call returned, if it succeeded.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestAUsersDay(t *testing.T) {
	w := newWorld(t, nil)
	ctx := t.Context()
	c := w.as(t, "alice", v1.RoleUser)
	if who := must[v1.Whoami](t)(c.Whoami(ctx)); who.User != "alice" || who.Account != "people/alice" {
		t.Errorf("got %+v", who)
	}
	if q := must[v1.Quote](t)(c.Preview(ctx, job("p"))); q.Binding || q.Price != 1e6 {
		t.Errorf("got %+v", q)
	}
	q := must[v1.Quote](t)(c.AskQuote(ctx, job("q"), time.Minute))
	if again := must[v1.Quote](t)(c.Quote(ctx, q.ID)); again.ID != q.ID || !again.Binding {
		t.Errorf("got %+v", again)
	}
	j := must[v1.Job](t)(c.Submit(ctx, job("a"), q.ID))
	if j.Owner != "alice" || j.Quote != q.ID {
		t.Errorf("got %+v", j)
	}
	if err := c.DropQuote(ctx, q.ID); err != nil {
		t.Error(err)
	}
	must[v1.Job](t)(c.Submit(ctx, job("b"), ""))
	page := must[v1.JobPage](t)(c.Jobs(ctx, v1.JobQuery{States: []v1.State{v1.Running}, Name: "a", Limit: 5}))
	if len(page.Jobs) != 1 || page.Jobs[0].ID != j.ID || page.Next != 0 {
		t.Errorf("got %+v", page)
	}
	if page := must[v1.JobPage](t)(c.Jobs(ctx, v1.JobQuery{Limit: 1})); page.Next != 2 {
		t.Errorf("next is %d", page.Next)
	}
	if n := must[map[v1.State]int64](t)(c.CountJobs(ctx, "")); n[v1.Running] != 2 {
		t.Errorf("got %v", n)
	}
	if got := must[v1.Job](t)(c.Job(ctx, j.ID)); got.Name != "a" {
		t.Errorf("got %+v", got)
	}
	if e := must[v1.Explanation](t)(c.Explain(ctx, j.ID)); e.State != v1.Running {
		t.Errorf("got %+v", e)
	}
	if got := must[v1.Job](t)(c.Cancel(ctx, j.ID)); got.State != v1.Cancelled {
		t.Errorf("got %+v", got)
	}
	w.market.Put(v1.Job{ID: 9, Owner: "alice", State: v1.Completed, Receipt: &v1.Receipt{Job: 9, Net: 5}})
	if r := must[v1.Receipt](t)(c.Receipt(ctx, 9)); r.Net != 5 {
		t.Errorf("got %+v", r)
	}
	if n := must[[]v1.NodeView](t)(c.Nodes(ctx)); len(n) != 1 || n[0].Node != "n1" {
		t.Errorf("got %+v", n)
	}
	if p := must[v1.Prices](t)(c.Prices(ctx)); p.Policy != "libra" {
		t.Errorf("got %+v", p)
	}
	if e := must[[]v1.EpochView](t)(c.Epochs(ctx)); len(e) != 1 {
		t.Errorf("got %+v", e)
	}
	if a := must[v1.Account](t)(c.Transfer(ctx, v1.Transfer{To: "people/bob", Amount: 1e6})); a.Free != 99e6 {
		t.Errorf("got %+v", a)
	}
	if a := must[v1.Account](t)(c.Account(ctx, "people/alice")); a.Free != 99e6 {
		t.Errorf("got %+v", a)
	}
	if a := must[[]v1.Account](t)(c.Accounts(ctx, "")); len(a) != 1 {
		t.Errorf("got %+v", a)
	}
	if err := c.Healthy(ctx); err != nil {
		t.Error(err)
	}
}

func TestAnOwnersDay(t *testing.T) {
	w := newWorld(t, nil)
	ctx := t.Context()
	c := w.as(t, "root", v1.RoleOwner)
	if e := must[v1.EpochView](t)(c.SetEpoch(ctx, v1.Epoch{Policy: "libra-plus"})); e.Policy != "libra-plus" {
		t.Errorf("got %+v", e)
	}
	if y := must[v1.Tally](t)(c.Tally(ctx, 5, 7)); y.FromUS != 5 || y.ToUS != 7 {
		t.Errorf("got %+v", y)
	}
	if a := must[v1.Account](t)(c.ChangeAccount(ctx, v1.AccountChange{Op: "open", Account: "lab/new"})); a.Path != "lab/new" {
		t.Errorf("got %+v", a)
	}
	if a := must[v1.Account](t)(c.Grant(ctx, v1.Grant{To: "lab/new", Amount: 7})); a.Free != 7 {
		t.Errorf("got %+v", a)
	}
	if a := must[[]v1.Account](t)(c.Accounts(ctx, "people")); len(a) != 3 {
		t.Errorf("got %+v", a)
	}
	s, err := c.Statement(ctx, client.Period{Account: "people/alice", Subtree: true, Month: "2026-11"})
	if err != nil || s.Account != "people/alice" || !s.Subtree || len(s.Lines) != 1 {
		t.Errorf("got %+v: %v", s, err)
	}
	for format, first := range map[string]string{"csv": "date,", "focus": "BilledCost,"} {
		f := must[io.ReadCloser](t)(c.StatementFile(ctx, client.Period{Account: "people/alice", FromUS: 5, ToUS: 7e6}, format))
		if text := string(must[[]byte](t)(io.ReadAll(f))); !strings.HasPrefix(text, first) {
			t.Errorf("%s: got %s", format, text)
		}
		f.Close()
	}
	if v := must[v1.Verified](t)(c.VerifyLedger(ctx)); v.Transactions != 1 {
		t.Errorf("got %+v", v)
	}
	must[v1.Job](t)(c.Submit(ctx, job("a"), ""))
	if h := must[v1.History](t)(c.History(ctx, 0, 10)); len(h.Jobs) != 1 {
		t.Errorf("got %+v", h)
	}
	if l := must[v1.LogPage](t)(c.Log(ctx, 0, 10)); len(l.Entries) != 4 {
		t.Errorf("got %+v", l)
	}
	n := must[v1.NewToken](t)(c.MakeToken(ctx, v1.TokenRequest{User: "n3", Role: v1.RoleNode}))
	if n.User != "n3" || n.Secret == "" {
		t.Errorf("got %+v", n)
	}
	if l := must[[]v1.Token](t)(c.Tokens(ctx, "*")); len(l) != 2 {
		t.Errorf("got %+v", l)
	}
	if err := c.RevokeToken(ctx, n.ID); err != nil {
		t.Error(err)
	}
}

func TestAnAgentsDay(t *testing.T) {
	w := newWorld(t, nil)
	ctx := t.Context()
	n := link.New(w.as(t, "n1", v1.RoleNode), "n1")
	if hi := must[task.Welcome](t)(n.Register(ctx, task.Hello{Node: "n1", Processors: 2})); hi.LeaseMS != 30_000 {
		t.Errorf("got %+v", hi)
	}
	d := must[task.Desired](t)(n.Desired(ctx, "n1", -1))
	if d.Version != 1 || len(d.Orders) != 1 {
		t.Errorf("got %+v", d)
	}
	go func() {
		time.Sleep(20 * time.Millisecond)
		w.market.Want()
	}()
	if d := must[task.Desired](t)(n.Desired(ctx, "n1", 1)); d.Version != 2 {
		t.Errorf("got %+v", d)
	}
	ended := task.Status{Key: task.Key{Job: 3}, State: task.Ended}
	if r := must[task.Reply](t)(n.Report(ctx, task.Report{Node: "n1", Tasks: []task.Status{ended}})); len(r.Forget) != 1 {
		t.Errorf("got %+v", r)
	}
	if err := n.Tail(ctx, "x1", task.Chunk{Data: []byte("hello")}); err != nil {
		t.Error(err)
	}
	if got := w.market.Handed("n1", "x1"); string(got.Data) != "hello" {
		t.Errorf("got %+v", got)
	}
	// A poll that is given up must come back at once.
	ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if _, err := n.Desired(ctx, "n1", 2); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestRefusalsAreProblems(t *testing.T) {
	w := newWorld(t, nil)
	c := w.as(t, "alice", v1.RoleUser)
	_, err := c.Submit(t.Context(), job("refuse cannot_meet_deadline"), "")
	p, ok := errors.AsType[*client.Problem](err)
	if !ok || p.Type != "/problems/cannot-meet-deadline" || p.Status != 422 || p.Reason != "cannot_meet_deadline" ||
		len(p.Offers) != 1 || p.Job == 0 || p.ExitCode() != 3 || p.Error() != "no: cannot_meet_deadline" {
		t.Errorf("got %+v", err)
	}
	if _, err = c.Submit(t.Context(), v1.Request{Argv: []string{"x"}}, ""); !errors.As(err, &p) || p.Field != "estimate_ms" || p.ExitCode() != 2 {
		t.Errorf("got %+v", err)
	}
	if n := len(w.market.Commands()); n != 1 {
		t.Errorf("%d commands reached the market", n)
	}
}

func TestOutputIsFollowed(t *testing.T) {
	w := newWorld(t, nil)
	c := w.as(t, "alice", v1.RoleUser)
	w.market.Put(v1.Job{ID: 1, Owner: "alice", State: v1.Running, StartedUS: 1})
	w.market.Write(1, "one\ntwo\n")
	three := 3
	k := must[v1.Chunk](t)(c.Tail(t.Context(), 1, client.Output{Offset: -4, Element: &three, Stderr: true, Rank: 1}))
	if string(k.Data) != "two\n" {
		t.Errorf("got %+v", k)
	}
	r := must[io.ReadCloser](t)(c.FollowOutput(t.Context(), 1, client.Output{}))
	defer r.Close()
	if _, err := io.ReadFull(r, make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	w.market.Write(1, "end\n")
	w.market.Put(v1.Job{ID: 1, Owner: "alice", State: v1.Completed, StartedUS: 1})
	if rest := string(must[[]byte](t)(io.ReadAll(r))); rest != "end\n" {
		t.Errorf("then %q", rest)
	}
	w.market.Put(v1.Job{ID: 2, Owner: "alice", State: v1.Failed, StartedUS: 1})
	r = must[io.ReadCloser](t)(c.FollowOutput(t.Context(), 2, client.Output{}))
	defer r.Close()
	if _, err := io.ReadAll(r); err == nil || err.Error() != "no such file" {
		t.Errorf("got %v", err)
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	for _, c := range []struct {
		url, token string
		ok         bool
	}{
		{"http://127.0.0.1:1", "libra_x", true},
		{"http://localhost:1", "libra_x", true},
		{"http://[::1]:1", "libra_x", true},
		{"https://market.example", "libra_x", true},
		{"http://market.example", "", true},
		{"http://market.example", "libra_x", false}, // in the clear
		{"unix:/run/libra/7070/market.sock", "libra_x", true},
		{"unix:///run/libra/7070/market.sock", "libra_x", true},
		{"unix://root@/run/libra/7070/market.sock", "libra_x", true},
		{"unix:market.sock", "libra_x", false},
		{"unix://host/market.sock", "libra_x", false},
		{"unix://no-such-user-here@/market.sock", "libra_x", false},
		{"unix://user:pass@/market.sock", "libra_x", false},
		{"market.example:80", "libra_x", false},
		{"ftp://market.example", "", false},
		{"", "", false},
		{"https://user:pass@market.example", "", false},
		{"https://market.example?x=1", "", false},
		{"https://market.example", "libra_x\n", false},
	} {
		_, err := client.New(c.url, c.token, client.Options{})
		if (err == nil) != c.ok {
			t.Errorf("%s: got %v", c.url, err)
		}
		if err != nil && strings.Contains(err.Error(), "pass@") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
	if _, err := client.New("http://market.example", "libra_x", client.Options{Plain: true}); err != nil {
		t.Error(err)
	}
}
