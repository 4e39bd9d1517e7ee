package store

import (
	"context"
	"iter"
)

// Entry is one line of the log: a command and what came of it.
type Entry struct {
	Seq     int64 // from 1, without gaps
	At      int64 // microseconds since 1970
	Kind    string
	Version int // how to read Body, from 1; 0 in a batch: 1
	Body    []byte
	Hash    []byte // of this entry and of all before it: [Entry.Sum]
}

// Job is what people see of a job. IDs are given in the order of submission: a
// job with a greater ID was not submitted earlier.
type Job struct {
	ID                          int64
	Owner, Account, Name, State string
	Submitted, Ended            int64  // microseconds since 1970; Ended 0: not yet
	Spec                        []byte // may be large; nil in a batch: leave it as it was
	Body                        []byte // small
}

// Tx is a transaction of the ledger. Times never run back: a transaction with a
// greater Seq was not made earlier.
type Tx struct {
	Seq, At  int64
	Kind     string
	Job      int64
	Memo     string
	Hash     []byte
	Body     []byte
	Postings []Posting
}

// Posting is one side of a transaction.
type Posting struct {
	Account string `json:"account"`
	Side    string `json:"side"`
	Amount  int64  `json:"amount_micros"`
}

// Reply is what was answered to a request that carried an idempotency key.
type Reply struct {
	Owner, Key string
	Digest     []byte // of the request, to tell a repetition from another request
	Body       []byte
	At         int64
}

// ReplyKey is an idempotency key of an owner.
type ReplyKey struct{ Owner, Key string }

// Batch is what becomes durable in one step. Of several jobs with one ID, and
// of several replies to one key, the last counts.
type Batch struct {
	Entries []Entry
	Jobs    []Job
	Txs     []Tx
	Replies []Reply
}

// Snapshot is the state after the entry Seq, so that a start need not read the
// whole log. Version says how to read Body.
type Snapshot struct {
	Seq, At int64
	Version string
	Body    []byte
}

// Token lets a user in. The secret itself is never kept, only its hash.
type Token struct {
	Hash                   []byte
	User, Role, Name       string
	Created, Expires, Used int64 // microseconds since 1970; Expires 0: never, Used 0: not yet
	Revoked                bool
}

// Note is what a part of the market beside the log remembers under a key.
type Note struct {
	Kind, Key string
	Body      []byte
}

// Query says which jobs are meant. What is empty does not restrict.
type Query struct {
	Owner   string
	Account string // this account and all below it
	States  []string
	Name    string // part of the name, letter by letter
	Before  int64  // only IDs less than this
	After   int64  // only IDs greater than this
	From    int64  // submitted at or after
	To      int64  // submitted before
	Limit   int    // of a page; [PageSize] if not positive
	// WithSpec asks for the specs too, which may be large.
	WithSpec bool
}

// PageSize is the limit of a query that names none.
const PageSize = 100

// TxQuery says which transactions are meant. What is empty does not restrict.
type TxQuery struct {
	Account  string
	Subtree  bool  // with all accounts below it
	From     int64 // made at or after
	To       int64 // made before
	AfterSeq int64
}

