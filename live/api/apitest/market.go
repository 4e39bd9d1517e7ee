package apitest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/wire"
)

// RefusePrefix begins the name of a job that is to be refused; the reason
// follows.
const RefusePrefix = "refuse "

// PanicName is the name of a job that breaks the market.
const PanicName = "panic"

// Market keeps everything in memory. It is an api.Market.
type Market struct {
	mu       sync.Mutex
	err      error
	jobs     map[int64]v1.Job
	quotes   map[string]v1.Quote
	accounts map[string]v1.Account
	nodes    map[string]task.Hello
	outputs  map[int64][]byte
	keys     map[string]done
	notices  []v1.Notice
	waiting  map[chan v1.Notice]string // and the owner each is for
	chunks   map[string]task.Chunk
	commands []trade.Command
	desired  int64 // version
	next     int64
}

// done is a command that was carried out under a key.
type done struct {
	digest  string
	outcome api.Outcome
}

// New is a market without jobs, with an account for each user.
func New(users ...string) *Market {
	m := &Market{
		jobs: map[int64]v1.Job{}, quotes: map[string]v1.Quote{}, accounts: map[string]v1.Account{},
		nodes: map[string]task.Hello{}, outputs: map[int64][]byte{}, keys: map[string]done{},
		waiting: map[chan v1.Notice]string{}, chunks: map[string]task.Chunk{}, desired: 1, next: 1,
	}
	for _, u := range users {
		m.accounts["people/"+u] = v1.Account{Path: "people/" + u, Free: 100e6}
	}
	return m
}

// Fail makes every call answer with an error; nil: no longer.
func (m *Market) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

// Put sets a job as it is given.
func (m *Market) Put(j v1.Job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jobs[j.ID] = j
	m.next = max(m.next, j.ID+1)
}

// Write adds to what a job has written.
func (m *Market) Write(job int64, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outputs[job] = append(m.outputs[job], text...)
}

// Commands lists what the market was told to do.
func (m *Market) Commands() []trade.Command {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.commands)
}

// Do carries out a command.
func (m *Market) Do(_ context.Context, c trade.Command, key api.Key) (api.Outcome, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return api.Outcome{}, false, m.err
	}
	name := key.Owner + "\x00" + key.Key
	if before, ok := m.keys[name]; ok && key.Given() {
		if before.digest != string(key.Digest) {
			return api.Outcome{}, false, trade.ErrKeyReused
		}
		return before.outcome, true, nil
	}
	m.commands = append(m.commands, c)
	o, err := m.do(&c)
	if err == nil && key.Given() {
		m.keys[name] = done{string(key.Digest), o}
	}
	return o, false, err
}

func (m *Market) do(c *trade.Command) (api.Outcome, error) {
	switch {
	case c.Submit != nil:
		return m.submit(c.By, &v1.SubmitRequest{Request: wire.Request(&c.Submit.Request), Quote: c.Submit.Quote})
	case c.Quote != nil:
		o := m.price(c.By, wire.Request(&c.Quote.Request))
		if o.Quote != nil {
			o.Quote.ID, o.Quote.Binding = fmt.Sprintf("q%d", len(m.quotes)+1), true
			m.quotes[o.Quote.ID] = *o.Quote
		}
		return o, nil
	case c.Cancel != nil && c.Cancel.Quote != "":
		delete(m.quotes, c.Cancel.Quote)
		return api.Outcome{}, nil
	case c.Cancel != nil:
		j, ok := m.jobs[c.Cancel.Job]
		if !ok || j.State.Final() || c.By.Role != trade.RoleOwner && j.Owner != c.By.User {
			return api.Outcome{}, fmt.Errorf("job %d: %w", c.Cancel.Job, trade.ErrUnknown)
		}
		j.State = v1.Cancelled
		m.jobs[j.ID] = j
		return api.Outcome{Job: &j}, nil
	case c.Begin != nil:
		j, ok := m.jobs[c.Begin.Job]
		switch {
		case !ok || c.By.Role != trade.RoleOwner && j.Owner != c.By.User:
			return api.Outcome{}, fmt.Errorf("job %d: %w", c.Begin.Job, trade.ErrUnknown)
		case !j.OnHold:
			return api.Outcome{}, fmt.Errorf("job %d: %w: it is not on hold", c.Begin.Job, trade.ErrConflict)
		}
		j.OnHold, j.State = false, v1.Queued
		m.jobs[j.ID] = j
		return api.Outcome{Job: &j}, nil
	case c.Void != nil:
		j, ok := m.jobs[c.Void.Job]
		if !ok || j.State.Final() {
			return api.Outcome{}, fmt.Errorf("job %d: %w", c.Void.Job, trade.ErrUnknown)
		}
		j.State, j.Reason, j.Detail = v1.Cancelled, v1.ReasonVoided, "voided by "+c.By.User+": "+c.Void.Reason
		m.jobs[j.ID] = j
		return api.Outcome{Job: &j}, nil
	case c.Epoch != nil:
		return api.Outcome{Epoch: &v1.EpochView{Number: 2, Policy: c.Epoch.Policy}}, nil
	case c.Money != nil:
		return m.money(c.Money)
	}
	return api.Outcome{}, trade.ErrConflict
}

