package experiment

import (
	"bytes"
	"strings"
	"testing"

	"github.com/libra-market/libra/lab/revenue"
)

// What the papers print in their tables is what the program uses.
func TestGivenTables(t *testing.T) {
	plus := libraPlusRun{libraPlusSetting: newLibraPlusSetting(Options{})}
	figures, err := plus.settings()
	if err != nil {
		t.Fatal(err)
	}
	provider := nistRun{system: revenue.PaperSystem()}
	more, err := provider.given(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tables := 0
	for _, f := range append(figures, more...) {
		if len(f.Heads) != 3 {
			continue
		}
		tables++
		for _, row := range f.Rows {
			if row[1] != "not stated" && strings.TrimSuffix(row[1], ".0") != strings.TrimSuffix(row[2], ".0") {
				t.Errorf("%s, %s: the paper has %s, the program %s", f.ID, row[0], row[1], row[2])
			}
		}
		var table bytes.Buffer
		if err := f.WriteCSV(&table); err != nil || strings.Count(table.String(), "\n") != len(f.Rows)+1 {
			t.Errorf("%s: error %v, CSV\n%s", f.ID, err, table.String())
		}
		if drawn := string(f.Draw().SVG()); !strings.Contains(drawn, f.Rows[0][0]) || !strings.HasPrefix(drawn, "<svg") {
			t.Errorf("%s is not drawn", f.ID)
		}
	}
	if tables != 3 {
		t.Errorf("%d tables", tables)
	}
}

// What a job is worth does not change before it is late, and falls to nothing or below.
func TestGivenFunctions(t *testing.T) {
	provider := nistRun{system: revenue.PaperSystem()}
	figures, err := provider.given(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sla := libraSLARun{}
	for _, f := range append(figures, sla.penalty()) {
		for _, s := range f.Series {
			c := curve(s.Points)
			if c[0].Mean != c[1].Mean || c[2].Mean > 1e-9 || c.last() > 1e-9 {
				t.Errorf("%s, %s: %v", f.ID, s.Name, c)
			}
		}
	}
}
