package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/libra-market/libra/live/store"
)

func same(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if !reflect.DeepEqual(got, want) {
		tb.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func wants(tb testing.TB, what string, err, want error) {
	tb.Helper()
	if !errors.Is(err, want) {
		tb.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func tail(tb testing.TB, s store.Store, after int64) []store.Entry {
	tb.Helper()
	var all []store.Entry
	for e, err := range s.Tail(tb.Context(), after) {
		must(tb, err)
		all = append(all, e)
	}
	return all
}

func testEmpty(t *testing.T, b Backend) {
	s, ctx := b.open(t), t.Context()
	same(t, "tail", tail(t, s, 0), []store.Entry(nil))
	_, found, err := s.Last(ctx)
	must(t, err)
	same(t, "last", found, false)
	n, err := s.VerifyLog(ctx)
	must(t, err)
	same(t, "verified", n, int64(0))
	_, found, err = s.LatestSnapshot(ctx)
	must(t, err)
	same(t, "snapshot", found, false)
	_, found, err = s.Job(ctx, 1)
	must(t, err)
	same(t, "job", found, false)
	jobs, err := s.Jobs(ctx, store.Query{Owner: "nobody", From: 5, To: 7})
	must(t, err)
	same(t, "jobs", len(jobs), 0)
	counts, err := s.CountJobs(ctx, store.Query{})
	must(t, err)
	same(t, "counts", counts, map[string]int64{})
	for range s.Txs(ctx, store.TxQuery{Account: "a", Subtree: true, From: 1, To: 2}) {
		t.Error("a transaction in an empty store")
	}
	must(t, s.Append(ctx, store.Batch{}))
}

func testLog(t *testing.T, b Backend) {
	s, ctx := b.open(t), t.Context()
	want := []store.Entry{
		{Seq: 1, At: -5, Kind: "", Version: 1, Body: nil},
		{Seq: 2, At: 0, Kind: "submit", Version: 7, Body: []byte{0, 255, 0}},
		{Seq: 3, At: 1 << 60, Kind: "größe", Version: 1, Body: bytes.Repeat([]byte("x"), 5000)},
	}
	must(t, s.Append(ctx, store.Batch{Entries: want[:2]}))
	must(t, s.Append(ctx, store.Batch{Entries: want[2:]}))
	if want[0].Hash != nil {
		t.Error("append wrote to the caller's batch")
	}
	var before []byte
	for i := range want {
		want[i].Hash = want[i].Sum(before)
		before = want[i].Hash
	}
	same(t, "tail", tail(t, s, 0), want)
	same(t, "tail after 2", tail(t, s, 2), want[2:])
	same(t, "tail after 3", tail(t, s, 3), []store.Entry(nil))
	last, found, err := s.Last(ctx)
	must(t, err)
	same(t, "found", found, true)
	same(t, "last", last, want[2])
	n, err := s.VerifyLog(ctx)
	must(t, err)
	same(t, "verified", n, int64(3))
	for range s.Tail(ctx, 0) {
		break // must not hang or panic
	}
}

func testLargeEntries(t *testing.T, b Backend) {
	s, ctx := b.open(t), t.Context()
	const large, small = 5, 1500
	var batch store.Batch
	for i := range large {
		batch.Entries = append(batch.Entries, store.Entry{
			Seq: int64(i + 1), Kind: "large", Body: bytes.Repeat([]byte{byte(i)}, 900_000),
		})
	}
	for i := range small {
		batch.Entries = append(batch.Entries, store.Entry{Seq: int64(large + i + 1), Kind: "small"})
	}
	must(t, s.Append(ctx, batch))
	seq := int64(0)
	for e, err := range s.Tail(ctx, 0) {
		must(t, err)
		seq++
		same(t, "seq", e.Seq, seq)
		if e.Kind == "large" && (len(e.Body) != 900_000 || e.Body[0] != byte(seq-1)) {
			t.Errorf("entry %d has another body", seq)
		}
		if seq == 2 { // the log may grow while it is read
			must(t, s.Append(ctx, store.Batch{Entries: []store.Entry{{Seq: large + small + 1, Kind: "late"}}}))
		}
	}
	same(t, "entries", seq, int64(large+small+1))
	n, err := s.VerifyLog(ctx)
	must(t, err)
	same(t, "verified", n, seq)

	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for _, err := range s.Tail(cancelled, 0) {
		wants(t, "tail with a cancelled context", err, context.Canceled)
	}
}

func testConflict(t *testing.T, b Backend) {
	address := b.New(t)
	one, two, ctx := Open(t, address), Open(t, address), t.Context()
	must(t, one.Append(ctx, Numbered(1, 3)))
	must(t, two.Append(ctx, Numbered(4, 2)))
	for name, first := range map[string]int64{"an entry that is there": 4, "the first": 1, "a gap": 7} {
		wants(t, name, one.Append(ctx, Numbered(first, 1)), store.ErrConflict)
	}
	same(t, "end", CheckNumbered(t, ctx, two), int64(5))
	must(t, one.Append(ctx, Numbered(6, 1))) // it knows better now
	wants(t, "the other is late", two.Append(ctx, Numbered(6, 1)), store.ErrConflict)

	used := Numbered(7, 1)
	used.Txs[0].Seq = 3
	wants(t, "a transaction that is there", one.Append(ctx, used), store.ErrConflict)
	same(t, "end", CheckNumbered(t, ctx, two), int64(6))
	must(t, two.Append(ctx, Numbered(7, 1)))
	same(t, "end", CheckNumbered(t, ctx, one), int64(7))
}

func testManyWriters(t *testing.T, b Backend) {
	address := b.New(t)
	const writers, goal = 3, 40
	var wg sync.WaitGroup
	for range writers {
		s := Open(t, address)
		wg.Go(func() {
			for {
				last, _, err := s.Last(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if last.Seq >= goal {
					return
				}
				err = s.Append(t.Context(), Numbered(last.Seq+1, 2))
				if err != nil && !errors.Is(err, store.ErrConflict) {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if n := CheckNumbered(t, t.Context(), Open(t, address)); n < goal || n%2 != 0 {
		t.Errorf("the log ends at %d", n)
	}
}

func testInvalid(t *testing.T, b Backend) {
	s, ctx := b.open(t), t.Context()
	long := strings.Repeat("x", 801)
	for name, spoil := range map[string]func(*store.Batch){
		"a gap between entries":         func(b *store.Batch) { b.Entries[1].Seq = 3 },
		"entries in the wrong order":    func(b *store.Batch) { b.Entries[0], b.Entries[1] = b.Entries[1], b.Entries[0] },
		"a version below all":           func(b *store.Batch) { b.Entries[0].Version = -1 },
		"a version beyond all":          func(b *store.Batch) { b.Entries[1].Version = 1 << 31 },
		"a kind that is not UTF-8":      func(b *store.Batch) { b.Entries[0].Kind = "\xff" },
		"a name with a zero":            func(b *store.Batch) { b.Jobs[0].Name = "a\x00b" },
		"a long owner":                  func(b *store.Batch) { b.Jobs[0].Owner = long },
		"a long account":                func(b *store.Batch) { b.Txs[1].Postings[0].Account = long },
		"a memo that is not UTF-8":      func(b *store.Batch) { b.Txs[1].Memo = "\xc3(" },
		"a long key":                    func(b *store.Batch) { b.Replies[0].Key = long },
		"a hash that does not fit":      func(b *store.Batch) { b.Entries[1].Hash = make([]byte, 32) },
		"a hash that is none":           func(b *store.Batch) { b.Entries[0].Hash = []byte{} },
		"a state that is not UTF-8":     func(b *store.Batch) { b.Jobs[1].State = "\x80" },
		"a reply's owner with a zero":   func(b *store.Batch) { b.Replies[1].Owner = "\x00" },
		"a posting's side with a zero":  func(b *store.Batch) { b.Txs[0].Postings[1].Side = "\x00" },
		"a transaction kind with zeros": func(b *store.Batch) { b.Txs[0].Kind = "\x00\x00" },
	} {
		batch := Numbered(1, 2)
		spoil(&batch)
		wants(t, name, s.Append(ctx, batch), store.ErrInvalid)
	}
	same(t, "end", CheckNumbered(t, ctx, s), int64(0))

	const odd = "\xff"
	for _, q := range []store.Query{{Owner: odd}, {Account: odd}, {Name: odd}, {States: []string{odd}}} {
		_, err := s.Jobs(ctx, q)
		wants(t, "jobs", err, store.ErrInvalid)
		_, err = s.CountJobs(ctx, q)
		wants(t, "counts", err, store.ErrInvalid)
	}
	for _, err := range s.Txs(ctx, store.TxQuery{Account: odd}) {
		wants(t, "transactions", err, store.ErrInvalid)
	}
	_, err := s.Tokens(ctx, odd)
	wants(t, "tokens", err, store.ErrInvalid)
	_, _, err = s.Meta(ctx, odd)
	wants(t, "meta", err, store.ErrInvalid)

	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	wants(t, "a cancelled context", s.Append(cancelled, Numbered(1, 2)), context.Canceled)
	same(t, "end", CheckNumbered(t, ctx, s), int64(0))

	fit := strings.Repeat("y", 800) // the longest that is taken goes through all indexes
	must(t, s.Append(ctx, store.Batch{
		Jobs:    []store.Job{{ID: 1, Owner: fit, Account: fit, State: fit}},
		Txs:     []store.Tx{{Seq: 1, Postings: []store.Posting{{Account: fit}}}},
		Replies: []store.Reply{{Owner: fit, Key: fit}},
	}))
}

func testHashes(t *testing.T, b Backend) {
	s, ctx := b.open(t), t.Context()
	batch := Numbered(1, 3)
	var before []byte
	for i := range batch.Entries {
		batch.Entries[i].Hash = batch.Entries[i].Sum(before)
		before = batch.Entries[i].Hash
	}
	must(t, s.Append(ctx, batch))
	e := store.Entry{Seq: 4, Kind: "ab", Body: []byte("c")}
	shifted := store.Entry{Seq: 4, Kind: "a", Body: []byte("bc")}
	if bytes.Equal(e.Sum(before), shifted.Sum(before)) {
		t.Error("a letter can move from the kind to the body")
	}
	e.Version = 1
	first := e.Sum(before)
	if e.Version = 0; !bytes.Equal(first, e.Sum(before)) {
		t.Error("no version is not version 1")
	}
	if e.Version = 2; bytes.Equal(first, e.Sum(before)) {
		t.Error("the version can be changed")
	}
	same(t, "end", CheckNumbered(t, ctx, s), int64(3))
}

func testSpoilt(t *testing.T, b Backend) {
	address, ctx := b.New(t), t.Context()
	s, raw := Open(t, address), b.SQL(t, address)
	do := func(statements ...string) {
		t.Helper()
		for _, statement := range statements {
			_, err := raw.ExecContext(ctx, statement)
			must(t, err)
		}
	}
	must(t, s.Append(ctx, Numbered(1, 9)))
	do("CREATE TABLE sound AS SELECT * FROM log")
	for _, c := range []struct {
		how string
		at  int64
	}{
		{"UPDATE log SET at = at + 1 WHERE seq = 5", 5},
		{"UPDATE log SET kind = 'other' WHERE seq = 1", 1},
		{"UPDATE log SET version = 2 WHERE seq = 6", 6},
		{"UPDATE log SET body = hash WHERE seq = 9", 9},
		{"UPDATE log SET hash = body WHERE seq = 3", 3},
		{"DELETE FROM log WHERE seq = 4", 4},
		{"DELETE FROM log WHERE seq = 1", 1},
		{"DELETE FROM log WHERE seq > 6", 7},
		{"DELETE FROM log", 1},
		{"UPDATE head SET hash = (SELECT hash FROM log WHERE seq = 2)", 9},
	} {
		do(c.how)
		n, err := s.VerifyLog(ctx)
		var broken *store.BrokenChain
		if !errors.As(err, &broken) || broken.Seq != c.at || n != c.at-1 {
			t.Errorf("%s: %d sound, %v; want it broken at %d", c.how, n, err, c.at)
		} else if !strings.Contains(err.Error(), fmt.Sprint(c.at)) {
			t.Errorf("%s: %v does not name the entry", c.how, err)
		}
		do("DELETE FROM log", "INSERT INTO log SELECT * FROM sound", "UPDATE head SET hash = (SELECT hash FROM log WHERE seq = 9)")
	}
	same(t, "end", CheckNumbered(t, ctx, s), int64(9))
}
