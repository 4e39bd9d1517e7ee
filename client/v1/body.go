package v1

import "encoding/json"

// QuoteRequest asks for a binding quote.
type QuoteRequest struct {
	TTLMS   int64   `json:"ttl_ms,omitempty"` // how long it binds; default a minute, at most ten
	Request Request `json:"request"`
}

// SubmitRequest hands in a job.
type SubmitRequest struct {
	Request Request `json:"request,omitzero"`
	Quote   string  `json:"quote,omitempty"` // take this quote; the request then need not say what the quote says
}

// VoidRequest says why a job is voided.
type VoidRequest struct {
	Reason string `json:"reason,omitempty"` // for people: it is on the receipt
}

// PreviewRequest asks what a job would cost.
type PreviewRequest struct {
	Request Request `json:"request"`
}

// JobPage is a part of a list of jobs, newest first.
type JobPage struct {
	Jobs   []Job           `json:"jobs"`
	Next   int64           `json:"next,omitempty"`   // ask again with before=next; 0: that was all
	Counts map[State]int64 `json:"counts,omitempty"` // if asked for: by state, whatever the filter
}

// NodeList is all nodes, in their order in the cluster.
type NodeList struct {
	Nodes []NodeView `json:"nodes"`
}

// EpochList is all epochs, oldest first.
type EpochList struct {
	Epochs []EpochView `json:"epochs"`
}

// AccountList is accounts by path.
type AccountList struct {
	Accounts []Account `json:"accounts"`
}

// AccountChange opens an account or changes what it may do.
type AccountChange struct {
	Op      string `json:"op"` // open, bind, unbind, allow, limit, credit, close
	Account string `json:"account"`
	Amount  int64  `json:"amount_micros,omitempty"` // of the limit, the credit or the allowance; an allowance of 0 is none
	None    bool   `json:"none,omitempty"`          // limit: take it away
	Memo    string `json:"memo,omitempty"`
	User    string `json:"user,omitempty"`        // open, bind, unbind: who may spend from it
	Below   bool   `json:"below,omitempty"`       // open, bind: and from all below it
	First   bool   `json:"first,omitempty"`       // open, bind: it pays for them from now on, unless they name another
	Every   int64  `json:"every_ms,omitempty"`    // allow: so often
	Most    int64  `json:"most_micros,omitempty"` // allow: the account is filled up to this
	Each    bool   `json:"each,omitempty"`        // allow: for each account below it that somebody is bound to
	Welcome bool   `json:"welcome,omitempty"`     // allow, with each: who is bound to nothing gets an account below it with their first job
}

// Transfer moves money from one account to another.
type Transfer struct {
	From   string `json:"from,omitempty"` // default: the user's own
	To     string `json:"to"`
	Amount int64  `json:"amount_micros"`
	Memo   string `json:"memo,omitempty"`
}

// Grant gives money to an account.
type Grant struct {
	To     string `json:"to"`
	Amount int64  `json:"amount_micros"`
	Memo   string `json:"memo,omitempty"`
}

// History is jobs in order of submission.
type History struct {
	Jobs []Job `json:"jobs"`
	Next int64 `json:"next,omitempty"` // ask again with after=next; 0: that was all
}

// LogPage is a part of the log.
type LogPage struct {
	Entries []LogEntry `json:"entries"`
	Next    int64      `json:"next,omitempty"` // ask again with after=next; 0: that was all
}

// Health says that the market takes commands.
type Health struct {
	Status string `json:"status"`
}

// Standing is how a controller stands: it is alive if it answers, ready if it could
// serve, now or as soon as it has to, and one of several leads.
type Standing struct {
	Status  string `json:"status"` // "ok": it takes commands; else "standby", "starting", "away" (its database) or "closed"
	Alive   bool   `json:"alive"`
	Ready   bool   `json:"ready"`
	Leading bool   `json:"leading"`
	Term    int64  `json:"term,omitempty"`   // of its lead: a later leader has a larger one
	Reason  string `json:"reason,omitempty"` // why it does not take commands, or what is wrong beside that
}

// JobQuery says which jobs to list. What is not set does not restrict.
type JobQuery struct {
	Owner   string
	States  []State
	Name    string // or a part of it
	Account string // or below it
	Batch   int64  // the job that the batch system knows under this number; 0: any
	Before  int64  // only smaller numbers
	Limit   int
}

// LogEntry is one record of the log as it was written.
type LogEntry struct {
	Seq  int64           `json:"seq"`
	AtUS int64           `json:"at_us"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
	Hash string          `json:"hash"` // of this record and the hash before it
}
