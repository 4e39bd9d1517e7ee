package web

import (
	"testing"

	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
)

// A statement is shown from its end, a page at a time, and no line is on two
// pages or on none.
func TestAStatementHasPages(t *testing.T) {
	var lines []ledger.Line
	for i := range 250 {
		lines = append(lines, ledger.Line{Seq: int64(i), Amount: market.Money(i%2*2 - 1), Job: ledger.NoJob})
	}
	seen := map[int64]int{}
	for page, want := range map[string]int{"": 100, "2": 100, "3": 50} {
		v := &accountView{Statement: ledger.Statement{Lines: lines}}
		v.paginate(page)
		if len(v.Lines) != want || v.Pages != 3 || v.In != 125 || v.Out != -125 {
			t.Errorf("page %q: %d lines of %d pages, in %d, out %d", page, len(v.Lines), v.Pages, v.In, v.Out)
		}
		for _, l := range v.Lines {
			seen[l.Seq]++
		}
		if page == "" && v.Lines[0].Seq != 249 {
			t.Errorf("the first line is %d", v.Lines[0].Seq)
		}
	}
	if len(seen) != 250 {
		t.Errorf("%d lines are shown", len(seen))
	}
	for _, page := range []string{"0", "-1", "99", "x"} {
		v := &accountView{Statement: ledger.Statement{Lines: lines}}
		if v.paginate(page); v.Page < 1 || v.Page > 3 || len(v.Lines) == 0 {
			t.Errorf("page %q is %d with %d lines", page, v.Page, len(v.Lines))
		}
	}
}
