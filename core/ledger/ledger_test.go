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

const (
	march int64 = 1_772_323_200_000_000 // 2026-03-01
	april int64 = 1_775_001_600_000_000 // 2026-04-01
)

// book is a ledger that keeps its log and fails the test on an error.
type book struct {
	*Ledger
	t   testing.TB
	log []Tx
}

func newBook(t testing.TB) *book { return &book{Ledger: New(), t: t} }

func (b *book) do(tx Tx, err error) Tx {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	b.log = append(b.log, tx)
	return tx
}

// family is an organisation with 1000, a project in it with 100 and a member of
// that with 10.
func family(t testing.TB) *book {
	b := newBook(t)
	b.do(b.Open(march, "org/proj/ann"))
	b.do(b.Grant(march, "org", 1000, "for the year"))
	b.do(b.Grant(march, "org/proj", 100, ""))
	b.do(b.Grant(march, "org/proj/ann", 10, ""))
	return b
}

func (b *book) wants(path market.Account, free, held market.Money) {
	b.t.Helper()
	a, there := b.Account(path)
	if !there || a.Free != free || a.Held != held {
		b.t.Errorf("%s has %d free and %d held, want %d and %d", path, a.Free, a.Held, free, held)
	}
	if sum := b.Total(); sum != 0 {
		b.t.Errorf("all money together is %d", sum)
	}
}

func free(path market.Account, amount market.Money) Posting { return Posting{path, Free, amount} }
func held(path market.Account, amount market.Money) Posting { return Posting{path, Held, amount} }

func TestOpeningAChildOpensItsParents(t *testing.T) {
	b := newBook(t)
	b.do(b.Open(march, "a/b/c"))
	var paths []market.Account
	for _, a := range b.Accounts("") {
		paths = append(paths, a.Path)
	}
	if !slices.Equal(paths, []market.Account{Mint, Owner, "a", "a/b", "a/b/c"}) {
		t.Errorf("open are %v", paths)
	}
	b.do(b.Open(march, "a/b/d"))
	b.do(b.Open(march, "ab"))
	if got := len(b.Accounts("a")); got != 4 {
		t.Errorf("%d accounts from a downwards, want 4", got)
	}
}

func TestAHoldTakesOwnMoneyFirstAndThenUpwards(t *testing.T) {
	b := family(t)
	tx := b.do(b.Hold(march, 7, "org/proj/ann", 150))
	want := []Posting{
		free("org/proj/ann", -10), held("org/proj/ann", 10),
		free("org/proj", -100), held("org/proj", 100),
		free("org", -40), held("org", 40),
	}
	if !slices.Equal(tx.Postings, want) {
		t.Errorf("postings %v, want %v", tx.Postings, want)
	}
	b.wants("org/proj/ann", 0, 10)
	b.wants("org/proj", 0, 100)
	b.wants("org", 960, 40)
	h, _ := b.HoldOf(7)
	if h.Amount() != 150 || len(h.Parts) != 3 || h.Account != "org/proj/ann" || h.At != march {
		t.Errorf("hold %+v", h)
	}
	if got := b.Holds("org/proj"); len(got) != 1 || !got[0].equal(h) {
		t.Errorf("holds of the project %+v", got)
	}
	if got := b.Holds("other"); len(got) != 0 {
		t.Errorf("holds of others %+v", got)
	}
}

func TestCreditComesAfterAllMoney(t *testing.T) {
	b := family(t)
	b.do(b.SetCredit(march, "org/proj/ann", 5))
	b.do(b.SetCredit(march, "org", 50))
	b.do(b.Hold(march, 1, "org/proj/ann", 1110))
	b.wants("org/proj/ann", 0, 10) // nobody is in debt while there is money
	b.do(b.Hold(march, 2, "org/proj/ann", 25))
	b.wants("org/proj/ann", -5, 15)
	b.wants("org", -20, 1020)
	var short *Shortage
	if _, err := b.Hold(march, 3, "org/proj/ann", 31); !errors.As(err, &short) || *short != (Shortage{"org/proj/ann", 31, 30}) {
		t.Errorf("got %v", err)
	}
	if a, _ := b.Account("org"); a.Overdrawn() != 20 {
		t.Errorf("org is overdrawn by %d", a.Overdrawn())
	}
	// Grants fill the hole first.
	b.do(b.Grant(march, "org", 100, ""))
	b.wants("org", 80, 1020)
}

