package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/libra-market/libra/live/store"
)

func testTxs(t *testing.T, b Backend) {
	s, ctx := b.open(t), t.Context()
	const n, accounts = 2520, 60 // more than is read at a time, and than one statement takes
	var batch store.Batch
	for i := range n {
		batch.Txs = append(batch.Txs, store.Tx{
			Seq: int64(i + 1), At: int64(i), Kind: "charge", Job: int64(i), Body: []byte("b"),
			Postings: []store.Posting{
				{Account: fmt.Sprintf("lab/u%d", i%accounts), Side: "held", Amount: -1},
				{Account: "@owner", Side: "free", Amount: 1},
			},
		})
	}
	must(t, s.Append(ctx, batch))
	for _, c := range []struct {
		q    store.TxQuery
		want int
	}{
		{store.TxQuery{}, n},
		{store.TxQuery{Account: "@owner"}, n},
		{store.TxQuery{Account: "lab", Subtree: true}, n},
		{store.TxQuery{Account: "lab"}, 0},
		{store.TxQuery{Account: "lab/u7"}, n / accounts},
		{store.TxQuery{Account: "lab", Subtree: true, From: 100, To: 200}, 100},
		{store.TxQuery{AfterSeq: n - 5}, 5},
		{store.TxQuery{Account: "lab/u7", Subtree: true, From: n + 1}, 0},
	} {
		got, last := 0, int64(0)
		for tx, err := range s.Txs(ctx, c.q) {
			must(t, err)
			if tx.Seq <= last {
				t.Fatalf("%+v: %d after %d", c.q, tx.Seq, last)
			}
			last = tx.Seq
			same(t, "transaction", tx, batch.Txs[tx.Seq-1])
			got++
		}
		if got != c.want {
			t.Errorf("%+v: %d transactions, want %d", c.q, got, c.want)
		}
	}
	for range s.Txs(ctx, store.TxQuery{Account: "lab", Subtree: true}) {
		break // must not hang or panic
	}
}

func testSnapshots(t *testing.T, b Backend) {
	address := b.New(t)
	s, raw, ctx := Open(t, address), b.SQL(t, address), t.Context()
	kept := func() (n int) {
		t.Helper()
		must(t, raw.QueryRowContext(ctx, "SELECT count(*) FROM snapshots").Scan(&n))
		return n
	}
	var want store.Snapshot
	for i, size := range []int{0, 10, 1 << 20, 3<<20 + 5, 7} {
		want = store.Snapshot{Seq: int64(10 * i), At: int64(i), Version: fmt.Sprint("v", i), Body: bytes.Repeat([]byte{byte('a' + i)}, size)}
		if size == 0 {
			want.Body = nil
		}
		must(t, s.SaveSnapshot(ctx, want))
		got, found, err := s.LatestSnapshot(ctx)
		must(t, err)
		same(t, "found", found, true)
		same(t, "same", got.Seq == want.Seq && got.At == want.At && got.Version == want.Version && bytes.Equal(got.Body, want.Body), true)
		same(t, "kept", kept(), min(i+1, 2))
	}
	again := want // of the same entry: the later one counts
	again.Body = []byte("again")
	must(t, s.SaveSnapshot(ctx, again))
	got, _, err := s.LatestSnapshot(ctx)
	must(t, err)
	same(t, "latest", got, again)

	// One that was begun and never done does not count, and is swept away.
	_, err = raw.ExecContext(ctx, "INSERT INTO snapshots (id, seq, at, version, digest, done) SELECT 999, 999, 0, 'x', digest, 0 FROM snapshots WHERE seq = 40 AND id = (SELECT max(id) FROM snapshots)")
	must(t, err)
	_, err = raw.ExecContext(ctx, "INSERT INTO snapshot_parts (snapshot, n, body) SELECT 999, 0, body FROM snapshot_parts WHERE snapshot = (SELECT max(snapshot) FROM snapshot_parts)")
	must(t, err)
	got, _, err = s.LatestSnapshot(ctx)
	must(t, err)
	same(t, "latest", got, again)
	must(t, s.SaveSnapshot(ctx, want))
	same(t, "kept", kept(), 2)
	var parts int
	must(t, raw.QueryRowContext(ctx, "SELECT count(*) FROM snapshot_parts").Scan(&parts))
	same(t, "parts", parts, 2)
}

func testSpoiltSnapshot(t *testing.T, b Backend) {
	address := b.New(t)
	s, raw, ctx := Open(t, address), b.SQL(t, address), t.Context()
	one := store.Snapshot{Seq: 1, Version: "v", Body: bytes.Repeat([]byte("1"), 2<<20)}
	two := store.Snapshot{Seq: 2, Version: "v", Body: bytes.Repeat([]byte("2"), 2<<20)}
	must(t, s.SaveSnapshot(ctx, one))
	must(t, s.SaveSnapshot(ctx, two))
	_, err := raw.ExecContext(ctx, "DELETE FROM snapshot_parts WHERE n = 1 AND snapshot = (SELECT max(snapshot) FROM snapshot_parts)")
	must(t, err)
	got, found, err := s.LatestSnapshot(ctx)
	must(t, err)
	same(t, "found", found, true)
	same(t, "the one before", got.Seq == 1 && bytes.Equal(got.Body, one.Body), true)
	_, err = raw.ExecContext(ctx, "DELETE FROM snapshot_parts")
	must(t, err)
	_, found, err = s.LatestSnapshot(ctx)
	must(t, err)
	same(t, "found", found, false)
}

