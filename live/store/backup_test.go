package store_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/store/storetest"
)

// anyBooks are books that are right.
func anyBooks(iter.Seq2[store.Tx, error]) error { return nil }

func save(t *testing.T, address string) []byte {
	t.Helper()
	var to bytes.Buffer
	if _, err := store.Save(t.Context(), address, &to, 42, nil); err != nil {
		t.Fatal(err)
	}
	return to.Bytes()
}

func load(ctx context.Context, address string, backup []byte, books store.Books) error {
	from, err := store.ReadBackup(bytes.NewReader(backup))
	if err != nil {
		return err
	}
	return store.Load(ctx, address, from, books, nil)
}

// fill gives a store something in every table.
func fill(t *testing.T, s store.Store) {
	t.Helper()
	ctx := t.Context()
	for _, err := range []error{
		s.Append(ctx, storetest.Numbered(1, 250)),
		s.Append(ctx, store.Batch{Entries: []store.Entry{{Seq: 251, Kind: "bytes", Version: 2, Body: []byte{0, 255, '"', '\n'}}}, Jobs: []store.Job{
			{ID: 3, Owner: "user3", Account: "lab/user3", Name: "größe \u2028 <&>", State: "running"},
		}}),
		s.SaveSnapshot(ctx, store.Snapshot{Seq: 100, At: 7, Version: "1", Body: bytes.Repeat([]byte{1, 200, 3}, 1<<20)}),
		s.AddToken(ctx, store.Token{Hash: []byte{1, 2, 250}, User: "alice", Role: "owner", Name: "t1 laptop", Created: 5}),
		s.SetMeta(ctx, "setting", "value"),
		s.PutNotes(ctx, []store.Note{{Kind: "k", Key: "a", Body: []byte("x")}, {Kind: "k", Key: "b"}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// all is everything that can be read of a store.
func all(t *testing.T, s store.Store) map[string]any {
	t.Helper()
	ctx := t.Context()
	seen := map[string]any{}
	see := func(name string, v any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(name, err)
		}
		seen[name] = v
	}
	var entries []store.Entry
	for e, err := range s.Tail(ctx, 0) {
		entries = append(entries, e)
		see("log", entries, err)
	}
	for name, q := range map[string]store.TxQuery{"txs": {}, "txs of an account": {Account: "lab", Subtree: true}} {
		var txs []store.Tx
		for tx, err := range s.Txs(ctx, q) {
			txs = append(txs, tx)
			see(name, txs, err)
		}
	}
	var replies []store.Reply
	for k, err := range s.ReplyKeys(ctx) {
		see("key", k, err)
		r, _, err := s.Reply(ctx, k.Owner, k.Key)
		replies = append(replies, r)
		see("replies", replies, err)
	}
	n, err := s.VerifyLog(ctx)
	see("verified", n, err)
	snapshot, _, err := s.LatestSnapshot(ctx)
	see("snapshot", snapshot, err)
	jobs, err := s.Jobs(ctx, store.Query{Limit: 10_000, WithSpec: true})
	see("jobs", jobs, err)
	mine, err := s.Jobs(ctx, store.Query{Owner: "user3", Limit: 10_000})
	see("jobs of a user", mine, err)
	counts, err := s.CountJobs(ctx, store.Query{})
	see("counts", counts, err)
	counts, err = s.CountJobs(ctx, store.Query{Account: "lab"})
	see("counts of an account", counts, err)
	tokens, err := s.Tokens(ctx, "")
	see("tokens", tokens, err)
	value, _, err := s.Meta(ctx, "setting")
	see("meta", value, err)
	notes, err := s.Notes(ctx, "k")
	see("notes", notes, err)
	return seen
}

// TestBackup restores a backup of each database into each.
func TestBackup(t *testing.T) {
	for from, b := range backends {
		address := ""
		t.Run(from, func(t *testing.T) {
			address = b.New(t)
			s := storetest.Open(t, address)
			fill(t, s)
			want, backup := all(t, s), save(t, address)
			old, err := s.Generation(t.Context())
			if err != nil || old == "" {
				t.Fatal(old, err)
			}
			for to, b := range backends {
				t.Run("into "+to, func(t *testing.T) {
					ctx, address := t.Context(), b.New(t)
					if err := load(ctx, address, backup, anyBooks); err != nil {
						t.Fatal(err)
					}
					restored := storetest.Open(t, address)
					for name, got := range all(t, restored) {
						if !reflect.DeepEqual(got, want[name]) {
							t.Errorf("%s: %.300v, was %.300v", name, got, want[name])
						}
					}
					if id, err := restored.Generation(ctx); err != nil || id == "" || id == old {
						t.Errorf("generation %q after %q: %v", id, old, err)
					}
					if err := restored.Append(ctx, store.Batch{
						Entries: []store.Entry{{Seq: 252}},
						Replies: []store.Reply{{Owner: "user1", Key: "another"}},
					}); err != nil {
						t.Errorf("it does not go on: %v", err)
					}
					if err := load(ctx, address, backup, anyBooks); !errors.Is(err, store.ErrNotEmpty) {
						t.Errorf("a second time: %v", err)
					}
				})
			}
		})
	}
}

// TestBadBackup: what is damaged, cut off, or has wrong books is refused, and the
// store stays empty.
func TestBadBackup(t *testing.T) {
	for name, b := range backends {
		t.Run(name, func(t *testing.T) {
			ctx, source := t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "source.db")
			fill(t, storetest.Open(t, source))
			good := save(t, source)
			address := b.New(t)
			bad := map[string][]byte{
				"nothing":         nil,
				"something else":  []byte("a text"),
				"without an end":  good[:len(good)-1],
				"half of it":      good[:len(good)/2],
				"another ending":  repack(t, good, func(text string) string { return text + "{}\n" }),
				"without a table": repack(t, good, func(text string) string { return cut(text, `{"table":"notes"`, `{"end"`) }),
				"another amount":  repack(t, good, func(text string) string { return strings.Replace(text, `amount_micros\":-5`, `amount_micros\":-6`, 1) }),
				"a row less":      repack(t, good, func(text string) string { return cut(text, `[7,7000,`, `[8,8000,`) }),
			}
			for _, at := range []int{100, 5000, len(good) - 20} {
				spoilt := bytes.Clone(good)
				spoilt[at] ^= 0x10
				bad[fmt.Sprint("one bit at ", at)] = spoilt
			}
			for what, backup := range bad {
				if err := load(ctx, address, backup, anyBooks); err == nil {
					t.Errorf("%s: no error", what)
				} else if !errors.Is(err, store.ErrBadBackup) && !errors.Is(err, store.ErrNewer) { // a bit can make it seem newer
					t.Errorf("%s: %v", what, err)
				}
			}
			wrong := errors.New("wrong books")
			if err := load(ctx, address, good, func(iter.Seq2[store.Tx, error]) error { return wrong }); !errors.Is(err, wrong) {
				t.Errorf("wrong books: %v", err)
			}
			newer := repack(t, good, func(text string) string { return strings.Replace(text, `"form":`, `"form":9`, 1) })
			err := load(ctx, address, newer, anyBooks)
			if !errors.Is(err, store.ErrNewer) || !strings.Contains(err.Error(), "upgrade libra") {
				t.Errorf("a newer one: %v", err)
			}
			if err := load(ctx, address, good, anyBooks); err != nil {
				t.Errorf("after all that it is not empty: %v", err)
			}
		})
	}
}

// repack changes the text of a backup.
func repack(t *testing.T, backup []byte, change func(string) string) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(backup))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	changed := change(string(text))
	if changed == string(text) {
		t.Fatal("nothing was changed")
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.WriteString(w, changed); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// cut leaves out what is from one text to before another.
func cut(text, from, to string) string {
	a := strings.Index(text, from)
	b := strings.Index(text[a:], to)
	return text[:a] + text[a+b:]
}

// TestBackupUnderLoad makes backups of a store while it is written: each holds
// whole batches and nothing else.
func TestBackupUnderLoad(t *testing.T) {
	for name, b := range backends {
		t.Run(name, func(t *testing.T) {
			ctx, address := t.Context(), b.New(t)
			s := storetest.Open(t, address)
			if err := s.Append(ctx, storetest.Numbered(1, 10)); err != nil {
				t.Fatal(err)
			}
			// So many batches at a time: on a slow machine there is no more to copy.
			batches, wrote := make(chan struct{}, 30), make(chan struct{}, 1)
			var writer sync.WaitGroup
			writer.Go(func() {
				seq := int64(11)
				for range batches {
					if err := s.Append(ctx, storetest.Numbered(seq, 10)); err != nil {
						t.Error(err)
						return
					}
					seq += 10
					select {
					case wrote <- struct{}{}:
					default:
					}
				}
			})
			var backups [][]byte
			for range 5 {
				for len(batches) < cap(batches) {
					batches <- struct{}{}
				}
				<-wrote // so that each is of another state
				<-wrote
				backups = append(backups, save(t, address))
			}
			close(batches)
			writer.Wait()
			for i, backup := range backups {
				into := backends[[]string{"sqlite", "postgres"}[i%2]].New(t)
				if err := load(ctx, into, backup, anyBooks); err != nil {
					t.Fatal(err)
				}
				n := storetest.CheckNumbered(t, ctx, storetest.Open(t, into))
				t.Logf("backup %d ends at %d", i, n)
			}
		})
	}
}

// TestBackupOfNothing: what is not there is not made.
func TestBackupOfNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.db")
	if _, err := store.Save(t.Context(), path, io.Discard, 0, nil); err == nil {
		t.Error("a backup of nothing")
	}
	if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
		t.Errorf("%v was made", left)
	}
	if _, err := store.Save(t.Context(), backends["postgres"].New(t), io.Discard, 0, nil); !errors.Is(err, store.ErrForeign) {
		t.Errorf("an empty database: %v", err)
	}
}

// TestRestoreKilled kills a restore in the middle, again and again: the store is
// empty then, or whole.
func TestRestoreKilled(t *testing.T) {
	for name, b := range backends {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			source := filepath.Join(t.TempDir(), "source.db")
			if err := storetest.Open(t, source).Append(ctx, storetest.Numbered(1, 1000)); err != nil {
				t.Fatal(err)
			}
			backup := save(t, source)
			for _, rows := range []int{1, 300, 2000, 5001} {
				address := b.New(t)
				child := storetest.StartChild(t, storetest.Restorer, address, source)
				for range rows {
					if _, ok := child.Line(); !ok {
						break
					}
				}
				child.Kill()
				s := storetest.Open(t, address)
				_, release, err := s.Lead(ctx)
				if err != nil {
					t.Fatal(err)
				}
				release()
				switch n := storetest.CheckNumbered(t, ctx, s); n {
				case 1000: // it was done before the signal came
				case 0:
					if err := load(ctx, address, backup, anyBooks); err != nil {
						t.Errorf("after a kill at %d: %v", rows, err)
					}
				default:
					t.Errorf("%d entries of 1000", n)
				}
			}
		})
	}
}