func TestCaptureChargesInOrderOfPartsAndReleasesTheRest(t *testing.T) {
	for charge, want := range map[market.Money][]Posting{
		0:   {held("org/proj/ann", -10), free("org/proj/ann", 10), held("org/proj", -100), free("org/proj", 100), held("org", -40), free("org", 40)},
		4:   {held("org/proj/ann", -10), free("org/proj/ann", 6), held("org/proj", -100), free("org/proj", 100), held("org", -40), free("org", 40), free(Owner, 4)},
		10:  {held("org/proj/ann", -10), held("org/proj", -100), free("org/proj", 100), held("org", -40), free("org", 40), free(Owner, 10)},
		115: {held("org/proj/ann", -10), held("org/proj", -100), held("org", -40), free("org", 35), free(Owner, 115)},
		150: {held("org/proj/ann", -10), held("org/proj", -100), held("org", -40), free(Owner, 150)},
	} {
		b := family(t)
		b.do(b.Hold(march, 7, "org/proj/ann", 150))
		tx := b.do(b.Charge(march+1, 7, charge))
		if !slices.Equal(tx.Postings, want) {
			t.Errorf("charge of %d: postings %v, want %v", charge, tx.Postings, want)
		}
		b.wants(Owner, charge, 0)
		if _, err := b.Charge(march+1, 7, 0); !errors.Is(err, ErrNoHold) {
			t.Errorf("captured twice: %v", err)
		}
		if _, err := b.Release(march+1, 7); !errors.Is(err, ErrNoHold) {
			t.Errorf("released after capture: %v", err)
		}
	}
}

func TestRaiseAddsToTheParts(t *testing.T) {
	b := family(t)
	b.do(b.Hold(march, 7, "org/proj/ann", 150))
	b.do(b.Grant(march, "org/proj/ann", 3, ""))
	b.do(b.Raise(march, 7, 8))
	h, _ := b.HoldOf(7)
	want := []Part{{"org/proj/ann", 13}, {"org/proj", 100}, {"org", 45}}
	if !slices.Equal(h.Parts, want) {
		t.Errorf("parts %v, want %v", h.Parts, want)
	}
	b.do(b.Release(march, 7))
	b.wants("org/proj/ann", 13, 0)
	b.wants("org/proj", 100, 0)
	b.wants("org", 1000, 0)
	// A released job may ask again.
	b.do(b.Hold(march, 7, "org/proj/ann", 0))
	b.do(b.Charge(march, 7, 0))
}

