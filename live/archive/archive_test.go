package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/archive"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/store/storetest"
)

// bases are the databases that a log can stand on.
var bases = map[string]func(testing.TB) string{
	"memory":   storetest.Memory,
	"sqlite":   func(tb testing.TB) string { return "sqlite:" + filepath.Join(tb.TempDir(), "libra.db") },
	"postgres": storetest.Postgres,
}

// bodies is an entry as the market writes it: a job comes in with its script, or ends.
func bodies(seq int64) (entry, request []byte) {
	job := (seq + 1) / 2
	request = fmt.Appendf(nil, `{"name":"work","script":"#!/bin/sh\n%s","estimate_ms":1000}`, strings.Repeat("echo working & \\u003cwaiting\\u003e\\n", 8))
	if seq%2 == 1 {
		return fmt.Appendf(nil, `{"cmd":{},"steps":[{"in":[{"kind":"submitted","job":%d}]}],"facts":{"jobs":[{"id":%[1]d,"request":%s}],"txs":[{"seq":%d}]}}`, job, request, seq), request
	}
	return fmt.Appendf(nil, `{"cmd":{},"facts":{"gone":[%d],"txs":[{"seq":%d}]}}`, job, seq), nil
}

// jobBody is a row of a job that is large enough to be packed.
func jobBody(id int64) []byte {
	return fmt.Appendf(nil, `{"id":%d,"owner":"ann","account":"lab","state":"completed","receipt":{"lines":[%s]}}`, id, strings.Repeat(`{"what":"price as agreed","amount_micros":1},`, 20))
}

// fill writes entries of which two make a job, and a snapshot of the last.
func fill(tb testing.TB, s store.Store, from, to int64) {
	tb.Helper()
	var b store.Batch
	for seq := from; seq <= to; seq++ {
		body, request := bodies(seq)
		job := (seq + 1) / 2
		b.Entries = append(b.Entries, store.Entry{Seq: seq, At: seq * 1000, Kind: "kind", Version: 2, Body: body})
		j := store.Job{ID: job, Owner: "ann", Account: "lab", State: "running", Submitted: job * 2000, Spec: request, Body: jobBody(job)}
		if seq%2 == 0 {
			j.State, j.Ended = "completed", seq*1000
		}
		b.Jobs = append(b.Jobs, j)
		b.Txs = append(b.Txs, store.Tx{
			Seq: seq, At: seq * 1000, Kind: "hold", Job: job, Hash: []byte{1}, Body: fmt.Appendf(nil, `{"seq":%d,"kind":"hold","account":"lab","postings":[]}`, seq),
			Postings: []store.Posting{{Account: "lab", Side: "free", Amount: -seq}, {Account: "lab", Side: "held", Amount: seq}},
		})
	}
	if err := s.Append(tb.Context(), b); err != nil {
		tb.Fatal(err)
	}
	snapshot(tb, s, to)
}

// snapshot keeps two snapshots, as a market has them.
func snapshot(tb testing.TB, s store.Store, seq int64) {
	tb.Helper()
	for range 2 {
		if err := s.SaveSnapshot(tb.Context(), store.Snapshot{Seq: seq, Version: "2", Body: []byte("state")}); err != nil {
			tb.Fatal(err)
		}
	}
}

