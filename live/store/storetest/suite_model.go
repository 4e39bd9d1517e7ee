package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/live/store"
)

// model is a store so simple that it is right.
type model struct {
	jobs    map[int64]store.Job
	txs     []store.Tx
	replies map[string]store.Reply
	entries int64
}

var (
	modelAccounts = []string{"a", "a/b", "a/b/c", "a/bc", "a0", "a-b", "ab", "b", "a/b/c/d", "A", "é", "@owner", ""}
	modelOwners   = []string{"ann", "bob", "ann2", ""}
	modelStates   = []string{"queued", "running", "completed", "failed"}
	modelNames    = []string{"", "render", "rendering 100%", "Render", "größe", "x_y", "x?y"}
)

// testModel does random things to a store and to the model, and asks both.
func testModel(t *testing.T, b Backend) {
	address := b.New(t)
	s, ctx := Open(t, address), t.Context()
	if b.SQL == nil {
		rapid.Check(t, func(rt *rapid.T) { compare(ctx, t, rt, b.open(t)) })
		return
	}
	raw := b.SQL(t, address)
	rapid.Check(t, func(rt *rapid.T) {
		for _, table := range []string{"log", "jobs", "job_specs", "job_counts", "job_totals", "txs", "tx_accounts", "replies"} {
			_, err := raw.ExecContext(ctx, "DELETE FROM "+table)
			must(t, err)
		}
		_, err := raw.ExecContext(ctx, "UPDATE head SET seq = 0, hash = NULL, fence = fence + 1")
		must(t, err)
		compare(ctx, t, rt, s)
	})
}

// compare does random things to an empty store and to the model, and asks both.
func compare(ctx context.Context, t *testing.T, rt *rapid.T, s store.Store) {
	t.Helper()
	m := &model{jobs: map[int64]store.Job{}, replies: map[string]store.Reply{}}
	for range rapid.IntRange(1, 6).Draw(rt, "batches") {
		batch := m.draw(rt)
		if err := s.Append(ctx, batch); err != nil {
			rt.Fatal(err)
		}
		m.apply(batch)
	}
	for range 8 {
		q := drawQuery(rt)
		got, err := s.Jobs(ctx, q)
		must(t, err)
		matching := m.find(q)
		if want := bounded(matching, q); !equal(got, want) {
			rt.Fatalf("jobs %+v:\n got %+v\nwant %+v", q, got, want)
		}
		counts, err := s.CountJobs(ctx, q)
		must(t, err)
		if want := count(matching); fmt.Sprint(counts) != fmt.Sprint(want) {
			rt.Fatalf("counts %+v: got %v, want %v", q, counts, want)
		}
	}
	for range 4 {
		q := store.TxQuery{
			Account: rapid.SampledFrom(modelAccounts).Draw(rt, "account"), Subtree: rapid.Bool().Draw(rt, "subtree"),
			From: rapid.Int64Range(0, 60).Draw(rt, "from"), To: rapid.Int64Range(0, 60).Draw(rt, "to"),
			AfterSeq: rapid.Int64Range(0, 20).Draw(rt, "after"),
		}
		var got []store.Tx
		for tx, err := range s.Txs(ctx, q) {
			must(t, err)
			got = append(got, tx)
		}
		if want := m.post(q); !equal(got, want) {
			rt.Fatalf("transactions %+v:\n got %+v\nwant %+v", q, got, want)
		}
	}
	for key, want := range m.replies {
		got, found, err := s.Reply(ctx, want.Owner, want.Key)
		must(t, err)
		if !found || fmt.Sprint(got) != fmt.Sprint(want) {
			rt.Fatalf("reply %q: got %+v, want %+v", key, got, want)
		}
	}
	if n, err := s.VerifyLog(ctx); err != nil || n != m.entries {
		rt.Fatalf("%d entries sound: %v", n, err)
	}
}

