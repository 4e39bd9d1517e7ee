package allowance

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

const (
	day  = int64(24 * 3600 * 1_000_000)
	noon = 1_000 * day
)

var owner, alice = trade.Identity{User: "root", Role: trade.RoleOwner}, trade.Identity{User: "alice", Role: trade.RoleUser}

// house is a book of allowances beside the accounts that it is about.
type house struct {
	testing.TB
	*Book
	books  *ledger.Ledger
	people *accounts.Register
}

func newHouse(t testing.TB, users ...string) *house {
	t.Helper()
	h := &house{TB: t, Book: New(), books: ledger.New(), people: accounts.New()}
	h.open("people", "")
	for _, user := range users {
		h.open("people/"+user, user)
	}
	return h
}

func (h *house) open(path, user string) {
	h.Helper()
	if _, err := h.books.Open(noon, market.Account(path)); err != nil {
		h.Fatal(err)
	}
	if user != "" {
		h.people.Bind(user, accounts.Binding{Account: path}, false)
	}
}

func (h *house) allow(at int64, m trade.MoneyCommand) {
	h.Helper()
	m.Op = "allow"
	if _, err := h.Allow(at, &m, h.books, h.people); err != nil {
		h.Fatal(err)
	}
}

func (h *house) pay(at int64) []ledger.Tx { return h.Pay(at, h.books, h.people) }

func (h *house) owns(path string, want market.Money) {
	h.Helper()
	a, _ := h.books.Account(market.Account(path))
	if a.Free+a.Held != want {
		h.Errorf("%s owns %v, want %v", path, a.Free+a.Held, want)
	}
}

// The first is paid at once, then one each period, and none above the most. What is
// held for jobs is owned still.
func TestAnAllowanceRefills(t *testing.T) {
	h := newHouse(t, "alice")
	h.allow(noon, trade.MoneyCommand{To: "people/alice", Amount: 100, EveryUS: day, Most: 250})
	h.owns("people/alice", 100)
	if n := len(h.pay(noon + day - 1)); n != 0 {
		t.Errorf("%d are paid before they are due", n)
	}
	h.pay(noon + day)
	h.owns("people/alice", 200)
	if n := len(h.pay(noon + day)); n != 0 {
		t.Errorf("%d are paid twice", n)
	}
	if _, err := h.books.Hold(noon+day, 1, "people/alice", 150); err != nil {
		t.Fatal(err)
	}
	h.pay(noon + 2*day)
	h.owns("people/alice", 250)
	h.pay(noon + 3*day)
	h.owns("people/alice", 250)
	if next, _ := h.Next(); next != noon+4*day {
		t.Errorf("the next one is due at %d", next)
	}
	if a, _ := h.books.Account(ledger.Allowances); a.Free != -250 || h.books.Total() != 0 {
		t.Errorf("%v were paid, and all together is %v", -a.Free, h.books.Total())
	}
}

// What was due while nobody paid is paid in one, and once.
func TestTimeAwayIsMadeUpOnce(t *testing.T) {
	h := newHouse(t, "alice")
	h.allow(noon, trade.MoneyCommand{To: "people/alice", Amount: 10, EveryUS: day, Most: 1000})
	txs := h.pay(noon + 7*day + day/2)
	if len(txs) != 1 || txs[0].Kind != ledger.KindIncome {
		t.Fatalf("%+v", txs)
	}
	h.owns("people/alice", 80)
	again := New() // what was written down goes on
	for _, a := range h.All() {
		again.Put(a)
	}
	if txs := again.Pay(noon+7*day+day/2, h.books, h.people); len(txs) != 0 {
		t.Errorf("paid again: %+v", txs)
	}
	again.Pay(noon+8*day, h.books, h.people)
	h.owns("people/alice", 90)
}

// Each account below gets one that somebody is bound to, and that has none of its own;
// so do those that are opened later, at once.
func TestEachBelowGetsOne(t *testing.T) {
	h := newHouse(t, "alice", "bob")
	h.open("people/group", "")
	h.open("elsewhere", "carol")
	h.allow(noon, trade.MoneyCommand{To: "people/bob", Amount: 5, EveryUS: day, Most: 5})
	h.allow(noon, trade.MoneyCommand{To: "people", Amount: 100, EveryUS: day, Most: 300, Each: true})
	h.open("people/dave", "dave")
	h.First(noon, "people/dave", h.books, h.people)
	h.First(noon, "people/dave", h.books, h.people)
	for path, want := range map[string]market.Money{"people": 0, "people/alice": 100, "people/bob": 5, "people/group": 0, "elsewhere": 0, "people/dave": 100} {
		h.owns(path, want)
	}
	h.allow(noon, trade.MoneyCommand{To: "people"}) // none any more
	h.pay(noon + 9*day)
	h.owns("people/alice", 100)
	if len(h.All()) != 1 {
		t.Errorf("%+v", h.All())
	}
}

