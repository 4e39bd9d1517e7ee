package main

import (
	"strconv"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
)

// statementColumns are what can be asked of the lines of a statement.
var statementColumns = columns[v1.StatementLine]{
	{name: "line", wide: true, shown: func(l *v1.StatementLine) string { return strconv.FormatInt(l.Seq, 10) }, order: func(l *v1.StatementLine) int64 { return l.Seq }},
	{
		name: "when", head: "when (UTC)", words: true, shown: func(l *v1.StatementLine) string { return time.UnixMicro(l.At).UTC().Format(time.DateTime) },
		exact: func(l *v1.StatementLine) string { return time.UnixMicro(l.At).UTC().Format(time.RFC3339Nano) }, order: func(l *v1.StatementLine) int64 { return l.At },
	},
	{name: "what", words: true, shown: func(l *v1.StatementLine) string { return ledger.Kind(l.Kind).Label() }},
	{name: "job", words: true, shown: lineJob, order: func(l *v1.StatementLine) int64 { return l.Job }},
	{name: "memo", words: true, shown: func(l *v1.StatementLine) string { return clipped(l.Memo, memoShown) }, exact: func(l *v1.StatementLine) string { return l.Memo }},
	amountColumn("amount", func(l *v1.StatementLine) *int64 { return &l.Amount }),
	amountColumn("balance", func(l *v1.StatementLine) *int64 { return &l.Balance }),
}

// lineJob is the job, or the quote, that a line is about.
func lineJob(l *v1.StatementLine) string {
	if l.Job == v1.NoJob {
		return l.Quote
	}
	return strconv.FormatInt(l.Job, 10)
}