func TestLimitsCountTheSubtreeByTheMonth(t *testing.T) {
	b := family(t)
	b.do(b.Open(march, "org/proj/bob"))
	b.do(b.SetLimit(march, "org/proj", 200))
	b.do(b.SetLimit(march, "org/proj/bob", 60))
	b.do(b.Hold(march, 1, "org/proj/ann", 120))
	over := func(at int64, account market.Account, amount market.Money, want OverLimit) {
		t.Helper()
		var got *OverLimit
		if _, err := b.Hold(at, 99, account, amount); !errors.As(err, &got) || *got != want {
			t.Errorf("%s holding %d: %v, want %+v", account, amount, err, want)
		}
	}
	over(march, "org/proj/bob", 61, OverLimit{"org/proj/bob", 60, 0, 61})
	b.do(b.Hold(march, 2, "org/proj/bob", 60))
	over(march, "org/proj/ann", 21, OverLimit{"org/proj", 200, 180, 21})
	b.do(b.Charge(march, 2, 50)) // 10 come back
	over(march, "org/proj/ann", 31, OverLimit{"org/proj", 200, 170, 31})
	b.do(b.Penalty(march, 2, "org/proj/bob", 20)) // what was spent was spent
	over(march, "org/proj/ann", 31, OverLimit{"org/proj", 200, 170, 31})
	b.do(b.Refund(march, 2, "org/proj/bob", 21, "miscounted"))
	b.do(b.Hold(march, 3, "org/proj/ann", 51))
	over(march, "org/proj/ann", 1, OverLimit{"org/proj", 200, 200, 1})
	if _, err := b.Raise(march, 3, 1); !errors.Is(err, ErrLimit) {
		t.Errorf("raised beyond the limit: %v", err)
	}
	// In April nothing is spent yet, but what is held is held.
	if a, _ := b.Account("org/proj"); a.Used(april-1) != 200 || a.Used(april) != 171 {
		t.Errorf("used %d in March and %d in April", a.Used(april-1), a.Used(april))
	}
	over(april, "org/proj/bob", 30, OverLimit{"org/proj", 200, 171, 30})
	b.do(b.Charge(april, 1, 0))
	b.do(b.Hold(april, 4, "org/proj/bob", 60))
	b.do(b.SetLimit(april, "org/proj/bob", NoLimit))
	b.do(b.Raise(april, 4, 89))
	over(april, "org/proj/bob", 1, OverLimit{"org/proj", 200, 200, 1})
	b.do(b.Charge(april+1, 4, 100)) // March is not counted with it
	b.do(b.Penalty(april+2, 4, "org/proj/bob", 9))
	b.do(b.Refund(april+2, 4, "org/proj/bob", 7, ""))
	if a, _ := b.Account("org/proj/bob"); a.Used(april+3) != 93 || a.Spent != 93 || a.Month != 202604 {
		t.Errorf("bob has used %+v", a)
	}
	b.do(b.Hold(april+4, 5, "org/proj/bob", 56))
	b.do(b.SetLimit(april+4, "org/proj", 10)) // less than is used already
	b.do(b.Hold(april+4, 6, "org/proj/bob", 0))
	over(april+4, "org/proj/bob", 1, OverLimit{"org/proj", 10, 200, 1})
	if a, _ := b.Account("org"); a.Used(april) != 200 || a.Limit != NoLimit {
		t.Errorf("org has used %d of %d", a.Used(april), a.Limit)
	}
}

// A limit holds for what is given away: but what stays below an account is not
// given away by it.
func TestLimitsHoldForTransfers(t *testing.T) {
	b := family(t) // org has 1000, org/proj 100, org/proj/ann 10
	b.do(b.Open(march, "org/proj/bob"))
	b.do(b.Open(march, "else"))
	b.do(b.SetLimit(march, "org", 150))
	b.do(b.SetLimit(march, "org/proj", 60))
	over := func(from, to market.Account, amount market.Money, want OverLimit) {
		t.Helper()
		var got *OverLimit
		if _, err := b.Transfer(march, from, to, amount, ""); !errors.As(err, &got) || *got != want {
			t.Errorf("%s giving %d to %s: %v, want %+v", from, amount, to, err, want)
		}
	}
	over("org", "else", 400, OverLimit{"org", 150, 0, 400})
	over("org", Mint, 151, OverLimit{"org", 150, 0, 151})
	b.do(b.Transfer(march, "org", "org/proj", 400, "")) // it stays in org
	over("org/proj", "org", 61, OverLimit{"org/proj", 60, 0, 61})
	b.do(b.Transfer(march, "org/proj/ann", "org/proj/bob", 5, "")) // and in proj
	b.do(b.Transfer(march, "org/proj", "else", 50, ""))
	over("org/proj/ann", "else", 11, OverLimit{"org/proj", 60, 50, 11})
	b.do(b.Hold(march, 1, "org/proj", 10))
	over("org/proj", "else", 1, OverLimit{"org/proj", 60, 60, 1})
	over("org", "else", 91, OverLimit{"org", 150, 60, 91})
	b.do(b.Transfer(april, "org/proj", "else", 50, "")) // another month, and 10 are held
}

