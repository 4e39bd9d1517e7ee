package storetest

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/libra-market/libra/live/store"
)

// Backend is a database that a store can stand on.
type Backend struct {
	// New is the address of a new, empty database that goes with the test.
	New func(testing.TB) string
	// SQL opens a database beside the store, to spoil it. Nil: there is none, and
	// none but this process sees the store, so what needs either is left out.
	SQL func(tb testing.TB, address string) *sql.DB
}

// Run tests what every store must do.
func Run(t *testing.T, b Backend) {
	for _, part := range []struct {
		name string
		test func(*testing.T, Backend)
		base bool // needs a real database: SQL, or another process
	}{
		{"an empty store", testEmpty, false},
		{"the log comes back as it was written", testLog, false},
		{"large entries are read in small parts", testLargeEntries, false},
		{"of two writers one conflicts", testConflict, false},
		{"many writers leave one sound log", testManyWriters, false},
		{"what contradicts itself is refused", testInvalid, false},
		{"hashes given are checked", testHashes, false},
		{"a spoilt log is found", testSpoilt, true},
		{"jobs are replaced, specs stay", testJobs, false},
		{"what is found agrees with a model", testModel, false},
		{"pages are whole", testPages, false},
		{"transactions by account", testTxs, false},
		{"snapshots", testSnapshots, true},
		{"a spoilt snapshot gives way to the one before", testSpoiltSnapshot, true},
		{"replies", testReplies, false},
		{"tokens", testTokens, false},
		{"meta", testMeta, false},
		{"notes", testNotes, false},
		{"all is there after opening again", testReopen, false},
		{"readers see whole batches", testReaders, false},
		{"one leads", testLead, false},
		{"the lead passes on when the leader is killed", testLeaderKilled, true},
		{"what was acknowledged survives being killed", testKilled, true},
		{"a newer database is refused", testNewer, true},
		{"a closed store says so", testClosed, false},
	} {
		if part.base && b.SQL == nil {
			continue
		}
		t.Run(part.name, func(t *testing.T) { part.test(t, b) })
	}
}

// Open opens a store that goes with the test.
func Open(tb testing.TB, address string) store.Store {
	tb.Helper()
	s, err := openAt(tb.Context(), address)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// open is a store in a new database.
func (b Backend) open(tb testing.TB) store.Store {
	tb.Helper()
	return Open(tb, b.New(tb))
}

// Numbered is a batch in which everything carries the number of its entry, and
// every entry says where the batch ends.
func Numbered(first int64, n int) store.Batch {
	var b store.Batch
	end := first + int64(n) - 1
	for seq := first; seq <= end; seq++ {
		owner := fmt.Sprintf("user%d", seq%5)
		b.Entries = append(b.Entries, store.Entry{Seq: seq, At: seq * 1000, Kind: "numbered", Body: fmt.Append(nil, end)})
		b.Jobs = append(b.Jobs, store.Job{
			ID: seq, Owner: owner, Account: "lab/" + owner, Name: fmt.Sprintf("job %d", seq), State: "queued",
			Submitted: seq * 1000, Spec: fmt.Append(nil, "spec ", seq), Body: fmt.Append(nil, "body ", seq),
		})
		b.Txs = append(b.Txs, store.Tx{
			Seq: seq, At: seq * 1000, Kind: "hold", Job: seq, Memo: "memo", Hash: fmt.Append(nil, "hash ", seq),
			Postings: []store.Posting{{Account: "lab/" + owner, Side: "free", Amount: -seq}, {Account: "lab/" + owner, Side: "held", Amount: seq}},
		})
		b.Replies = append(b.Replies, store.Reply{
			Owner: owner, Key: fmt.Sprintf("key %d", seq), Digest: fmt.Append(nil, "digest ", seq),
			Body: fmt.Append(nil, "answer ", seq), At: seq * 1000,
		})
	}
	return b
}

// CheckNumbered checks that the store holds exactly the numbered batches up to
// the end of its log, and says where that is.
func CheckNumbered(tb testing.TB, ctx context.Context, s store.Store) int64 {
	tb.Helper()
	n, err := s.VerifyLog(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	var end string
	for e, err := range s.Tail(ctx, 0) {
		if err != nil {
			tb.Fatal(err)
		}
		end = string(e.Body)
	}
	if want := fmt.Sprint(n); n > 0 && end != want {
		tb.Errorf("the log ends at %s within a batch that ends at %s", want, end)
	}
	want := Numbered(1, int(n))
	var txs int64
	for tx, err := range s.Txs(ctx, store.TxQuery{}) {
		if err != nil {
			tb.Fatal(err)
		}
		if txs++; txs <= n {
			same(tb, "transaction", tx, want.Txs[tx.Seq-1])
		}
	}
	if txs != n {
		tb.Errorf("%d transactions for %d entries", txs, n)
	}
	jobs, err := s.Jobs(ctx, store.Query{Limit: int(n) + 10, WithSpec: true})
	if err != nil {
		tb.Fatal(err)
	}
	if int64(len(jobs)) != n {
		tb.Fatalf("%d jobs for %d entries", len(jobs), n)
	}
	for i, j := range jobs {
		same(tb, "job", j, want.Jobs[int(n)-1-i])
	}
	counts, err := s.CountJobs(ctx, store.Query{})
	if err != nil {
		tb.Fatal(err)
	}
	if counts["queued"] != n {
		tb.Errorf("%d jobs counted for %d entries", counts["queued"], n)
	}
	for _, w := range want.Replies {
		r, found, err := s.Reply(ctx, w.Owner, w.Key)
		if err != nil || !found {
			tb.Fatalf("reply %s: %v %v", w.Key, found, err)
		}
		same(tb, "reply", r, w)
	}
	after := Numbered(n+1, 7)
	for _, w := range after.Replies {
		if _, found, err := s.Reply(ctx, w.Owner, w.Key); err != nil || found {
			tb.Errorf("reply %s is there (%v), the log ends at %d", w.Key, err, n)
		}
	}
	return n
}
