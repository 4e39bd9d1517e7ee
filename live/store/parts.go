package store

import (
	"context"
	"io"
	"iter"
)

// Store keeps the log and what is looked up: all its parts in one database. Who
// reads only some of them asks for those. All methods may be called from several
// goroutines.
type Store interface {
	Writer
	Log
	Snapshots
	Jobs
	Txs
	Replies
	Tokens
	Settings
	Identity
	Notes
	Leadership
	Archives
	// Close ends all of it. Calls under way may fail.
	io.Closer
}

var _ Store = (*database)(nil)

// Writer makes things durable.
type Writer interface {
	// Append writes a batch, whole or not at all, and returns when it is
	// durable. Hashes that are nil are computed; the caller's batch is not
	// written to. A batch without entries follows whatever is there. It fails
	// with [ErrConflict] if the first entry is not the one after the last in
	// the log (then another writer was here), with [ErrInvalid] if the batch contradicts itself, with [ErrFull] or
	// [ErrReadOnly] if the database cannot grow or be written. After every
	// error but [ErrUncertain] nothing of the batch is in the store, and the
	// same batch may be tried again.
	Append(ctx context.Context, b Batch) error
}

// Log is the truth: what was decided, in order.
type Log interface {
	// Tail yields the entries after one, in order, a bounded number of them in
	// memory at a time. It ends at the first error it yields: an [ErrArchived] if
	// the next entry is in an archive and not in the store.
	Tail(ctx context.Context, after int64) iter.Seq2[Entry, error]
	// Last is the last entry of the log.
	Last(ctx context.Context) (Entry, bool, error)
	// VerifyLog walks the whole log and says how many entries are sound; the
	// first that is not is reported as a [*BrokenChain]. Of entries in archives it
	// takes the hash of the last for what it was, up to [Log.Unread].
	VerifyLog(ctx context.Context) (n int64, err error)
	// Archived lists the parts of the log that are in files, from the first entry on
	// and without gaps.
	Archived(ctx context.Context) ([]Archive, error)
	// Unread is the last entry that cannot be read here; 0: all can.
	Unread(ctx context.Context) (int64, error)
}

// Snapshots are what a start begins with.
type Snapshots interface {
	// SaveSnapshot keeps a snapshot and the one before it. It is written in
	// pieces, so that appends go on meanwhile.
	SaveSnapshot(ctx context.Context, s Snapshot) error
	// LatestSnapshot is the newest snapshot that is whole.
	LatestSnapshot(ctx context.Context) (Snapshot, bool, error)
}

// Jobs are the jobs as people see them.
type Jobs interface {
	// Job is one job with its spec.
	Job(ctx context.Context, id int64) (Job, bool, error)
	// Jobs is a page of jobs, newest first. The cost of a page does not grow
	// with the number of jobs, except when a name is asked for.
	Jobs(ctx context.Context, q Query) ([]Job, error)
	// CountJobs counts by state, exactly and without looking at the jobs,
	// unless a name or a time is asked for. Before, After and Limit do not
	// restrict it.
	CountJobs(ctx context.Context, q Query) (map[string]int64, error)
}

// Txs are the transactions of the ledger.
type Txs interface {
	// Txs yields transactions by ascending Seq, a bounded number of them in
	// memory at a time. It ends at the first error it yields.
	Txs(ctx context.Context, q TxQuery) iter.Seq2[Tx, error]
}

// Replies are the answers given to requests with an idempotency key.
type Replies interface {
	// Reply is what was answered to a key of an owner.
	Reply(ctx context.Context, owner, key string) (Reply, bool, error)
	// ReplyKeys yields the keys under which there are answers, those given
	// while it reads perhaps among them. It ends at the first error it yields.
	ReplyKeys(ctx context.Context) iter.Seq2[ReplyKey, error]
	// ForgetReplies drops the answers given before a time. An answer that
	// came after younger ones may stay as long as they do.
	ForgetReplies(ctx context.Context, before int64) error
}

// Tokens let users in.
type Tokens interface {
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
}

// Settings are small texts kept beside the log.
type Settings interface {
	// Meta is a small setting kept beside the log.
	Meta(ctx context.Context, key string) (string, bool, error)
	// SetMeta sets it.
	SetMeta(ctx context.Context, key, value string) error
}

// Identity tells stores apart.
type Identity interface {
	// Generation is a random name of this store that changes when it is
	// restored from a backup.
	Generation(ctx context.Context) (string, error)
}

// Notes are what parts of the market beside the log remember.
type Notes interface {
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
}

// Archives takes out of the store what is in files.
type Archives interface {
	// Needed is the first entry that a start may read: none from it on can be
	// archived. 1: there is no snapshot.
	Needed(ctx context.Context) (int64, error)
	// Oldest is the first entry that is in the store; 0: there is none.
	Oldest(ctx context.Context) (int64, error)
	// AddArchive records that the next part of the log is in a file, which must be on
	// the disk by then. It is an [ErrConflict] if it does not follow on the one before,
	// and an [ErrInvalid] if its entries are not those of the store, or needed.
	AddArchive(ctx context.Context, a Archive) error
	// Shed removes entries, which must be in an archive, and what goes with them: all
	// of it or nothing.
	Shed(ctx context.Context, s Shed) error
}

// Leadership lets one of several controllers write.
type Leadership interface {
	// Lead waits until this process is the only one that leads. From then on
	// nothing more arrives of what a leader before had appended, so what is
	// read of the log is all there is. The channel is closed when it no longer
	// does: the lease could not be renewed, the session with the database is gone,
	// another has taken the lead, release was called, or the store closed. A leader
	// that stands still loses the lead within seconds, and whatever it would write
	// under it afterwards is an [ErrDeposed].
	Lead(ctx context.Context) (lost <-chan struct{}, release func(), err error)
	// TryLead is Lead that does not wait: it fails with a [*Taken].
	TryLead(ctx context.Context) (lost <-chan struct{}, release func(), err error)
	// Leads is the term of the lead that this store has: a number that grows with
	// every leader. It is an [ErrDeposed] as soon as another could lead, whether or
	// not it does.
	Leads() (term int64, err error)
}
