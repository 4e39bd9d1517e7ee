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

// An account has one allowance in a period, however long that is and however often it is
// left and taken again, by whomever: a yearly one is not had monthly. Who comes to one that
// nothing was spent of since the period began has it.
func TestOnePeriodOneAllowance(t *testing.T) {
	h := newHouse(t, "alice")
	h.allow(noon, trade.MoneyCommand{To: "people", Amount: 100, EveryUS: 300 * day, Most: 100, Each: true})
	h.owns("people/alice", 100)
	comes := func(at int64, user string, want market.Money) {
		t.Helper()
		h.pay(at)
		if a, _ := h.books.Account("people/alice"); a.Free > 0 {
			if _, err := h.books.Hold(at, at, "people/alice", a.Free); err != nil {
				t.Fatal(err)
			}
			if _, err := h.books.Charge(at, at, a.Free); err != nil {
				t.Fatal(err)
			}
		}
		for _, was := range h.people.Users("people/alice") {
			h.people.Unbind(was, "people/alice")
		}
		h.people.Bind(user, accounts.Binding{Account: "people/alice"}, false)
		h.First(at, "people/alice", h.books, h.people)
		h.owns("people/alice", want)
	}
	comes(noon+day, "alice", 0)
	comes(noon+40*day, "alice", 0)
	comes(noon+80*day, "bob", 0)
	comes(noon+299*day, "bob", 0)
	comes(noon+300*day, "carol", 0) // what is due is paid, and spent
	comes(noon+340*day, "alice", 0)
	h.people.Unbind("alice", "people/alice") // when the next is due nobody is in it
	h.pay(noon + 600*day)
	h.owns("people/alice", 0)
	h.people.Bind("dan", accounts.Binding{Account: "people/alice"}, false)
	h.First(noon+640*day, "people/alice", h.books, h.people)
	h.owns("people/alice", 100)
}

