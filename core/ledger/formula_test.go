package ledger

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// What a user wrote is no formula in the owner's spreadsheet, and turns nothing round;
// amounts stay numbers.
func TestWhatPeopleWroteIsNoFormula(t *testing.T) {
	for name, want := range map[string]string{
		"=1+1": "'=1+1", "+1+1": "'+1+1", "-1+1": "'-1+1", "@SUM(A1)": "'@SUM(A1)", "＝1+1": "'＝1+1", "＋1": "'＋1", "－1": "'－1", "＠A": "'＠A",
		" =1": "' =1", "-5": "-5", "a\u202eb": `a\u202eb`, "plain": "plain",
	} {
		var out strings.Builder
		err := WriteFOCUS(&out, Seller{Name: name, Currency: "EUR", Region: name}, MonthOf(march), []Usage{
			{Job: 1, Name: name, Account: "org", Start: march, End: march + second, Quantity: 1, Charge: market.Unit, Penalty: market.Unit},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, rows := readFOCUS(t, out.String())
		for _, row := range rows {
			if row["ResourceName"] != want || row["ProviderName"] != want || row["RegionName"] != want {
				t.Errorf("%q: %q, %q, %q", name, row["ResourceName"], row["ProviderName"], row["RegionName"])
			}
		}
		if rows[1]["BilledCost"] != "-1" {
			t.Errorf("a credit of %q", rows[1]["BilledCost"])
		}

		b := newBook(t)
		b.do(b.Open(march, "org"))
		b.do(b.Grant(march+1, "org", 1, name))
		s := NewStatement("org", true, MonthOf(march))
		for _, tx := range b.log {
			if err := s.Add(tx); err != nil {
				t.Fatal(err)
			}
		}
		out.Reset()
		if err := s.WriteCSV(&out); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
		if err != nil || lines[2][3] != want {
			t.Errorf("%q in a statement: %v, %v", name, lines, err)
		}
	}
}
