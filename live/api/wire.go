package api

import (
	"github.com/libra-market/libra/core/exchange"
)

// The bodies that are the API's own; all others are exchange's and task's.

// QuoteRequest asks for a binding quote.
type QuoteRequest struct {
	TTLMS   int64            `json:"ttl_ms,omitempty"` // how long it binds; default a minute, at most ten
	Request exchange.Request `json:"request"`
}

// SubmitRequest hands in a job.
type SubmitRequest struct {
	Request exchange.Request `json:"request,omitzero"`
	Quote   string           `json:"quote,omitempty"` // take this quote; the request then need not say what the quote says
}

// PreviewRequest asks what a job would cost.
type PreviewRequest struct {
	Request exchange.Request `json:"request"`
}

// JobPage is a part of a list of jobs, newest first.
type JobPage struct {
	Jobs   []exchange.Job           `json:"jobs"`
	Next   int64                    `json:"next,omitempty"`   // ask again with before=next; 0: that was all
	Counts map[exchange.State]int64 `json:"counts,omitempty"` // if asked for: by state, whatever the filter
}

// NodeList is all nodes, in their order in the cluster.
type NodeList struct {
	Nodes []exchange.NodeView `json:"nodes"`
}

// EpochList is all epochs, oldest first.
type EpochList struct {
	Epochs []exchange.EpochView `json:"epochs"`
}

// AccountList is accounts by path.
type AccountList struct {
	Accounts []exchange.Account `json:"accounts"`
}

// AccountChange opens an account or changes what it may do.
type AccountChange struct {
	Op      string `json:"op"` // open, limit, credit, close
	Account string `json:"account"`
	Amount  int64  `json:"amount_micros,omitempty"` // of the limit or the credit
	None    bool   `json:"none,omitempty"`          // limit: take it away
	Memo    string `json:"memo,omitempty"`
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
	Jobs []exchange.Job `json:"jobs"`
	Next int64          `json:"next,omitempty"` // ask again with after=next; 0: that was all
}

// LogPage is a part of the log.
type LogPage struct {
	Entries []LogEntry `json:"entries"`
	Next    int64      `json:"next,omitempty"` // ask again with after=next; 0: that was all
}

// TokenRequest asks for a token.
type TokenRequest struct {
	User  string        `json:"user,omitempty"` // default: who asks
	Role  exchange.Role `json:"role,omitempty"` // default user
	Name  string        `json:"name,omitempty"`
	TTLMS int64         `json:"ttl_ms,omitempty"` // default 90 days, at most ten years
}

// NewToken is a token with its secret, which is shown this once.
type NewToken struct {
	Token

	Secret string `json:"secret"`
}

// TokenList is tokens without their secrets.
type TokenList struct {
	Tokens []Token `json:"tokens"`
}

// Whoami is who the server takes somebody for.
type Whoami struct {
	User    string        `json:"user"`
	Role    exchange.Role `json:"role"`
	Account string        `json:"account,omitempty"` // their own
	Token   *Token        `json:"token,omitempty"`   // absent: a certificate
}

// Health says that the market takes commands.
type Health struct {
	Status string `json:"status"`
}