// Who comes without an account gets one, where they are welcome, and only they.
func TestWelcome(t *testing.T) {
	h := newHouse(t, "alice")
	if txs := h.Welcome(noon, trade.Identity{User: "eve", Role: trade.RoleUser}, h.books, h.people); len(txs) != 0 {
		t.Errorf("nobody said that they are welcome: %+v", txs)
	}
	h.allow(noon, trade.MoneyCommand{To: "people", Amount: 100, EveryUS: day, Most: 300, Each: true, Welcome: true})
	for user, want := range map[string]bool{"eve": true, "alice": false, "Eve": false, "Not A Path": false} {
		if path, some := h.Awaits(trade.Identity{User: user, Role: trade.RoleUser}, h.books, h.people); some != want || some && path != "people/"+user {
			t.Errorf("%s awaits %q, %t", user, path, some)
		}
	}
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
				if h.MayGive(alice, &m, h.books, h.people) == nil {
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

// Only what came from elsewhere is given away, to the last of it; the owner may move all.
func TestWhatIsAboveTheMostIsGiven(t *testing.T) {
	h := newHouse(t, "alice")
	h.open("people/group", "")
	h.allow(noon, trade.MoneyCommand{To: "people", Amount: 10, EveryUS: day, Most: 25, Each: true})
	for path, amount := range map[string]market.Money{"people/alice": 20, "people/group": 7, "people": 7} {
		if _, err := h.books.Grant(noon, market.Account(path), amount, ""); err != nil {
			t.Fatal(err)
		}
	}
	give := func(by trade.Identity, from string, amount int64, may bool) {
		t.Helper()
		err := h.MayGive(by, &trade.MoneyCommand{From: from, Amount: amount}, h.books, h.people)
		var kept *Kept
		if may && err != nil || !may && (!errors.As(err, &kept) || kept.Account != from || kept.Most != 25) {
			t.Errorf("%s gives %d of %s: %v", by.User, amount, from, err)
		}
	}
	give(alice, "people/alice", 5, true)
	give(alice, "people/alice", 6, false)
	give(owner, "people/alice", 30, true)
	give(alice, "people/nobody", 5, true) // the books say what is wrong with it
	give(alice, "people/group", 7, true)  // nobody is bound to it: it gets none
	give(alice, "people", 7, true)        // what those below get is not its own
	if _, err := h.books.Hold(noon, 1, "people/alice", 30); err != nil {
		t.Fatal(err)
	}
	give(alice, "people/alice", 5, true) // what is held is owned still
	give(alice, "people/alice", 6, false)
}

// What an account shows of its allowance is what it gets; one that is for those below
// says so, and one that gets none says nothing.
func TestWhatIsShown(t *testing.T) {
	h := newHouse(t, "alice", "bob")
	h.allow(noon, trade.MoneyCommand{To: "people", Amount: 10, EveryUS: day, Most: 25, Each: true})
	h.allow(noon, trade.MoneyCommand{To: "people/bob", Amount: 3, EveryUS: 2 * day, Most: 4})
	shown := func(v trade.Account, amount, ms, most, next int64, each bool) {
		t.Helper()
		h.Show(&v)
		if v.Allowance != amount || v.AllowanceMS != ms || v.AllowanceMost != most || v.AllowanceUS != next || v.AllowanceEach != each {
			t.Errorf("%+v", v)
		}
	}
	const dayMS = 24 * 3600 * 1000
	shown(trade.Account{Path: "people/alice", Users: []string{"alice"}}, 10, dayMS, 25, noon+day, false)
	shown(trade.Account{Path: "people/bob"}, 3, 2*dayMS, 4, noon+2*day, false)
	shown(trade.Account{Path: "people"}, 10, dayMS, 25, noon+day, true)
	shown(trade.Account{Path: "people/group"}, 0, 0, 0, 0, false)
	shown(trade.Account{Path: "people/alice", Users: []string{"alice"}, Closed: true}, 0, 0, 0, 0, false)
	shown(trade.Account{Path: "elsewhere", Users: []string{"carol"}}, 0, 0, 0, 0, false)
}

// Another allowance comes when the one before it would have, or sooner, and is paid once.
func TestAnotherAllowance(t *testing.T) {
	h := newHouse(t, "alice")
	set := func(at, every, next int64) {
		t.Helper()
		h.allow(at, trade.MoneyCommand{To: "people/alice", Amount: 10, EveryUS: every, Most: 100})
		if due, _ := h.Next(); due != next {
			t.Errorf("due in %d h", (due-at)/(day/24))
		}
	}
	set(noon, day, noon+day)
	set(noon+day/2, 10*day, noon+day)
	set(noon+day/2, day/4, noon+day/2+day/4)
	h.owns("people/alice", 10)
}

// What has changed is told once: who has another one, who was paid, and who has none any
// more. That is what is written down.
func TestWhatHasChangedIsTold(t *testing.T) {
	h := newHouse(t, "alice", "bob")
	told := func(want ...Allowance) {
		t.Helper()
		if got := h.Changed(); !slices.Equal(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	a := Allowance{Account: "people/alice", Amount: 10, EveryUS: day, Most: 100, NextUS: noon + day}
	b := Allowance{Account: "people/bob", Amount: 20, EveryUS: 2 * day, Most: 100, NextUS: noon + 2*day}
	h.allow(noon, trade.MoneyCommand{To: a.Account, Amount: 10, EveryUS: day, Most: 100})
	h.allow(noon, trade.MoneyCommand{To: b.Account, Amount: 20, EveryUS: 2 * day, Most: 100})
	told(a, b)
	told()
	h.pay(noon + day)
	a.NextUS += day
	told(a)
	h.allow(noon+day, trade.MoneyCommand{To: b.Account})
	told(Allowance{Account: b.Account, EveryUS: 0, NextUS: 0})
	if next, some := h.Next(); !some || next != a.NextUS {
		t.Errorf("the next is due at %d, %v", next, some)
	}
}

// Bounds of an allowance are what they say, and an account that is closed, or full to the
// last of what money can be, gets nothing and stops nobody.
func TestBoundsOfAllowances(t *testing.T) {
	h := newHouse(t, "alice", "bob")
	for every, good := range map[int64]bool{LeastEveryUS: true, LeastEveryUS - 1: false, MostEveryUS: true, MostEveryUS + 1: false} {
		if err := (&Allowance{Amount: 1, EveryUS: every, Most: 1}).Check(); (err == nil) != good {
			t.Errorf("every %d: %v", every, err)
		}
	}
	const most = market.Money(1<<63 - 1)
	debt := &Allowance{Amount: 1, Most: most}
	if got := debt.fill(-5, 1<<62); got != 1<<62 {
		t.Errorf("a debt of 5 is filled by %d", got)
	}
	if got := debt.fill(-5, 1<<63-1); got != most {
		t.Errorf("a debt of 5 is filled by %d at most", got)
	}
	if got := (&Allowance{Amount: 4, Most: 10}).fill(-5, 9); got != 15 {
		t.Errorf("a debt of 5 is filled up by %d", got)
	}
	if _, err := h.books.Close(noon, "people/alice"); err != nil {
		t.Fatal(err)
	}
	h.allow(noon, trade.MoneyCommand{To: "people", Amount: 10, EveryUS: day, Most: 25, Each: true})
	h.owns("people/alice", 0)
	h.owns("people/bob", 10)
	if tx := h.pay(noon + day)[0]; tx.Memo != "0.00001 every 86400 s, up to 0.000025" {
		t.Errorf("%q", tx.Memo)
	}
}

// Nearer ones count: what is for each below an account is not for those of another such
// account below it, and one that is for its account alone is not for those below.
func TestTheNearestCounts(t *testing.T) {
	h := newHouse(t, "alice")
	h.open("people/staff", "")
	h.open("people/staff/dan", "dan")
	h.open("people/alice/own", "eve")
	h.allow(noon, trade.MoneyCommand{To: "people/alice", Amount: 1, EveryUS: day, Most: 1})
	h.allow(noon, trade.MoneyCommand{To: "people/staff", Amount: 5, EveryUS: day, Most: 5, Each: true})
	h.allow(noon, trade.MoneyCommand{To: "people", Amount: 10, EveryUS: day, Most: 25, Each: true})
	for path, want := range map[string]market.Money{"people/alice": 1, "people/staff": 0, "people/staff/dan": 5, "people/alice/own": 10} {
		h.owns(path, want)
	}
}
