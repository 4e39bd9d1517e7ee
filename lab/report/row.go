package report

import (
	"strconv"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/plain"
)

// Outcome is how a job ended.
type Outcome uint8

// The outcomes.
const (
	Unfinished Outcome = iota // the run ended first
	Completed                 // ran to its end, in time or not
	Rejected                  // never ran
	Expired                   // left the queue at its limit, with a penalty
)

var outcomes = [...]string{"unfinished", "completed", "rejected", "expired"}

func (o Outcome) String() string { return outcomes[o] }

// Row is one line of the job table.
type Row struct {
	Label   string
	Outcome Outcome
	Reason  market.Reason
	Submit  market.Time
	Start   market.Time // Never: it did not
	Finish  market.Time // Never: it did not
	Width   int32
	Nodes   []int32      // in ascending order
	Cost    market.Price // Priced says whether it has one
	Priced  bool
	Utility market.Price
	Valued  bool // it ran to its end and has a budget, so it has a utility
}

// Header is the first line of the job table.
const Header = "id,outcome,reason,submit,start,finish,procs,nodes,cost,utility\n"

// AppendCSV writes the row as a line of the job table.
func (r *Row) AppendCSV(line []byte) []byte {
	line = appendText(line, r.Label)
	line = append(append(line, ','), r.Outcome.String()...)
	line = append(append(line, ','), r.Reason.String()...)
	line = appendNumber(append(line, ','), float64(r.Submit), true)
	line = appendNumber(append(line, ','), float64(r.Start), r.Start.Finite())
	line = appendNumber(append(line, ','), float64(r.Finish), r.Finish.Finite())
	line = strconv.AppendInt(append(line, ','), int64(r.Width), 10)
	line = append(line, ',')
	for i, n := range r.Nodes {
		if i > 0 {
			line = append(line, ';')
		}
		line = strconv.AppendInt(line, int64(n), 10)
	}
	line = appendNumber(append(line, ','), float64(r.Cost), r.Priced)
	line = appendNumber(append(line, ','), float64(r.Utility), r.Valued)
	return append(line, '\n')
}

// appendNumber writes a number so that reading it gives the same number, with
// at least six decimals where it is not whole.
func appendNumber(line []byte, x float64, known bool) []byte {
	if !known {
		return line
	}
	if x == 0 {
		x = 0 // no minus
	}
	at := len(line)
	line = strconv.AppendFloat(line, x, 'f', -1, 64)
	for i := at; i < len(line); i++ {
		if line[i] == '.' {
			for len(line)-i-1 < 6 {
				line = append(line, '0')
			}
			break
		}
	}
	return line
}

// appendText quotes what a reader of CSV would take apart, and guards what a
// spreadsheet would work out.
func appendText(line []byte, text string) []byte {
	text = plain.Guard(text)
	plain := true
	for i := range len(text) {
		if c := text[i]; c == ',' || c == '"' || c == '\n' || c == '\r' {
			plain = false
		}
	}
	if plain {
		return append(line, text...)
	}
	line = append(line, '"')
	for i := range len(text) {
		if text[i] == '"' {
			line = append(line, '"')
		}
		line = append(line, text[i])
	}
	return append(line, '"')
}
