package replay_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/lab/replay"
	"github.com/libra-market/libra/lab/report"
)

// The name of a job is no formula in a job table, and is the same when it is read.
func TestNamesInAJobTable(t *testing.T) {
	row := report.Row{Label: "=cmd", Outcome: report.Completed, Start: 1, Finish: 2, Width: 1}
	line := string(row.AppendCSV(nil))
	if !strings.HasPrefix(line, "'=cmd,") {
		t.Errorf("written as %q", line)
	}
	table, err := replay.ReadTable("t", strings.NewReader(report.Header+line))
	if err != nil {
		t.Fatal(err)
	}
	arrivals, _, err := table.Arrivals()
	if err != nil || len(arrivals) != 1 || arrivals[0].Job.Name != "=cmd" {
		t.Errorf("read as %+v, %v", arrivals, err)
	}
}
