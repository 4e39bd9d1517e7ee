package ledger

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// machine drives a ledger, its model and a follower that only applies what the
// ledger wrote.
type machine struct {
	ledger   *Ledger
	follower *Ledger
	model    *model
	log      []Tx
	at       int64
}

var (
	somePaths   = []market.Account{"a", "a/b", "a/b/c", "a/b/d", "a/e", "f", "f/g"}
	anyPath     = rapid.SampledFrom(somePaths)
	anyReceiver = rapid.SampledFrom(append([]market.Account{Owner}, somePaths...))
	anyJob      = rapid.Int64Range(0, 5)
	anyAmount   = rapid.Custom(func(t *rapid.T) market.Money { return market.Money(rapid.Int64Range(0, 40).Draw(t, "amount")) })
)

// same asks ledger and model for the same answer.
func (m *machine) same(t *rapid.T, tx Tx, err, want error) {
	t.Helper()
	if (err == nil) != (want == nil) || want != nil && !errors.Is(err, onlyOne(want)) {
		t.Fatalf("ledger says %v, model says %v", err, want)
	}
	if err != nil {
		return
	}
	m.log = append(m.log, tx)
	if err := m.follower.Apply(tx); err != nil {
		t.Fatalf("follower refuses %+v: %v", tx, err)
	}
}

// onlyOne is the first of several reasons; the ledger names one.
func onlyOne(err error) error {
	var several interface{ Unwrap() []error }
	if errors.As(err, &several) {
		return several.Unwrap()[0]
	}
	return err
}

// agrees compares everything the two know.
func (m *machine) agrees(t *rapid.T) {
	if sum := m.ledger.Total(); sum != 0 {
		t.Fatalf("all money together is %d", sum)
	}
	accounts := m.ledger.Accounts("")
	if len(accounts) != len(m.model.state) {
		t.Fatalf("%d accounts, want %d", len(accounts), len(m.model.state))
	}
	for _, a := range accounts {
		p := a.Path
		if a.Free != m.model.free[p] || a.Held != m.model.held[p] || a.Limit != m.model.limit[p] || a.Credit != m.model.credit[p] ||
			a.Closed != (m.model.state[p] == "closed") {
			t.Fatalf("%+v, want free %d held %d limit %d credit %d %s", a,
				m.model.free[p], m.model.held[p], m.model.limit[p], m.model.credit[p], m.model.state[p])
		}
		if !system(p) && (a.Reserved != m.model.reserved(p) || a.Used(m.at) != m.model.used(m.at, p)) {
			t.Fatalf("%s has %d reserved and %d used, want %d and %d", p,
				a.Reserved, a.Used(m.at), m.model.reserved(p), m.model.used(m.at, p))
		}
		if !system(p) && a.Free < -a.Credit {
			t.Fatalf("%s is overdrawn: %+v", p, a)
		}
	}
	holds := m.ledger.Holds("")
	if len(holds) != len(m.model.holds) {
		t.Fatalf("%d holds, want %d", len(holds), len(m.model.holds))
	}
	for _, h := range holds {
		want := m.model.holds[h.Job]
		if h.Account != want.payer {
			t.Fatalf("job %d is paid by %s, want %s", h.Job, h.Account, want.payer)
		}
		for _, part := range h.Parts {
			if want.parts[part.Account] != part.Amount {
				t.Fatalf("job %d: parts %v, want %v", h.Job, h.Parts, want.parts)
			}
		}
		if h.Amount() != total(h.Parts) {
			t.Fatalf("job %d: %v", h.Job, h)
		}
	}
	if !reflect.DeepEqual(m.ledger.State(), m.follower.State()) {
		t.Fatalf("the follower has %+v, want %+v", m.follower.State(), m.ledger.State())
	}
}

