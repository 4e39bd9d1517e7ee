package workload

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// A name is no formula to a spreadsheet, and is the same when it is read back.
func TestNamesAreNoFormulas(t *testing.T) {
	for name, cell := range map[string]string{"=1+1": "'=1+1", "＝1": "'＝1", "@x": "'@x", "-1": "-1", "plain": "plain"} {
		want := Arrival{Job: market.Job{
			Name: name, Owner: market.Account(name), Estimate: 1, Width: 1, SLA: market.SLA{Deadline: market.Never, Budget: market.Unlimited},
		}, Actual: 1}
		var out strings.Builder
		if err := WriteCSV(&out, []Arrival{want}); err != nil {
			t.Fatal(err)
		}
		_, line, _ := strings.Cut(out.String(), "\n")
		if cells := strings.Split(line, ","); cells[columnID] != cell || cells[columnUser] != cell {
			t.Errorf("%q is written %q", name, line)
		}
		got, err := readCSV(out.String())
		if err != nil || len(got) != 1 || got[0].Job.Name != name || string(got[0].Job.Owner) != name {
			t.Errorf("%q is read back as %+v, %v", name, got, err)
		}
	}
}
