package ledger

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/market"
)

func TestStateRoundTrips(t *testing.T) {
	b := life(t)
	b.do(b.Hold(march+6, 9, "org/proj/ann", 130))
	b.do(b.Hold(march+6, 10, "org", 0))
	for _, l := range []*Ledger{New(), b.Ledger} {
		state := l.State()
		text, err := json.Marshal(state)
		if err != nil {
			t.Fatal(err)
		}
		var read State
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		restored, err := Restore(read)
		if err != nil {
			t.Fatal(err)
		}
		if again := restored.State(); !reflect.DeepEqual(again, state) {
			t.Errorf("%s came back as %+v", text, again)
		}
	}
	if l, err := Restore(State{}); err != nil || !reflect.DeepEqual(l.State(), New().State()) {
		t.Errorf("from nothing: %v", err)
	}
}

func TestAStateIsACopy(t *testing.T) {
	b := life(t)
	b.do(b.Hold(march+6, 9, "org/proj/ann", 130))
	before := b.State()
	given := b.State()
	given.Holds[0].Parts[0].Amount = 1
	given.Accounts[0].Free = 1
	if !reflect.DeepEqual(b.State(), before) {
		t.Error("writing to a state wrote to the ledger")
	}
	restored, err := Restore(before)
	if err != nil {
		t.Fatal(err)
	}
	before.Holds[0].Parts[0].Amount = 1
	if h, _ := restored.HoldOf(9); h.Amount() != 130 {
		t.Error("writing to a state wrote to the ledger made from it")
	}
}

func TestRestoreRefusesWhatCannotBe(t *testing.T) {
	at := func(s *State, path market.Account) *Account {
		i := slices.IndexFunc(s.Accounts, func(a Account) bool { return a.Path == path })
		return &s.Accounts[i]
	}
	for name, wrong := range map[string]func(*State){
		"negative number":    func(s *State) { s.Seq = -1 },
		"no time":            func(s *State) { s.At = math.MaxInt64 },
		"no mint":            func(s *State) { s.Accounts = s.Accounts[1:] },
		"no accounts":        func(s *State) { s.Accounts = nil },
		"money from nowhere": func(s *State) { at(s, "org").Free++ },
		"out of order":       func(s *State) { slices.Reverse(s.Accounts) },
		"twice":              func(s *State) { s.Accounts = append(s.Accounts, s.Accounts[len(s.Accounts)-1]) },
		"bad path":           func(s *State) { s.Accounts = append(s.Accounts, Account{Path: "~", Limit: NoLimit}) },
		"orphan":             func(s *State) { s.Accounts = append(s.Accounts, Account{Path: "x/y", Limit: NoLimit}) },
		"overdrawn":          func(s *State) { at(s, "org").Free -= 2000; at(s, Owner).Free += 2000 },
		"credit of the mint": func(s *State) { at(s, Mint).Credit = 5 },
		"closed mint":        func(s *State) { at(s, Mint).Closed = true },
		"closed with money":  func(s *State) { at(s, "org/proj/ann").Closed = true },
		"closed above open": func(s *State) {
			s.Accounts = append(s.Accounts, Account{Path: "x", Closed: true, Limit: NoLimit}, Account{Path: "x/y", Limit: NoLimit})
		},
		"negative limit":   func(s *State) { at(s, "org").Limit = -2 },
		"negative credit":  func(s *State) { at(s, "org").Credit = -2 },
		"a month to come":  func(s *State) { at(s, "org").Month = 202604 },
		"a 13th month":     func(s *State) { at(s, "org").Month = 202513 },
		"spent never":      func(s *State) { at(s, "org").Month = 0 },
		"held by nobody":   func(s *State) { at(s, "org").Held++; at(s, "org").Free-- },
		"reserved for no":  func(s *State) { at(s, "org").Reserved++ },
		"a hold less":      func(s *State) { s.Holds = nil },
		"holds disordered": func(s *State) { slices.Reverse(s.Holds) },
		"a hold twice":     func(s *State) { s.Holds = append(s.Holds, s.Holds[1]) },
		"job below zero":   func(s *State) { s.Holds[0].Job = -1 },
		"hold by nobody":   func(s *State) { s.Holds[0].Account = "nobody" },
		"hold by the mint": func(s *State) { s.Holds[0].Account = Mint },
		"hold to come":     func(s *State) { s.Holds[0].At = s.At + 1 },
		"negative part":    func(s *State) { s.Holds[0].Parts[0].Amount *= -1 },
		"foreign part":     func(s *State) { s.Holds[0].Parts[0].Account = Owner },
		"parts downwards":  func(s *State) { slices.Reverse(s.Holds[0].Parts) },
		"a part too large": func(s *State) { s.Holds[0].Parts[0].Amount = math.MaxInt64 },
	} {
		b := life(t)
		b.do(b.Hold(march+6, 9, "org/proj/ann", 130))
		b.do(b.Hold(march+6, 10, "org", 0))
		state := b.State()
		wrong(&state)
		if _, err := Restore(state); !errors.Is(err, ErrState) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzRestore(f *testing.F) {
	b := life(f)
	b.do(b.SetCredit(march+5, "org/proj/ann", 40))
	b.do(b.Hold(march+6, 9, "org/proj/ann", 130))
	b.do(b.Hold(march+6, 10, "org", 0))
	for _, l := range []*Ledger{New(), b.Ledger} {
		text, err := json.Marshal(l.State())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"seq":1,"accounts":[{"path":"@mint","limit_micros":-1},{"path":"@owner","limit_micros":-1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var read State
		if json.Unmarshal(text, &read) != nil {
			return
		}
		l, err := Restore(read)
		if err != nil {
			if !errors.Is(err, ErrState) {
				t.Fatalf("not the state's fault: %v", err)
			}
			return
		}
		if l.Total() != 0 {
			t.Fatalf("all money together is %s", l.Total())
		}
		state := l.State()
		again, err := Restore(state)
		if err != nil || !reflect.DeepEqual(again.State(), state) {
			t.Fatalf("%+v does not come back: %v", state, err)
		}
		// Whatever is held can be given back, and whatever is left verified.
		var log []Tx
		for _, h := range l.Holds("") {
			tx, err := l.Release(state.At, h.Job)
			if errors.Is(err, market.ErrAmount) {
				continue // its owner is as rich as can be
			}
			if err != nil {
				t.Fatal(err)
			}
			log = append(log, tx)
		}
		want := l.State()
		if _, err := Verify(state, replay(log), &want); err != nil {
			t.Fatal(err)
		}
	})
}