func (m *machine) actions() map[string]func(*rapid.T) {
	path := func(t *rapid.T) market.Account { return anyPath.Draw(t, "path") }
	amount := func(t *rapid.T) market.Money { return anyAmount.Draw(t, "amount") }
	job := func(t *rapid.T) int64 { return anyJob.Draw(t, "job") }
	return map[string]func(*rapid.T){
		"open": func(t *rapid.T) {
			p := path(t)
			tx, err := m.ledger.Open(m.at, p)
			m.same(t, tx, err, m.model.open(p))
		},
		"close": func(t *rapid.T) {
			p := path(t)
			tx, err := m.ledger.Close(m.at, p)
			m.same(t, tx, err, m.model.close(p))
		},
		"limit": func(t *rapid.T) {
			p, limit := path(t), amount(t)*3-1 // none, too
			tx, err := m.ledger.SetLimit(m.at, p, limit)
			m.same(t, tx, err, m.model.setLimit(p, limit))
		},
		"credit": func(t *rapid.T) {
			p, credit := path(t), amount(t)
			tx, err := m.ledger.SetCredit(m.at, p, credit)
			m.same(t, tx, err, m.model.setCredit(p, credit))
		},
		"grant": func(t *rapid.T) {
			p, x := anyReceiver.Draw(t, "to"), amount(t)
			tx, err := m.ledger.Grant(m.at, p, x, "a gift")
			m.same(t, tx, err, m.model.move(Mint, p, x))
		},
		"income": func(t *rapid.T) {
			p, x := path(t), amount(t)
			tx, err := m.ledger.Income(m.at, p, x, "an allowance")
			m.same(t, tx, err, m.model.income(p, x))
		},
		"transfer": func(t *rapid.T) {
			from, to, x := anyReceiver.Draw(t, "from"), anyReceiver.Draw(t, "to"), amount(t)
			tx, err := m.ledger.Transfer(m.at, from, to, x, "")
			m.same(t, tx, err, m.model.transfer(m.at, from, to, x))
		},
		"hold": func(t *rapid.T) {
			j, p, x := job(t), path(t), amount(t)
			tx, err := m.ledger.Hold(m.at, j, p, x)
			m.same(t, tx, err, m.model.hold(m.at, j, p, x))
		},
		"raise": func(t *rapid.T) {
			j, x := job(t), amount(t)
			tx, err := m.ledger.Raise(m.at, j, x)
			m.same(t, tx, err, m.model.raise(m.at, j, x))
		},
		"capture": func(t *rapid.T) {
			j, x := job(t), amount(t)
			tx, err := m.ledger.Charge(m.at, j, x)
			m.same(t, tx, err, m.model.capture(m.at, j, x))
		},
		"release": func(t *rapid.T) {
			j := job(t)
			tx, err := m.ledger.Release(m.at, j)
			m.same(t, tx, err, m.model.capture(m.at, j, 0))
		},
		"penalty": func(t *rapid.T) {
			j, p, x := job(t), path(t), amount(t)
			tx, err := m.ledger.Penalty(m.at, j, p, x)
			m.same(t, tx, err, m.model.move(Owner, p, x))
		},
		"refund": func(t *rapid.T) {
			p, x := path(t), amount(t)
			tx, err := m.ledger.Refund(m.at, NoJob, p, x, "")
			m.same(t, tx, err, m.model.refund(m.at, p, x))
		},
		// What is held is not often for the job that is drawn, so here is the
		// whole way of one.
		"pay": func(t *rapid.T) {
			j, p, x, y := job(t), path(t), amount(t), amount(t)
			tx, err := m.ledger.Hold(m.at, j, p, x)
			m.same(t, tx, err, m.model.hold(m.at, j, p, x))
			tx, err = m.ledger.Charge(m.at, j, min(x, y))
			m.same(t, tx, err, m.model.capture(m.at, j, min(x, y)))
		},
		"wait":  func(t *rapid.T) { m.at += rapid.Int64Range(0, 3*day).Draw(t, "time") },
		"sleep": func(*rapid.T) { m.at = MonthOf(m.at).End },
		"restart": func(t *rapid.T) {
			text, err := json.Marshal(m.ledger.State())
			if err != nil {
				t.Fatal(err)
			}
			var read State
			if err := json.Unmarshal(text, &read); err != nil {
				t.Fatal(err)
			}
			if m.ledger, err = Restore(read); err != nil {
				t.Fatal(err)
			}
		},
		"": m.agrees,
	}
}