// What is given away is told from what is paid, month by month.
func TestWhatIsSent(t *testing.T) {
	b := family(t)
	b.do(b.Open(march, "else"))
	b.do(b.Transfer(march, "org/proj", "else", 50, ""))
	b.do(b.Transfer(march, "org/proj", "org/proj/ann", 7, "")) // that stays below the project
	b.do(b.Hold(march, 1, "org/proj", 10))
	b.do(b.Charge(march, 1, 4))
	for path, sent := range map[market.Account]market.Money{"org/proj": 50, "org": 50, "org/proj/ann": 0} {
		if a, _ := b.Account(path); a.SentIn(march) != sent || a.SentIn(april) != 0 || a.SpentIn(march) != sent+4 && sent > 0 {
			t.Errorf("%s: %+v", path, a)
		}
	}
	state := b.State()
	older, wrong := state, state
	for s, sent := range map[*State]market.Money{&older: 0, &wrong: 51} {
		s.Accounts = slices.Clone(state.Accounts)
		for i := range s.Accounts {
			if s.Accounts[i].Path == "org" {
				s.Accounts[i].Sent = sent
			}
		}
	}
	if _, err := Verify(State{}, replay(b.log), &older); err != nil {
		t.Errorf("a state in which nobody noted it: %v", err)
	}
	if _, err := Verify(State{}, replay(b.log), &wrong); err == nil {
		t.Error("more was sent than ever left")
	}
	b.do(b.Hold(april, 2, "org/proj", 10))
	b.do(b.Charge(april, 2, 4))
	if a, _ := b.Account("org"); a.SentIn(april) != 0 || a.SpentIn(april) != 4 {
		t.Errorf("in another month: %+v", a)
	}
}

// What the first versions wrote counts as it did when they wrote it.
func TestTheFirstRule(t *testing.T) {
	b := family(t)
	b.Ledger.Rule = RuleFirst
	b.do(b.SetLimit(march, "org", 10))
	b.do(b.Transfer(march, "org", Mint, 400, ""))
	b.do(b.Penalty(march, 1, "org", 3))
	b.Ledger.Rule = RuleGiven
	if a, _ := b.Account("org"); a.Spent != -3 {
		t.Errorf("spent %d", a.Spent)
	}
	state := b.State()
	if _, err := Verify(State{}, replay(b.log), &state); err != nil {
		t.Error(err)
	}
}

func TestThePromiseIsPaidEvenBelowZero(t *testing.T) {
	b := family(t)
	b.do(b.Penalty(march, 7, "org/proj/ann", 25))
	b.wants(Owner, -25, 0)
	b.wants("org/proj/ann", 35, 0)
	if a, _ := b.Account(Owner); a.Overdrawn() != 25 {
		t.Errorf("the owner is overdrawn by %d", a.Overdrawn())
	}
	// But the owner cannot give away what it has not.
	if _, err := b.Transfer(march, Owner, "org", 1, ""); !errors.Is(err, ErrShort) {
		t.Errorf("got %v", err)
	}
	b.do(b.Grant(march, Owner, 30, "capital"))
	b.do(b.Transfer(march, Owner, "org", 5, "dividend"))
	b.do(b.Transfer(march, "org", Mint, 1005, "paid out"))
	b.wants(Mint, -135, 0)
}

func TestClosedAccountsOpenAgain(t *testing.T) {
	b := newBook(t)
	b.do(b.Open(march, "a/b"))
	b.do(b.SetLimit(march, "a/b", 5))
	b.do(b.Hold(march, 1, "a/b", 0))
	b.do(b.Grant(march, "a/b", 5, ""))
	b.do(b.Raise(march, 1, 5))
	b.do(b.Charge(march, 1, 5))
	b.do(b.Hold(march, 1, "a/b", 0))
	b.do(b.Release(march, 1))
	b.do(b.Close(march, "a/b"))
	b.do(b.Close(march, "a"))
	for _, err := range []error{
		refusal(b.Open(march, "a/b")), refusal(b.Grant(march, "a", 1, "")), refusal(b.Hold(march, 1, "a", 0)),
		refusal(b.Close(march, "a")), refusal(b.SetCredit(march, "a", 1)), refusal(b.Penalty(march, 1, "a", 1)),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("got %v", err)
		}
	}
	b.do(b.Open(march, "a"))
	b.do(b.Open(march, "a/b"))
	if a, _ := b.Account("a/b"); a.Limit != 5 || a.Closed {
		t.Errorf("opened again as %+v", a)
	}
	if _, err := b.Close(march, "a"); !errors.Is(err, ErrInUse) {
		t.Errorf("closed above an open one: %v", err)
	}
}

func refusal(_ Tx, err error) error { return err }

