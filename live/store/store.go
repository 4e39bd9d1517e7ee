package store

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