// Store keeps the log and what is looked up. All methods may be called from
// several goroutines.
type Store interface {
	// Append writes a batch, whole or not at all, and returns when it is
	// durable. Hashes that are nil are computed; the caller's batch is not
	// written to. A batch without entries follows whatever is there. It fails with [ErrConflict] if the first entry is not the
	// one after the last in the log (then another writer was here), with
	// [ErrInvalid] if the batch contradicts itself, with [ErrFull] or
	// [ErrReadOnly] if the database cannot grow or be written. After every
	// error but [ErrUncertain] nothing of the batch is in the store, and the
	// same batch may be tried again.
	Append(ctx context.Context, b Batch) error
	// Tail yields the entries after one, in order, a bounded number of them in
	// memory at a time. It ends at the first error it yields.
	Tail(ctx context.Context, after int64) iter.Seq2[Entry, error]
	// Last is the last entry of the log.
	Last(ctx context.Context) (Entry, bool, error)
	// VerifyLog walks the whole log and says how many entries are sound; the
	// first that is not is reported as a [*BrokenChain].
	VerifyLog(ctx context.Context) (n int64, err error)

	// SaveSnapshot keeps a snapshot and the one before it. It is written in
	// pieces, so that appends go on meanwhile.
	SaveSnapshot(ctx context.Context, s Snapshot) error
	// LatestSnapshot is the newest snapshot that is whole.
	LatestSnapshot(ctx context.Context) (Snapshot, bool, error)

	// Job is one job with its spec.
	Job(ctx context.Context, id int64) (Job, bool, error)
	// Jobs is a page of jobs, newest first. The cost of a page does not grow
	// with the number of jobs, except when a name is asked for.
	Jobs(ctx context.Context, q Query) ([]Job, error)
	// CountJobs counts by state, exactly and without looking at the jobs,
	// unless a name or a time is asked for. Before, After and Limit do not
	// restrict it.
	CountJobs(ctx context.Context, q Query) (map[string]int64, error)

	// Txs yields transactions by ascending Seq, a bounded number of them in
	// memory at a time. It ends at the first error it yields.
	Txs(ctx context.Context, q TxQuery) iter.Seq2[Tx, error]

	// Reply is what was answered to a key of an owner.
	Reply(ctx context.Context, owner, key string) (Reply, bool, error)
	// ReplyKeys yields the keys under which there are answers, those given
	// while it reads perhaps among them. It ends at the first error it yields.
	ReplyKeys(ctx context.Context) iter.Seq2[ReplyKey, error]
	// ForgetReplies drops the answers given before a time. An answer that
	// came after younger ones may stay as long as they do.
	ForgetReplies(ctx context.Context, before int64) error

	// AddToken keeps a token; [ErrExists] if there is one with that hash.
	AddToken(ctx context.Context, t Token) error
	// Token is the token with a hash, revoked or not.
	Token(ctx context.Context, hash []byte) (Token, bool, error)
	// Tokens are those of a user, or of all if the user is empty, by time of
	// creation.
	Tokens(ctx context.Context, user string) ([]Token, error)
	// UseToken remembers when a token was last used.
	UseToken(ctx context.Context, hash []byte, at int64) error
	// RevokeToken makes a token void; [ErrUnknown] if there is none.
	RevokeToken(ctx context.Context, hash []byte) error

	// Meta is a small setting kept beside the log.
	Meta(ctx context.Context, key string) (string, bool, error)
	// SetMeta sets it.
	SetMeta(ctx context.Context, key, value string) error
	// Generation is a random name of this store that changes when it is
	// restored from a backup.
	Generation(ctx context.Context) (string, error)

	// Note is a note of a kind under a key.
	Note(ctx context.Context, kind, key string) (Note, bool, error)
	// Notes are those of a kind, by key.
	Notes(ctx context.Context, kind string) ([]Note, error)
	// PutNotes keeps notes, instead of those with the same kind and key, and
	// returns when they are durable: all of them or none. Of several with one
	// key the last counts.
	PutNotes(ctx context.Context, notes []Note) error
	// DropNotes forgets notes of a kind; those that are not there are no error.
	DropNotes(ctx context.Context, kind string, keys []string) error

	// Lead waits until this process is the only one that leads. From then on
	// nothing more arrives of what a leader before had appended, so what is
	// read of the log is all there is. The channel is closed when it no longer does: the session with the database is
	// gone, or release was called, or the store closed.
	Lead(ctx context.Context) (lost <-chan struct{}, release func(), err error)
	// TryLead is Lead that does not wait: it fails with a [*Taken].
	TryLead(ctx context.Context) (lost <-chan struct{}, release func(), err error)

	// Close ends all of it. Calls under way may fail.
	Close() error
}
