package api

import (
	"context"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Market is all that the API serves, in the wire form: what its parts' readers
// need, part by part. All methods may be called at the same time.
//
// What does not exist is an error that wraps [trade.ErrUnknown]; a request
// that makes no sense, an [trade.FieldError]. Who may see what is settled
// before a Market is asked, except that Do judges what Command.By may do.
type Market interface {
	Trade
	Jobs
	Floor
	Accounts
	Records
	Agents
	Health
}

// Trade is for who wants something done.
type Trade interface {
	// Do carries out a command and returns when it has been written down. The
	// same key with the same digest returns the first outcome again, replayed;
	// with another digest, [trade.ErrKeyReused]. A refusal is an outcome.
	Do(ctx context.Context, c trade.Command, key Key) (o Outcome, replayed bool, err error)
	// Preview answers with a quote that binds nobody, or a refusal with offers.
	Preview(ctx context.Context, by trade.Identity, r trade.Request) (Outcome, error)
}

// Jobs is for who asks what became of it.
type Jobs interface {
	Quote(ctx context.Context, id string) (v1.Quote, error)
	Job(ctx context.Context, id int64) (v1.Job, error)
	// Jobs lists the newest first, their requests without the script.
	Jobs(ctx context.Context, q v1.JobQuery) ([]v1.Job, error)
	// CountJobs counts the jobs of one owner, or of all ("").
	CountJobs(ctx context.Context, owner string) (map[v1.State]int64, error)
	Explain(ctx context.Context, id int64) (v1.Explanation, error)
	// Tail waits for the node to answer with a piece of a task's output. A
	// negative offset counts from the end.
	Tail(ctx context.Context, job int64, rank int, element *int, stderr bool, offset, limit int64) (v1.Chunk, error)
}

// Floor is for who looks at the market as a whole.
type Floor interface {
	Nodes(ctx context.Context) ([]v1.NodeView, error)
	Prices(ctx context.Context) (v1.Prices, error)
	Epochs(ctx context.Context) ([]v1.EpochView, error)
	Tally(ctx context.Context, fromUS, toUS int64) (v1.Tally, error)
	// Follow delivers the notices after a number, of one owner's jobs and
	// accounts or of everybody's (""), and those that are nobody's (prices,
	// nodes). A negative number means from now on. Where some are no longer
	// kept, the first notice is of kind [v1.NoticeLost]. The channel is closed when
	// ctx is done or the reader is too slow; it may then follow again.
	Follow(ctx context.Context, owner string, after int64) (<-chan v1.Notice, error)
}

// Accounts is for who reads the books. Statements and usage come as the ledger has
// them, which writes them as files too.
type Accounts interface {
	// Accounts lists an account and all below it, or all ("").
	Accounts(ctx context.Context, prefix string) ([]v1.Account, error)
	// AccountOf is the account that pays for a user who names none; "" where they
	// are bound to none.
	AccountOf(ctx context.Context, user string) (string, error)
	// Bindings are the accounts that a user may see and spend from.
	Bindings(ctx context.Context, user string) (accounts.Bindings, error)
	Statement(ctx context.Context, account string, subtree bool, fromUS, toUS int64) (ledger.Statement, error)
	// Usage lists what the jobs of an account, and of those below it, used.
	Usage(ctx context.Context, account string, fromUS, toUS int64) ([]ledger.Usage, error)
}

// Records is for who checks, or replays, what happened.
type Records interface {
	VerifyLedger(ctx context.Context) (v1.Verified, error)
	// History lists all jobs in order of submission, for a replay.
	History(ctx context.Context, after int64, limit int) ([]v1.Job, error)
	// Log lists the raw records.
	Log(ctx context.Context, after int64, limit int) ([]v1.LogEntry, error)
	// Archives lists the files that parts of the log are in.
	Archives(ctx context.Context) (v1.Archives, error)
	// Clusters lists what a broker has seen of each cluster; what is no broker has none.
	Clusters(ctx context.Context) ([]v1.ClusterRecord, error)
	// MoveOld moves what is older than said, or than the market is set (nil), into the
	// next file.
	MoveOld(ctx context.Context, keep *time.Duration) (v1.ArchiveStep, error)
}

// Agents is for the nodes, in the words of package task.
type Agents interface {
	Hello(ctx context.Context, h task.Hello) (task.Welcome, error)
	// Desired answers as soon as there is a version beyond after, and after the
	// wait in any case.
	Desired(ctx context.Context, node string, after int64, wait time.Duration) (task.Desired, error)
	Report(ctx context.Context, r task.Report) (task.Reply, error)
	// Refused hears that a node follows one that came after this market.
	Refused(ctx context.Context, node string, r task.Refusal) error
	// Chunk hands over what a [task.Tail] asked for.
	Chunk(ctx context.Context, node, id string, c task.Chunk) error
}

// Health is for who keeps the market running.
type Health interface {
	// Healthy says why the market cannot take commands, if it cannot.
	Healthy(ctx context.Context) error
	// Measure gives numbers for the metrics. A key is a name, with labels if
	// need be: inbox_depth, jobs{state="running"}; a name that ends in _total
	// is a counter. They appear as libra_inbox_depth and so on.
	Measure(ctx context.Context) (map[string]float64, error)
}

// Key makes a command happen once however often it is sent.
type Key = trade.Key

// Outcome is the answer to a command, in the wire form: what the exchange answers is
// its own, and a broker passes on what other markets said. Refusals are outcomes too.
type Outcome struct {
	Job     *v1.Job       `json:"job,omitempty"`
	Quote   *v1.Quote     `json:"quote,omitempty"`
	Refusal *v1.Refusal   `json:"refusal,omitempty"`
	Account *v1.Account   `json:"account,omitempty"`
	Epoch   *v1.EpochView `json:"epoch,omitempty"`
}

// Keys keeps tokens. A secret itself is never kept, only its SHA-256.
type Keys interface {
	// Token finds a token, expired and revoked ones too.
	Token(ctx context.Context, hash []byte) (v1.Token, bool, error)
	AddToken(ctx context.Context, hash []byte, t v1.Token) error
	// Tokens lists those of a user, or all (""), oldest first.
	Tokens(ctx context.Context, user string) ([]v1.Token, error)
	// RevokeToken reports whether this user, or any (""), has a token with this
	// ID; from atUS on it is not good any more. With children, nor are those of
	// this user, or of any, that were made with it, and with those.
	RevokeToken(ctx context.Context, user, id string, children bool, atUS int64) (bool, error)
}