// draw makes a batch that may follow.
func (m *model) draw(rt *rapid.T) store.Batch {
	var b store.Batch
	for i := range rapid.IntRange(0, 3).Draw(rt, "entries") {
		b.Entries = append(b.Entries, store.Entry{Seq: m.entries + int64(i) + 1, Kind: "k", Body: []byte{byte(i)}})
	}
	next := int64(len(m.jobs))
	for range rapid.IntRange(0, 12).Draw(rt, "jobs") {
		id := next
		if next > 0 && rapid.Bool().Draw(rt, "again") {
			id = rapid.Int64Range(0, next-1).Draw(rt, "id")
		} else {
			next++
		}
		j := store.Job{
			ID: id, Owner: rapid.SampledFrom(modelOwners).Draw(rt, "owner"), Account: rapid.SampledFrom(modelAccounts).Draw(rt, "account"),
			Name: rapid.SampledFrom(modelNames).Draw(rt, "name"), State: rapid.SampledFrom(modelStates).Draw(rt, "state"),
			Submitted: 3 * (id / 2), Body: []byte{1},
		}
		if rapid.Bool().Draw(rt, "spec") {
			j.Spec = []byte("spec")
		}
		b.Jobs = append(b.Jobs, j)
	}
	for range rapid.IntRange(0, 8).Draw(rt, "txs") {
		seq := int64(len(m.txs)+len(b.Txs)) + 1
		tx := store.Tx{Seq: seq, At: 5 * (seq / 3), Kind: "k"}
		for range rapid.IntRange(0, 3).Draw(rt, "postings") {
			tx.Postings = append(tx.Postings, store.Posting{
				Account: rapid.SampledFrom(modelAccounts).Draw(rt, "account"), Side: "free", Amount: rapid.Int64().Draw(rt, "amount"),
			})
		}
		b.Txs = append(b.Txs, tx)
	}
	for range rapid.IntRange(0, 4).Draw(rt, "replies") {
		b.Replies = append(b.Replies, store.Reply{
			Owner: rapid.SampledFrom(modelOwners).Draw(rt, "owner"), Key: rapid.SampledFrom([]string{"", "k", "l"}).Draw(rt, "key"),
			Body: rapid.SliceOfN(rapid.Byte(), 1, 3).Draw(rt, "body"), At: 1,
		})
	}
	return b
}

func (m *model) apply(b store.Batch) {
	m.entries += int64(len(b.Entries))
	for _, j := range b.Jobs {
		if old, known := m.jobs[j.ID]; known && j.Spec == nil {
			j.Spec = old.Spec
		}
		m.jobs[j.ID] = j
	}
	m.txs = append(m.txs, b.Txs...)
	for _, r := range b.Replies {
		m.replies[r.Owner+"\x00"+r.Key] = r
	}
}

func drawQuery(rt *rapid.T) store.Query {
	return store.Query{
		Owner:    rapid.SampledFrom(modelOwners).Draw(rt, "owner"),
		Account:  rapid.SampledFrom(modelAccounts).Draw(rt, "account"),
		States:   rapid.SliceOfN(rapid.SampledFrom(modelStates), 0, 3).Draw(rt, "states"),
		Name:     rapid.SampledFrom([]string{"", "", "", "render", "%", "_", "ö", "?"}).Draw(rt, "name"),
		Before:   rapid.Int64Range(0, 40).Draw(rt, "before"),
		After:    rapid.Int64Range(0, 20).Draw(rt, "after"),
		From:     rapid.Int64Range(0, 40).Draw(rt, "from"),
		To:       rapid.Int64Range(0, 60).Draw(rt, "to"),
		Limit:    rapid.IntRange(0, 8).Draw(rt, "limit"),
		WithSpec: rapid.Bool().Draw(rt, "spec"),
	}
}

func within(account, root string) bool {
	return root == "" || account == root || strings.HasPrefix(account, root+"/")
}

// find are the jobs asked for, whatever their ID.
func (m *model) find(q store.Query) []store.Job {
	var found []store.Job
	for _, j := range m.jobs {
		if (q.Owner == "" || j.Owner == q.Owner) && within(j.Account, q.Account) &&
			(len(q.States) == 0 || slices.Contains(q.States, j.State)) && strings.Contains(j.Name, q.Name) &&
			(q.From == 0 || j.Submitted >= q.From) && (q.To == 0 || j.Submitted < q.To) {
			if !q.WithSpec {
				j.Spec = nil
			}
			found = append(found, j)
		}
	}
	slices.SortFunc(found, func(a, b store.Job) int { return cmp.Compare(b.ID, a.ID) })
	return found
}

// bounded is the page of them.
func bounded(jobs []store.Job, q store.Query) []store.Job {
	jobs = slices.DeleteFunc(slices.Clone(jobs), func(j store.Job) bool {
		return q.Before != 0 && j.ID >= q.Before || q.After != 0 && j.ID <= q.After
	})
	if q.Limit > 0 && len(jobs) > q.Limit {
		jobs = jobs[:q.Limit]
	}
	return jobs
}

func count(jobs []store.Job) map[string]int64 {
	counts := map[string]int64{}
	for _, j := range jobs {
		counts[j.State]++
	}
	return counts
}

func (m *model) post(q store.TxQuery) []store.Tx {
	var found []store.Tx
	for _, tx := range m.txs {
		touches := q.Account == "" || slices.ContainsFunc(tx.Postings, func(p store.Posting) bool {
			return p.Account == q.Account || q.Subtree && within(p.Account, q.Account)
		})
		if touches && tx.Seq > q.AfterSeq && (q.From == 0 || tx.At >= q.From) && (q.To == 0 || tx.At < q.To) {
			found = append(found, tx)
		}
	}
	return found
}

func equal[T any](a, b []T) bool {
	return len(a) == len(b) && fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b)
}