func TestRefusalsChangeNothing(t *testing.T) {
	b := family(t)
	b.do(b.Open(march, "poor"))
	b.do(b.SetCredit(march, "poor", 10))
	b.do(b.Hold(march, 1, "poor", 4))
	b.do(b.Hold(march, 2, "org/proj/ann", 0))
	b.do(b.Open(march+10, "later"))
	const now = march + 10
	before := b.State()
	for name, c := range map[string]struct {
		err  error
		want error
	}{
		"open twice":              {refusal(b.Open(now, "org")), ErrExists},
		"open a bad path":         {refusal(b.Open(now, "Org")), ErrPath},
		"open a system account":   {refusal(b.Open(now, Mint)), ErrPath},
		"close what has money":    {refusal(b.Close(now, "org/proj/ann")), ErrInUse},
		"close what has debts":    {refusal(b.Close(now, "poor")), ErrInUse},
		"close the owner":         {refusal(b.Close(now, Owner)), ErrSystem},
		"close nobody":            {refusal(b.Close(now, "nobody")), ErrUnknown},
		"limit nobody":            {refusal(b.SetLimit(now, "nobody", 1)), ErrUnknown},
		"limit the mint":          {refusal(b.SetLimit(now, Mint, 1)), ErrSystem},
		"limit below none":        {refusal(b.SetLimit(now, "org", -2)), market.ErrAmount},
		"credit below zero":       {refusal(b.SetCredit(now, "org", -1)), market.ErrAmount},
		"credit below debt":       {refusal(b.SetCredit(now, "poor", 3)), ErrInUse},
		"grant nothing":           {refusal(b.Grant(now, "org", 0, "")), market.ErrAmount},
		"grant less":              {refusal(b.Grant(now, "org", -1, "")), market.ErrAmount},
		"grant to nobody":         {refusal(b.Grant(now, "nobody", 1, "")), ErrUnknown},
		"grant to the mint":       {refusal(b.Grant(now, Mint, 1, "")), ErrForm},
		"grant too much":          {refusal(b.Grant(now, "org", math.MaxInt64, "")), market.ErrAmount},
		"memo in binary":          {refusal(b.Grant(now, "org", 1, "\xff")), ErrMemo},
		"memo in lines":           {refusal(b.Grant(now, "org", 1, "a\nb")), ErrMemo},
		"memo too long":           {refusal(b.Grant(now, "org", 1, string(make([]byte, 1001)))), ErrMemo},
		"transfer nothing":        {refusal(b.Transfer(now, "org", "poor", 0, "")), market.ErrAmount},
		"transfer to itself":      {refusal(b.Transfer(now, "org", "org", 1, "")), ErrForm},
		"transfer what is above":  {refusal(b.Transfer(now, "org/proj/ann", "poor", 11, "")), ErrShort},
		"transfer on credit":      {refusal(b.Transfer(now, "poor", "org", 1, "")), ErrShort},
		"transfer of allowances":  {refusal(b.Transfer(now, Allowances, "org", 1, "")), ErrSystem},
		"allowance of the owner":  {refusal(b.Income(now, Owner, 1, "")), ErrForm},
		"transfer from the mint":  {refusal(b.Transfer(now, Mint, "org", 1, "")), ErrSystem},
		"transfer to nobody":      {refusal(b.Transfer(now, "org", "nobody", 1, "")), ErrUnknown},
		"hold twice":              {refusal(b.Hold(now, 1, "org", 1)), ErrHeld},
		"hold for no job":         {refusal(b.Hold(now, -1, "org", 1)), ErrJob},
		"hold less":               {refusal(b.Hold(now, 9, "org", -1)), market.ErrAmount},
		"hold by nobody":          {refusal(b.Hold(now, 9, "nobody", 1)), ErrUnknown},
		"hold by the owner":       {refusal(b.Hold(now, 9, Owner, 1)), ErrSystem},
		"hold too much":           {refusal(b.Hold(now, 9, "org", 1001)), ErrShort},
		"raise by nothing":        {refusal(b.Raise(now, 1, 0)), market.ErrAmount},
		"raise what is not held":  {refusal(b.Raise(now, 9, 1)), ErrNoHold},
		"raise too much":          {refusal(b.Raise(now, 1, 7)), ErrShort},
		"capture too much":        {refusal(b.Charge(now, 1, 5)), ErrBeyondHold},
		"capture less":            {refusal(b.Charge(now, 1, -1)), market.ErrAmount},
		"capture what is not":     {refusal(b.Charge(now, 9, 0)), ErrNoHold},
		"release what is not":     {refusal(b.Release(now, 9)), ErrNoHold},
		"penalty of nothing":      {refusal(b.Penalty(now, 1, "org", 0)), market.ErrAmount},
		"penalty to the owner":    {refusal(b.Penalty(now, 1, Owner, 1)), ErrForm},
		"penalty to the mint":     {refusal(b.Penalty(now, 1, Mint, 1)), ErrSystem},
		"penalty for a bad job":   {refusal(b.Penalty(now, -2, "org", 1)), ErrJob},
		"penalty too large":       {refusal(b.Penalty(now, 1, "org", math.MaxInt64)), market.ErrAmount},
		"before the last":         {refusal(b.Grant(now-1, "org", 1, "")), ErrTime},
		"hold before the last":    {refusal(b.Hold(now-1, 9, "org", 1)), ErrTime},
		"before all time":         {refusal(b.Hold(-1, 9, "org", 1)), ErrTime},
		"after all time":          {refusal(b.Release(math.MaxInt64, 1)), ErrTime},
		"close what has free job": {refusal(b.closeAnnEmptied(now)), ErrInUse},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: got %v, want %v", name, c.err, c.want)
		}
	}
	if after := b.State(); !reflect.DeepEqual(before, after) {
		t.Errorf("was %+v, is %+v", before, after)
	}
}