func testReplies(t *testing.T, b Backend) {
	s, ctx := b.open(t), t.Context()
	const n = 2500
	var batch store.Batch
	for i := range n {
		batch.Replies = append(batch.Replies, store.Reply{Owner: "ann", Key: fmt.Sprintf("%04d", i), Digest: []byte{1}, Body: []byte("x"), At: int64(i)})
	}
	must(t, s.Append(ctx, batch))
	later := store.Reply{Owner: "ann", Key: "0003", Digest: []byte{2}, Body: []byte("later"), At: n}
	must(t, s.Append(ctx, store.Batch{Replies: []store.Reply{{Owner: "ann", Key: "0003", At: 1}, later}}))
	must(t, s.ForgetReplies(ctx, 2200))
	for key, want := range map[string]bool{"0000": false, "2199": false, "2200": true, "2499": true, "0003": true, "none": false} {
		_, found, err := s.Reply(ctx, "ann", key)
		must(t, err)
		same(t, "reply "+key, found, want)
	}
	keys := map[store.ReplyKey]bool{}
	for k, err := range s.ReplyKeys(ctx) {
		must(t, err)
		keys[k] = true
	}
	same(t, "keys", len(keys), n-2200+1)
	same(t, "one of them", keys[store.ReplyKey{Owner: "ann", Key: "0003"}], true)
	_, _, err := s.Reply(ctx, "ann", "\xff")
	wants(t, "a key that cannot be", err, store.ErrInvalid)
	got, _, err := s.Reply(ctx, "ann", "0003")
	must(t, err)
	same(t, "the later reply", got, later)
	_, found, err := s.Reply(ctx, "bob", "0003")
	must(t, err)
	same(t, "another owner's", found, false)
}

func testTokens(t *testing.T, b Backend) {
	s, ctx := b.open(t), t.Context()
	one := store.Token{Hash: []byte{0, 1}, User: "ann", Role: "user", Name: "laptop", Created: 5, Expires: 9}
	two := store.Token{Hash: []byte{0, 2}, User: "bob", Role: "admin", Created: 4}
	must(t, s.AddToken(ctx, one))
	must(t, s.AddToken(ctx, two))
	wants(t, "the same again", s.AddToken(ctx, one), store.ErrExists)
	wants(t, "no hash", s.AddToken(ctx, store.Token{}), store.ErrInvalid)
	got, found, err := s.Token(ctx, one.Hash)
	must(t, err)
	same(t, "found", found, true)
	same(t, "token", got, one)
	_, found, err = s.Token(ctx, nil)
	must(t, err)
	same(t, "no token", found, false)

	must(t, s.UseToken(ctx, one.Hash, 8))
	must(t, s.UseToken(ctx, one.Hash, 7))
	must(t, s.RevokeToken(ctx, one.Hash))
	one.Used, one.Revoked = 8, true
	all, err := s.Tokens(ctx, "")
	must(t, err)
	same(t, "all", all, []store.Token{two, one})
	anns, err := s.Tokens(ctx, "ann")
	must(t, err)
	same(t, "ann's", anns, []store.Token{one})
	wants(t, "an unknown one", s.RevokeToken(ctx, []byte("x")), store.ErrUnknown)
	if errors.Is(s.UseToken(ctx, []byte("x"), 1), store.ErrUnknown) {
		t.Error("using a token that was just removed is no error")
	}
}

func testMeta(t *testing.T, b Backend) {
	s, ctx := b.open(t), t.Context()
	_, found, err := s.Meta(ctx, "site")
	must(t, err)
	same(t, "found", found, false)
	for _, value := range []string{"one", "", "zwölf"} {
		must(t, s.SetMeta(ctx, "site", value))
		got, found, err := s.Meta(ctx, "site")
		must(t, err)
		same(t, "found", found, true)
		same(t, "value", got, value)
	}
	wants(t, "a zero byte", s.SetMeta(ctx, "site", "\x00"), store.ErrInvalid)
}

func testNotes(t *testing.T, b Backend) {
	address := b.New(t)
	s, ctx := Open(t, address), t.Context()
	_, found, err := s.Note(ctx, "slurm", "1.0")
	must(t, err)
	same(t, "found", found, false)
	must(t, s.PutNotes(ctx, nil))
	must(t, s.PutNotes(ctx, []store.Note{
		{Kind: "slurm", Key: "2.0", Body: []byte("b")},
		{Kind: "slurm", Key: "10.0", Body: []byte{0, 255}},
		{Kind: "other", Key: "2.0", Body: []byte("c")},
		{Kind: "slurm", Key: "2.0", Body: []byte("the last counts")},
		{Kind: "slurm", Key: "3.0"},
	}))
	two := store.Note{Kind: "slurm", Key: "2.0", Body: []byte("the last counts")}
	got, found, err := s.Note(ctx, "slurm", "2.0")
	must(t, err)
	same(t, "found", found, true)
	same(t, "note", got, two)
	wants(t, "a key that cannot be", s.PutNotes(ctx, []store.Note{{Kind: "slurm", Key: "4.0"}, {Kind: "slurm", Key: "\xff"}}), store.ErrInvalid)
	must(t, s.DropNotes(ctx, "slurm", []string{"3.0", "never there"}))
	must(t, s.Close())

	again := Open(t, address)
	all, err := again.Notes(ctx, "slurm")
	must(t, err)
	same(t, "all", all, []store.Note{{Kind: "slurm", Key: "10.0", Body: []byte{0, 255}}, two})
	all, err = again.Notes(ctx, "nothing")
	must(t, err)
	same(t, "of another kind", len(all), 0)
}