func (m *Market) submit(by trade.Identity, s *v1.SubmitRequest) (api.Outcome, error) {
	if q, ok := m.quotes[s.Quote]; s.Quote != "" && (!ok || q.Owner != by.User) {
		return api.Outcome{}, fmt.Errorf("quote %s: %w", s.Quote, trade.ErrUnknown)
	}
	if s.Request.Name == PanicName {
		panic("this job breaks the market")
	}
	id := m.next
	m.next++
	j := v1.Job{
		ID: id, Owner: by.User, Account: "people/" + by.User, Name: s.Request.Name, State: v1.Running,
		Request: s.Request, SubmittedUS: id, Width: 1, Price: 1e6, Quote: s.Quote, Policy: "libra",
	}
	o := m.price(by, s.Request)
	if o.Refusal != nil {
		o.Refusal.Job, j.State, j.Reason = id, v1.Rejected, o.Refusal.Reason
	}
	m.jobs[id] = j
	return api.Outcome{Job: &j, Refusal: o.Refusal}, nil
}

func (m *Market) price(by trade.Identity, r v1.Request) api.Outcome {
	q := v1.Quote{Owner: by.User, Request: r, Price: 1e6, Firm: true, Odds: 1, Share: 0.5, Width: 1, Formula: "1", Policy: "libra"}
	if reason, ok := strings.CutPrefix(r.Name, RefusePrefix); ok {
		offer := v1.Offer{Change: "deadline", Detail: "deadline 12m instead of 5m, for 1", Quote: q}
		return api.Outcome{Refusal: &v1.Refusal{Reason: reason, Detail: "no: " + reason, Offers: []v1.Offer{offer}}}
	}
	return api.Outcome{Quote: &q}
}

func (m *Market) money(c *trade.MoneyCommand) (api.Outcome, error) {
	to, there := m.accounts[c.To]
	switch c.Op {
	case "open":
		if there {
			return api.Outcome{}, fmt.Errorf("%w: %s", ledger.ErrExists, c.To)
		}
		to = v1.Account{Path: c.To}
		if c.User != "" {
			to.Users = []string{c.User}
		}
	case "bind":
		to.Users = append(slices.Clone(to.Users), c.User)
	case "unbind":
		to.Users = slices.DeleteFunc(slices.Clone(to.Users), func(u string) bool { return u == c.User })
	case "transfer":
		from := m.accounts[c.From]
		if !there {
			return api.Outcome{}, fmt.Errorf("%w: %q", ledger.ErrUnknown, c.To)
		}
		if from.Free < c.Amount {
			short := &ledger.Shortage{Account: market.Account(c.From), Wanted: market.Money(c.Amount), Have: market.Money(from.Free)}
			return api.Outcome{}, short
		}
		from.Free -= c.Amount
		to.Free += c.Amount
		m.accounts[c.From] = from
	case "grant":
		if !there {
			return api.Outcome{}, fmt.Errorf("%w: %q", ledger.ErrUnknown, c.To)
		}
		to.Free += c.Amount
	}
	m.accounts[c.To] = to
	return api.Outcome{Account: &to}, nil
}

// Preview is what Do would answer.
func (m *Market) Preview(_ context.Context, by trade.Identity, r trade.Request) (api.Outcome, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.price(by, wire.Request(&r)), m.err
}

// Accounts lists accounts by path.
func (m *Market) Accounts(_ context.Context, prefix string) ([]v1.Account, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []v1.Account
	for _, path := range slices.Sorted(maps.Keys(m.accounts)) {
		if prefix == "" || ledger.Within(market.Account(path), market.Account(prefix)) {
			out = append(out, m.accounts[path])
		}
	}
	return out, m.err
}

// Bindings are people/ and the name, and all below it.
func (m *Market) Bindings(_ context.Context, user string) (accounts.Bindings, error) {
	return accounts.Bindings{{Account: "people/" + user, Below: true}}, m.failed()
}

// AccountOf is people/ and the name.
func (m *Market) AccountOf(_ context.Context, user string) (string, error) {
	return "people/" + user, m.failed()
}

func (m *Market) failed() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}