// closeAnnEmptied tries to close an account that has no money, but a job that
// nothing is held for, in a copy of the ledger.
func (b *book) closeAnnEmptied(at int64) (Tx, error) {
	copied, err := Restore(b.State())
	if err != nil {
		return Tx{}, err
	}
	if _, err := copied.Transfer(at, "org/proj/ann", "org", 10, ""); err != nil {
		return Tx{}, err
	}
	return copied.Close(at, "org/proj/ann")
}

func TestMoneyNeverOverflows(t *testing.T) {
	b := newBook(t)
	b.do(b.Open(march, "a/b"))
	b.do(b.Open(march, "c"))
	b.do(b.Grant(march, "a", math.MaxInt64, ""))
	if _, err := b.Grant(march, "c", 2, ""); !errors.Is(err, market.ErrAmount) {
		t.Errorf("the mint overflowed: %v", err)
	}
	b.do(b.Grant(march, "c", 1, ""))
	if a, _ := b.Account(Mint); a.Free != math.MinInt64 || a.Overdrawn() != math.MaxInt64 {
		t.Errorf("the mint has %d", a.Free)
	}
	if _, err := b.Transfer(march, "c", "a", 1, ""); !errors.Is(err, market.ErrAmount) {
		t.Errorf("a overflowed: %v", err)
	}
	b.do(b.SetCredit(march, "a", math.MaxInt64))
	b.do(b.SetLimit(march, "a", math.MaxInt64))
	b.do(b.Hold(march, 1, "a/b", math.MaxInt64))
	if _, err := b.Raise(march, 1, 1); err == nil {
		t.Error("the hold overflowed")
	}
	if _, err := b.Hold(march, 2, "a/b", 1); err == nil {
		t.Error("what is reserved overflowed")
	}
	b.do(b.SetLimit(march, "a", NoLimit))
	if _, err := b.Hold(march, 2, "a/b", 1); !errors.Is(err, market.ErrAmount) {
		t.Errorf("what is held overflowed: %v", err)
	}
	b.wants("a", 0, math.MaxInt64)
	b.do(b.Charge(march, 1, math.MaxInt64))
	b.do(b.Hold(march, 2, "a/b", 1))
	if _, err := b.Charge(march, 2, 1); !errors.Is(err, market.ErrAmount) {
		t.Errorf("the owner overflowed: %v", err)
	}
	b.do(b.Release(march, 2))
	b.wants(Owner, math.MaxInt64, 0)
}

func TestTransactionsRoundTripAsJSON(t *testing.T) {
	b := family(t)
	b.do(b.SetLimit(march, "org", NoLimit))
	b.do(b.Hold(march, 0, "org/proj/ann", 11))
	b.do(b.Charge(march, 0, 11))
	for _, tx := range b.log {
		text, err := json.Marshal(tx)
		if err != nil {
			t.Fatal(err)
		}
		var read Tx
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(read, tx) {
			t.Errorf("%s came back as %+v", text, read)
		}
	}
}