// newMachine starts with some accounts that have money, so that the first steps
// are not all refused.
func newMachine(t *rapid.T) *machine {
	m := &machine{ledger: New(), follower: New(), model: newModel(), at: march}
	for _, p := range []market.Account{"a/b/c", "f"} {
		tx, err := m.ledger.Open(m.at, p)
		m.same(t, tx, err, m.model.open(p))
	}
	for _, p := range []market.Account{"a", "a/b", "a/b/c"} {
		tx, err := m.ledger.Grant(m.at, p, 30, "")
		m.same(t, tx, err, m.model.move(Mint, p, 30))
	}
	return m
}

func TestLedgerAgreesWithTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t)
		for range 3 {
			t.Repeat(m.actions())
		}
		want := m.ledger.State()
		if _, err := Verify(State{}, replay(m.log), &want); err != nil {
			t.Fatal(err)
		}
		m.tamper(t)
		m.stated(t)
	})
}

// tamper alters one field of one transaction: the chain breaks there.
func (m *machine) tamper(t *rapid.T) {
	log := copied(m.log)
	place := rapid.IntRange(0, len(log)-1).Draw(t, "place")
	tx := &log[place]
	fields := map[string]func(){
		"seq":     func() { tx.Seq++ },
		"at":      func() { tx.At ^= 1 },
		"kind":    func() { tx.Kind += "s" },
		"job":     func() { tx.Job++ },
		"account": func() { tx.Account += "x" },
		"memo":    func() { tx.Memo += "!" },
		"limit":   func() { tx.Limit++ },
		"credit":  func() { tx.Credit-- },
		"rule":    func() { tx.Rule ^= 1 },
		"hash":    func() { tx.Hash[rapid.IntRange(0, len(tx.Hash)-1).Draw(t, "byte")] ^= 64 },
		"more":    func() { tx.Postings = append(tx.Postings, free("a", 0)) },
	}
	if n := len(tx.Postings); n > 0 {
		p := &tx.Postings[rapid.IntRange(0, n-1).Draw(t, "posting")]
		fields["amount"] = func() { p.Amount ^= 1 << rapid.IntRange(0, 62).Draw(t, "bit") }
		fields["whose"] = func() { p.Account = "f/g/h" }
		fields["side"] = func() {
			if p.Side == Free {
				p.Side = Held
			} else {
				p.Side = Free
			}
		}
		fields["less"] = func() { tx.Postings = tx.Postings[:n-1] }
		fields["swapped"] = func() { tx.Postings[0], tx.Postings[n-1] = tx.Postings[n-1], tx.Postings[0] }
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	fields[rapid.SampledFrom(names).Draw(t, "field")]()
	_, err := Verify(State{}, replay(log), nil)
	var found *Break
	if !errors.As(err, &found) || found.Seq != int64(place+1) {
		t.Fatalf("%+v instead of %+v: %v", log[place], m.log[place], err)
	}
}

// stated asks for statements that add up to the balances.
func (m *machine) stated(t *rapid.T) {
	m.afforded(t)
	path, subtree := anyPath.Draw(t, "account"), rapid.Bool().Draw(t, "subtree")
	middle := rapid.Int64Range(march, m.at+1).Draw(t, "middle")
	early := NewStatement(path, subtree, Period{Start: 0, End: middle})
	late := NewStatement(path, subtree, Period{Start: middle, End: m.at + 1})
	for _, tx := range m.log {
		if err := errors.Join(early.Add(tx), late.Add(tx)); err != nil {
			t.Fatal(err)
		}
	}
	var owned, held market.Money
	for _, a := range m.ledger.Accounts("") {
		if a.Path == path || subtree && below(a.Path, path) {
			owned += a.Free + a.Held
			held += a.Held
		}
	}
	if early.Opening != 0 || early.Closing != late.Opening || late.Closing != owned || late.Held != held {
		t.Fatalf("from %d to %d, from %d to %d, held %d; want %d and %d",
			early.Opening, early.Closing, late.Opening, late.Closing, late.Held, owned, held)
	}
	balance := late.Opening
	for _, line := range late.Lines {
		if balance += line.Amount; line.Balance != balance || line.Amount == 0 {
			t.Fatalf("%+v after %d", line, balance-line.Amount)
		}
	}
	if balance != late.Closing {
		t.Fatalf("lines add up to %d, want %d", balance, late.Closing)
	}
}