// Who comes without an account gets one, where they are welcome, and only they.
func TestWelcome(t *testing.T) {
	h := newHouse(t, "alice")
	if txs := h.Welcome(noon, trade.Identity{User: "eve", Role: trade.RoleUser}, h.books, h.people); len(txs) != 0 {
		t.Errorf("nobody said that they are welcome: %+v", txs)
	}
	h.allow(noon, trade.MoneyCommand{To: "people", Amount: 100, EveryUS: day, Most: 300, Each: true, Welcome: true})
	h.Welcome(noon, trade.Identity{User: "eve", Role: trade.RoleUser}, h.books, h.people)
	h.owns("people/eve", 100)
	for _, by := range []trade.Identity{{User: "eve", Role: trade.RoleUser}, alice, owner, {User: "n1", Role: trade.RoleNode}, {User: "Not A Path", Role: trade.RoleUser}} {
		if txs := h.Welcome(noon, by, h.books, h.people); len(txs) != 0 {
			t.Errorf("%s: %+v", by.User, txs)
		}
	}
}

// What makes no sense is refused.
func TestWhatIsNoAllowance(t *testing.T) {
	h := newHouse(t, "alice")
	for field, m := range map[string]trade.MoneyCommand{
		"amount_micros": {To: "people", Amount: -1, EveryUS: day, Most: 5},
		"every_ms":      {To: "people", Amount: 1, EveryUS: 1000, Most: 5},
		"most_micros":   {To: "people", Amount: 10, EveryUS: day, Most: 5},
		"welcome":       {To: "people", Amount: 1, EveryUS: day, Most: 5, Welcome: true},
	} {
		_, err := h.Allow(noon, &m, h.books, h.people)
		var wrong *market.FieldError
		if !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := h.Allow(noon, &trade.MoneyCommand{To: "nobody", Amount: 1, EveryUS: day, Most: 5}, h.books, h.people); !errors.Is(err, trade.ErrUnknown) {
		t.Error(err)
	}
}

// Whatever a user does, no more goes out of an account with an allowance than came in
// from elsewhere: what came by itself went to jobs, or is there.
func TestNothingOfItIsGivenAway(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		h := newHouse(t, "alice", "bob")
		h.allow(noon, trade.MoneyCommand{To: "people/alice", Amount: 10, EveryUS: day, Most: market30(r)})
		at, job := noon, int64(1)
		var other, given market.Money
		for range rapid.IntRange(1, 40).Draw(r, "steps") {
			amount := market.Money(rapid.Int64Range(1, 30).Draw(r, "amount"))
			switch rapid.IntRange(0, 5).Draw(r, "what") {
			case 0:
				at += rapid.Int64Range(0, 3*day).Draw(r, "later")
				h.pay(at)
			case 1:
				if _, err := h.books.Grant(at, "people/alice", amount, ""); err == nil {
					other += amount
				}
			case 2:
				if _, err := h.books.Hold(at, job, "people/alice", amount); err == nil {
					job++
				}
			case 3:
				if job > 1 {
					_, _ = h.books.Release(at, job-1)
				}
			case 4:
				if job > 1 {
					_, _ = h.books.Charge(at, job-1, 1)
				}
			case 5:
				m := trade.MoneyCommand{Op: "transfer", From: "people/alice", To: "people/bob", Amount: int64(amount)}
				if h.MayGive(alice, &m, h.books) == nil {
					if _, err := h.books.Transfer(at, "people/alice", "people/bob", amount, ""); err == nil {
						given += amount
					}
				}
			}
			if given > other {
				r.Fatalf("%v were given away of %v that were given to her", given, other)
			}
		}
	})
}

func market30(r *rapid.T) int64 { return rapid.Int64Range(10, 40).Draw(r, "most") }

// When the next one is due is known without asking all of them, whatever is put in.
func TestTheNextOneIsTheFirstOfAll(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := New()
		for range rapid.IntRange(1, 30).Draw(r, "steps") {
			b.Put(Allowance{
				Account: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "account"),
				Amount:  market.Money(rapid.Int64Range(0, 2).Draw(r, "amount")),
				NextUS:  rapid.Int64Range(1, 9).Draw(r, "next"),
			})
			var times []int64
			for _, a := range b.All() {
				times = append(times, a.NextUS)
			}
			next, some := b.Next()
			if some != (len(times) > 0) || some && next != slices.Min(times) {
				r.Fatalf("the next is said to be due at %d, of %v", next, times)
			}
		}
	})
}
