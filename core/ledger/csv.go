package ledger

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/libra-market/libra/core/plain"
)

// WriteCSV writes the statement as date,kind,job,memo,amount,balance, with a
// line for the opening balance before the others and one for the closing
// balance after them. Amounts are in units of currency, exact.
func (s *Statement) WriteCSV(to io.Writer) error {
	out := csv.NewWriter(to)
	rows := [][]string{
		{"date", "kind", "job", "memo", "amount", "balance"},
		{date(s.Period.Start), "opening", "", "", "", s.Opening.String()},
	}
	for i := range s.Lines {
		line := &s.Lines[i]
		job := ""
		if line.Job != NoJob {
			job = strconv.FormatInt(line.Job, 10)
		}
		rows = append(rows, []string{
			date(line.At), line.Kind.Label(), job, plain.Cell(line.Memo), line.Amount.String(), line.Balance.String(),
		})
	}
	rows = append(rows, []string{date(s.Period.End), "closing", "", "", "", s.Closing.String()})
	return out.WriteAll(rows)
}

// date writes an instant; a period without an end has no date there.
func date(at int64) string {
	if checkTime(at) != nil {
		return ""
	}
	return exactStamp(at)
}