// lead opens a store and takes its lead.
func lead(tb testing.TB, address string) store.Store {
	tb.Helper()
	s := storetest.Open(tb, address)
	_, release, err := s.Lead(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(release)
	return s
}

func entries(tb testing.TB, s store.Log, after int64) []store.Entry {
	tb.Helper()
	var all []store.Entry
	for e, err := range s.Tail(tb.Context(), after) {
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// rows is all that people look up, in words.
func rows(tb testing.TB, s store.Store) string {
	tb.Helper()
	var text strings.Builder
	jobs, err := s.Jobs(tb.Context(), store.Query{Limit: math.MaxInt32})
	if err != nil {
		tb.Fatal(err)
	}
	for _, j := range jobs {
		fmt.Fprintf(&text, "%d %s %s %s %d %d %s\n", j.ID, j.Owner, j.Account, j.State, j.Submitted, j.Ended, j.Body)
	}
	for _, q := range []store.TxQuery{{}, {Account: "lab", From: 5000, To: 700_000}} {
		for tx, err := range s.Txs(tb.Context(), q) {
			if err != nil {
				tb.Fatal(err)
			}
			fmt.Fprintf(&text, "%d %d %s %d %s %x %s %v\n", tx.Seq, tx.At, tx.Kind, tx.Job, tx.Memo, tx.Hash, tx.Body, tx.Postings)
		}
	}
	return text.String()
}

func move(tb testing.TB, m *archive.Mover, before int64) archive.Result {
	tb.Helper()
	r, err := m.Move(tb.Context(), before, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// What is old goes into a file and out of the store; with the file the log is what it
// was, entry by entry, and what people look up has not changed.
func TestMove(t *testing.T) {
	for name, base := range bases {
		t.Run(name, func(t *testing.T) {
			s := lead(t, base(t))
			fill(t, s, 1, 2500)
			all, looked := entries(t, s, 0), rows(t, s)
			dir := filepath.Join(t.TempDir(), "archive")
			m := &archive.Mover{Store: s, Dir: dir}
			r := move(t, m, 1_200_000)
			if r.Archive == nil || r.Archive.First != 1 || r.Archive.Last != 1199 || r.Removed != 1199 {
				t.Fatalf("%+v", r)
			}
			if r = move(t, m, math.MaxInt64); r.Archive == nil || r.Archive.First != 1200 || r.Archive.Last != 2499 { // the last is needed
				t.Fatalf("%+v", r)
			}
			if r = move(t, m, math.MaxInt64); r.Archive != nil || r.More {
				t.Fatalf("nothing is left: %+v", r)
			}
			if n, err := s.Oldest(t.Context()); err != nil || n != 2500 {
				t.Errorf("the store begins at %d: %v", n, err)
			}
			if got := rows(t, s); got != looked {
				t.Errorf("what people look up has changed: %d and %d bytes", len(looked), len(got))
			}
			whole := archive.Whole(s, dir)
			for _, after := range []int64{0, 1, 999, 1000, 1198, 1199, 1200, 2300, 2498, 2499, 2500} {
				if got := entries(t, whole, after); !slices.EqualFunc(got, all[after:], same) {
					t.Errorf("after %d: %d entries of %d", after, len(got), len(all[after:]))
				}
			}
			if n, err := whole.VerifyLog(t.Context()); err != nil || n != 2500 {
				t.Errorf("%d sound: %v", n, err)
			}
			for _, err := range s.Tail(t.Context(), 100) {
				if !errors.Is(err, store.ErrArchived) {
					t.Errorf("the store alone: %v", err)
				}
			}
			if n, err := s.VerifyLog(t.Context()); err != nil || n != 2500 {
				t.Errorf("the store alone: %d sound: %v", n, err)
			}
			j, _, err := s.Job(t.Context(), 7)
			if want := `{"archived":13}`; err != nil || string(j.Spec) != want {
				t.Errorf("the program of a job that has ended is in its entry: %s, %v", j.Spec, err)
			}
			fill(t, s, 2501, 2600)
			if got := entries(t, whole, 0); len(got) != 2600 {
				t.Errorf("%d entries", len(got))
			}
		})
	}
}

func same(a, b store.Entry) bool {
	return a.Seq == b.Seq && a.At == b.At && a.Kind == b.Kind && a.Version == b.Version && bytes.Equal(a.Body, b.Body) && bytes.Equal(a.Hash, b.Hash)
}

// Nothing that a start may read goes, whatever is asked; nor what does not follow, nor
// what is in no archive.
func TestWhatIsNeededStays(t *testing.T) {
	for name, base := range bases {
		t.Run(name, func(t *testing.T) {
			s := lead(t, base(t))
			m := &archive.Mover{Store: s, Dir: t.TempDir()}
			if r := move(t, m, math.MaxInt64); r.Archive != nil {
				t.Errorf("an empty store: %+v", r)
			}
			fill(t, s, 1, 100)
			if err := s.SaveSnapshot(t.Context(), store.Snapshot{Seq: 40, Version: "2"}); err != nil {
				t.Fatal(err)
			}
			needed, err := s.Needed(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range []store.Archive{{First: 2, Last: 5}, {First: 1, Last: needed}, {First: 1, Last: 0}, {First: 1, Last: 5, Hash: []byte("other")}} {
				if err := s.AddArchive(t.Context(), a); !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrInvalid) {
					t.Errorf("%+v: %v", a, err)
				}
			}
			if err := s.Shed(t.Context(), store.Shed{UpTo: 1}); !errors.Is(err, store.ErrInvalid) {
				t.Errorf("entries in no archive: %v", err)
			}
			if r := move(t, m, math.MaxInt64); r.Archive == nil || r.Archive.Last != needed-1 {
				t.Errorf("%+v, needed %d", r, needed)
			}
		})
	}
}

// A leader that was deposed may finish its file; the store records and removes nothing.
func TestADeposedLeaderRemovesNothing(t *testing.T) {
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			address := bases[name](t)
			old := storetest.Open(t, address)
			_, release, err := old.Lead(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			fill(t, old, 1, 500)
			m := &archive.Mover{Store: old, Dir: t.TempDir()}
			m.StopAt(func(step string) error {
				if step == "named" {
					release()
					lead(t, address)
				}
				return nil
			})
			if _, err := m.Move(t.Context(), math.MaxInt64, 1); !errors.Is(err, store.ErrDeposed) {
				t.Errorf("recorded by who does not lead: %v", err)
			}
			if got := entries(t, old, 0); len(got) != 500 {
				t.Errorf("%d entries of 500", len(got))
			}
		})
	}
}

// Files that are not there are said, and files that are others are found.
func TestFilesThatAreGone(t *testing.T) {
	s := lead(t, bases["sqlite"](t))
	fill(t, s, 1, 3000)
	dir := t.TempDir()
	m := &archive.Mover{Store: s, Dir: dir}
	first := move(t, m, 1_000_000).Archive
	second := move(t, m, 2_000_000).Archive
	whole := archive.Whole(s, dir)
	path := filepath.Join(dir, second.File)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, spoilt := range [][]byte{good[:len(good)/2], good[:len(good)-1], append(slices.Clone(good), good...), flipped(good, len(good)/3), flipped(good, len(good)-20), nil} {
		if err := os.WriteFile(path, spoilt, 0o600); err != nil {
			t.Fatal(err)
		}
		var broken *store.BrokenChain
		if n, err := whole.VerifyLog(t.Context()); !errors.As(err, &broken) || broken.Seq != second.First || n != first.Last {
			t.Errorf("%d: %d sound, %v", i, n, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if n, err := whole.VerifyLog(t.Context()); err != nil || n != 3000 {
		t.Errorf("%d sound: %v", n, err)
	}
	if n, err := whole.Unread(t.Context()); err != nil || n != second.Last {
		t.Errorf("%d not read: %v", n, err)
	}
	seen := int64(0)
	for e, err := range whole.Tail(t.Context(), 0) {
		if err != nil {
			if !errors.Is(err, store.ErrArchived) || !strings.Contains(err.Error(), second.File) || seen != first.Last {
				t.Errorf("after %d: %v", seen, err)
			}
			break
		}
		seen = e.Seq
	}
}

func flipped(b []byte, at int) []byte {
	b = slices.Clone(b)
	b[at] ^= 1
	return b
}

// A broken log is not archived: that would hide it.
func TestABrokenLogStays(t *testing.T) {
	disk := store.NewMemory("first")
	s := disk.Open()
	_, release, err := s.Lead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	fill(t, s, 1, 300)
	disk.Spoil(77, 9)
	dir := t.TempDir()
	m := &archive.Mover{Store: s, Dir: dir}
	if _, err := m.Move(t.Context(), math.MaxInt64, 1); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%v", left)
	}
}

// A backup has what the store has, and names the files that belong to it.
func TestBackupNamesItsFiles(t *testing.T) {
	for _, pair := range [][2]string{{"sqlite", "postgres"}, {"postgres", "sqlite"}} {
		t.Run(pair[0], func(t *testing.T) {
			address, dir := bases[pair[0]](t), t.TempDir()
			s := lead(t, address)
			fill(t, s, 1, 1000)
			a := move(t, &archive.Mover{Store: s, Dir: dir}, 600_000).Archive
			looked := rows(t, s)
			var file bytes.Buffer
			about, err := store.Save(t.Context(), address, &file, 1, nil)
			if err != nil || !slices.Equal(about.Archives, []string{a.File}) {
				t.Fatalf("%+v, %v", about, err)
			}
			from, err := store.ReadBackup(&file)
			if err != nil {
				t.Fatal(err)
			}
			other := bases[pair[1]](t)
			if err := store.Load(t.Context(), other, from, func(iter.Seq2[store.Tx, error]) error { return nil }, nil); err != nil {
				t.Fatal(err)
			}
			back := storetest.Open(t, other)
			if got := rows(t, back); got != looked {
				t.Error("what people look up has changed")
			}
			whole := archive.Whole(back, dir)
			if n, err := whole.VerifyLog(t.Context()); err != nil || n != 1000 {
				t.Errorf("%d sound: %v", n, err)
			}
			if got := entries(t, whole, 0); len(got) != 1000 {
				t.Errorf("%d entries", len(got))
			}
		})
	}
}

// A reader that goes through the log while it moves into files misses nothing and sees
// nothing twice.
func TestReadWhileItMoves(t *testing.T) {
	s := lead(t, bases["sqlite"](t))
	fill(t, s, 1, 6000)
	dir := t.TempDir()
	m := &archive.Mover{Store: s, Dir: dir}
	seen := int64(0)
	for e, err := range archive.Whole(s, dir).Tail(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; e.Seq != seen {
			t.Fatalf("entry %d after %d", e.Seq, seen-1)
		}
		if seen == 100 || seen == 2000 {
			move(t, m, (seen+3000)*1000)
		}
	}
	if seen != 6000 {
		t.Errorf("%d entries of 6000", seen)
	}
}
