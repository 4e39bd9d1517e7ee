package ledger

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
)

func TestStatementsShowWhatChanged(t *testing.T) {
	b := life(t)
	b.do(b.Grant(march+6, "org", 3, "=SUM(A1:A9)"))
	b.do(b.Hold(march+6, 9, "org/proj/ann", 13))
	b.do(b.Grant(april, "org", 7, "too late"))
	fill := func(account market.Account, subtree bool, period Period) *Statement {
		s := NewStatement(account, subtree, period)
		for _, tx := range b.log {
			if err := s.Add(tx); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	ann := fill("org/proj/ann", false, Period{Start: march + 1, End: april})
	if ann.Opening != 10 || ann.Closing != 10 || ann.Held != 10 {
		t.Errorf("ann had %d, has %d, %d of it held", ann.Opening, ann.Closing, ann.Held)
	}
	want := []Line{
		{Seq: 8, At: march + 1, Kind: KindCharge, Job: 7, Amount: -10, Balance: 0},
		{Seq: 9, At: march + 1, Kind: KindPenalty, Job: 7, Amount: 9, Balance: 9},
		{Seq: 10, At: march + 2, Kind: KindRefund, Job: 7, Memo: "rounding", Amount: 1, Balance: 10},
	}
	if !slices.Equal(ann.Lines, want) {
		t.Errorf("ann's lines are %+v, want %+v", ann.Lines, want)
	}
	// Within the organisation nothing changes hands.
	org := fill("org", true, Period{Start: march, End: april})
	if org.Opening != 0 || org.Closing != 1003 || org.Held != 13 || len(org.Lines) != 7 {
		t.Errorf("org had %d, has %d, %d of it held, in %d lines", org.Opening, org.Closing, org.Held, len(org.Lines))
	}
	owner := fill(Owner, false, Period{Start: march, End: math.MaxInt64})
	if owner.Closing != 110 || len(owner.Lines) != 3 {
		t.Errorf("the owner has %d in %d lines", owner.Closing, len(owner.Lines))
	}
	// Who knows the balance need not begin at the first.
	late := NewStatement("org/proj/ann", false, Period{Start: march + 2, End: april})
	late.Carry(9, 0)
	for _, tx := range b.log[9:] {
		if err := late.Add(tx); err != nil {
			t.Fatal(err)
		}
	}
	if late.Opening != 9 || late.Closing != 10 || late.Held != 10 || !slices.Equal(late.Lines, want[2:]) {
		t.Errorf("from the middle: %+v", late)
	}
	if err := late.Add(b.log[10]); !errors.Is(err, ErrGap) {
		t.Errorf("shown twice: %v", err)
	}
}

func TestStatementAsCSV(t *testing.T) {
	b := newBook(t)
	b.do(b.Open(march, "org"))
	b.do(b.Grant(march+1, "org", 12_500_000, `for "March", all`))
	b.do(b.Grant(march+2, "org", 1, "=SUM(A1:A9)"))
	b.do(b.Hold(march+3, 17, "org", 2_000_001))
	b.do(b.Charge(march+day+1, 17, 1_000_001))
	b.do(b.Transfer(march+2*day, "org", Mint, 11_500_000, "paid out"))
	s := NewStatement("org", true, MonthOf(march))
	for _, tx := range b.log {
		if err := s.Add(tx); err != nil {
			t.Fatal(err)
		}
	}
	var text strings.Builder
	if err := s.WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	want := `date,kind,job,memo,amount,balance
2026-03-01T00:00:00.000000Z,opening,,,,0
2026-03-01T00:00:00.000001Z,grant,,"for ""March"", all",12.5,12.5
2026-03-01T00:00:00.000002Z,grant,,'=SUM(A1:A9),0.000001,12.500001
2026-03-02T00:00:00.000001Z,charge,17,,-1.000001,11.5
2026-03-03T00:00:00.000000Z,transfer,,paid out,-11.5,0
2026-04-01T00:00:00.000000Z,closing,,,,0
`
	if text.String() != want {
		t.Errorf("got\n%swant\n%s", text.String(), want)
	}
	s.Period.End = math.MaxInt64
	text.Reset()
	if err := s.WriteCSV(&text); err != nil || !strings.HasSuffix(text.String(), "\n,closing,,,,0\n") {
		t.Errorf("without an end: %v\n%s", err, text.String())
	}
	if err := s.WriteCSV(fullDisk{}); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}

var errFull = errors.New("disk full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// The rent of a quote is a line of its own: the number on it is no job's.
func TestRentIsMarked(t *testing.T) {
	b := newBook(t)
	b.do(b.Open(march, "org"))
	b.do(b.Grant(march+1, "org", 100, ""))
	b.do(b.Hold(march+2, 17, "org", 30))
	b.do(b.Rent(march+3, 17, 12, "rent of quote q17"))
	if tx := b.log[len(b.log)-1]; tx.Kind != KindRent || tx.Quote() != "q17" {
		t.Errorf("%+v", tx)
	}
	s := NewStatement("org", true, MonthOf(march))
	for _, tx := range b.log {
		if err := s.Add(tx); err != nil {
			t.Fatal(err)
		}
	}
	want := Line{Seq: 4, At: march + 3, Kind: KindRent, Job: NoJob, Quote: "q17", Memo: "rent of quote q17", Amount: -12, Balance: 88}
	if s.Lines[1] != want {
		t.Errorf("%+v, want %+v", s.Lines[1], want)
	}
	var text strings.Builder
	if err := s.WriteCSV(&text); err != nil || !strings.Contains(text.String(), ",rent,,rent of quote q17,-0.000012,0.000088\n") {
		t.Errorf("%s, %v", text.String(), err)
	}
	a, _ := b.Account("org")
	if a.SpentIn(march+3) != 12 || a.Held != 0 {
		t.Errorf("%+v", a)
	}
	// As it was written before rents had a kind of their own.
	if old := (Tx{Kind: KindCharge, Job: 17, Memo: "quote q17 was not taken: rent for 5 s"}); old.Quote() != "q17" {
		t.Errorf("%+v", old)
	}
	if charge := (Tx{Kind: KindCharge, Job: 17}); charge.Quote() != "" {
		t.Errorf("the charge of a job is the rent of %s", charge.Quote())
	}
}
