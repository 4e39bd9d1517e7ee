package api

import (
	"context"
	"time"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/task"
)

// Market is what the API serves. All methods may be called at the same time.
//
// What does not exist is an error that wraps [exchange.ErrUnknown]; a request
// that makes no sense, an [exchange.FieldError]. Who may see what is settled
// before a Market is asked, except that Do judges what Command.By may do.
type Market interface {
	// Do carries out a command and returns when it has been written down. The
	// same key with the same digest returns the first outcome again, replayed;
	// with another digest, [exchange.ErrKeyReused]. A refusal is an outcome.
	Do(ctx context.Context, c exchange.Command, key Key) (o exchange.Outcome, replayed bool, err error)
	// Preview answers with a quote that binds nobody, or a refusal with offers.
	Preview(ctx context.Context, by exchange.Identity, r exchange.Request) (exchange.Outcome, error)

	Job(ctx context.Context, id int64) (exchange.Job, error)
	// Jobs lists the newest first, their requests without the script.
	Jobs(ctx context.Context, q JobQuery) ([]exchange.Job, error)
	// CountJobs counts the jobs of one owner, or of all ("").
	CountJobs(ctx context.Context, owner string) (map[exchange.State]int64, error)
	Explain(ctx context.Context, id int64) (exchange.Explanation, error)
	Quote(ctx context.Context, id string) (exchange.Quote, error)
	// Tail waits for the node to answer with a piece of a task's output. A
	// negative offset counts from the end.
	Tail(ctx context.Context, job int64, rank int, element *int, stderr bool, offset, limit int64) (task.Chunk, error)

	Nodes(ctx context.Context) ([]exchange.NodeView, error)
	Prices(ctx context.Context) (exchange.Prices, error)
	Epochs(ctx context.Context) ([]exchange.EpochView, error)
	Tally(ctx context.Context, fromUS, toUS int64) (exchange.Tally, error)

	// Accounts lists an account and all below it, or all ("").
	Accounts(ctx context.Context, prefix string) ([]exchange.Account, error)
	// AccountOf is the path of a user's own account, whether or not it is open.
	AccountOf(ctx context.Context, user string) (string, error)
	Statement(ctx context.Context, account string, subtree bool, fromUS, toUS int64) (ledger.Statement, error)
	// Usage lists what the jobs of an account, and of those below it, used.
	Usage(ctx context.Context, account string, fromUS, toUS int64) ([]ledger.Usage, error)
	VerifyLedger(ctx context.Context) (Verified, error)

	// History lists all jobs in order of submission, for a replay.
	History(ctx context.Context, after int64, limit int) ([]exchange.Job, error)
	// Log lists the raw records.
	Log(ctx context.Context, after int64, limit int) ([]LogEntry, error)
	// Follow delivers the notices after a number, of one owner's jobs and
	// accounts or of everybody's (""), and those that are nobody's (prices,
	// nodes). A negative number means from now on. Where some are no longer
	// kept, the first notice is of kind [exchange.NoticeLost]. The channel is closed when
	// ctx is done or the reader is too slow; it may then follow again.
	Follow(ctx context.Context, owner string, after int64) (<-chan exchange.Notice, error)

	Hello(ctx context.Context, h task.Hello) (task.Welcome, error)
	// Desired answers as soon as there is a version beyond after, and after the
	// wait in any case.
	Desired(ctx context.Context, node string, after int64, wait time.Duration) (task.Desired, error)
	Report(ctx context.Context, r task.Report) (task.Reply, error)
	// Chunk hands over what a [task.Tail] asked for.
	Chunk(ctx context.Context, node, id string, c task.Chunk) error

	// Healthy says why the market cannot take commands, if it cannot.
	Healthy(ctx context.Context) error
	// Measure gives numbers for the metrics. A key is a name, with labels if
	// need be: inbox_depth, jobs{state="running"}; a name that ends in _total
	// is a counter. They appear as libra_inbox_depth and so on.
	Measure(ctx context.Context) (map[string]float64, error)
}

// The words of a market that its door uses too.
type (
	// Key makes a command happen once however often it is sent.
	Key = exchange.Key
	// JobQuery says which jobs to list.
	JobQuery = exchange.JobQuery
	// Verified is what a check of the whole ledger found.
	Verified = exchange.Verified
	// LogEntry is one record of the log as it was written.
	LogEntry = exchange.LogEntry
)

// Keys keeps tokens. A secret itself is never kept, only its SHA-256.
type Keys interface {
	// Token finds a token, expired and revoked ones too.
	Token(ctx context.Context, hash []byte) (Token, bool, error)
	AddToken(ctx context.Context, hash []byte, t Token) error
	// Tokens lists those of a user, or all (""), oldest first.
	Tokens(ctx context.Context, user string) ([]Token, error)
	// RevokeToken reports whether this user, or any (""), has a token with this
	// ID; from atUS on it is not good any more.
	RevokeToken(ctx context.Context, user, id string, atUS int64) (bool, error)
}

// Token is what is known of a token. Times are unix microseconds.
type Token struct {
	ID        string        `json:"id"` // to speak of it; it opens nothing
	User      string        `json:"user"`
	Role      exchange.Role `json:"role"`
	Name      string        `json:"name,omitempty"` // what its user calls it
	MadeUS    int64         `json:"made_us"`
	ExpiresUS int64         `json:"expires_us,omitempty"` // 0: never
	RevokedUS int64         `json:"revoked_us,omitempty"` // 0: it is not
}

// Good reports whether the token opens anything at a time.
func (t *Token) Good(atUS int64) bool {
	return t.RevokedUS == 0 && (t.ExpiresUS == 0 || atUS < t.ExpiresUS)
}
