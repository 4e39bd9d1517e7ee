package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/store/storetest"
)

// durable are the databases as they are in use: unlike in the other tests,
// PostgreSQL waits for the disk.
var durable = map[string]func(testing.TB) string{
	"sqlite":   backends["sqlite"].New,
	"postgres": func(tb testing.TB) string { return storetest.NewServer(tb).Database(tb) },
}

// traffic makes the batches of a busy market: of three commands one submits a
// job, one starts one and one ends one, each with what it does to the books.
type traffic struct {
	lots           *rand.Rand
	users          int
	seq, jobs, txs int64
	body           []byte
}

func newTraffic(users int) *traffic {
	t := &traffic{lots: rand.New(rand.NewPCG(1, 2)), users: users, body: make([]byte, 1500)}
	for i := range t.body {
		t.body[i] = byte(t.lots.Uint32())
	}
	return t
}

func (t *traffic) batch(n int) store.Batch {
	var b store.Batch
	for range n {
		t.seq++
		id, state, spec := t.jobs+1, "queued", t.body[:600]
		switch {
		case t.seq%3 == 1 && t.jobs > 100:
			id, state, spec = t.jobs-t.lots.Int64N(50), "running", nil
		case t.seq%3 == 2 && t.jobs > 100:
			id, state, spec = t.jobs-50-t.lots.Int64N(50), "completed", nil
		default:
			t.jobs++
		}
		owner := fmt.Sprintf("user%d", id*7919%int64(t.users))
		account := "lab/" + owner
		b.Entries = append(b.Entries, store.Entry{Seq: t.seq, At: t.seq, Kind: "submit", Body: t.body})
		b.Jobs = append(b.Jobs, store.Job{
			ID: id, Owner: owner, Account: account, Name: "render", State: state, Submitted: id, Spec: spec, Body: t.body[:300],
		})
		t.txs++
		b.Txs = append(b.Txs, store.Tx{
			Seq: t.txs, At: t.seq, Kind: "hold", Job: id, Hash: t.body[:32], Body: t.body[:100],
			Postings: []store.Posting{
				{Account: account, Side: "free", Amount: -5},
				{Account: account, Side: "held", Amount: 4},
				{Account: "@owner", Side: "free", Amount: 1},
			},
		})
		b.Replies = append(b.Replies, store.Reply{
			Owner: owner, Key: fmt.Sprintf("%016x", t.lots.Uint64()), Digest: t.body[:32], Body: t.body[:400], At: t.seq,
		})
	}
	return b
}

func BenchmarkAppend(b *testing.B) {
	for _, name := range []string{"sqlite", "postgres"} {
		for _, size := range []int{1, 100, 200, 500} {
			b.Run(fmt.Sprintf("%s/batch-%d", name, size), func(b *testing.B) {
				s := storetest.Open(b, durable[name](b))
				load := newTraffic(1000)
				for range 20 { // a market that has been open for a while
					if err := s.Append(b.Context(), load.batch(500)); err != nil {
						b.Fatal(err)
					}
				}
				var next store.Batch
				var used time.Duration
				for b.Loop() {
					b.StopTimer()
					next = load.batch(size)
					b.StartTimer()
					before := cpuTime(b)
					if err := s.Append(b.Context(), next); err != nil {
						b.Fatal(err)
					}
					used += cpuTime(b) - before
				}
				b.ReportMetric(float64(used.Microseconds())/float64(b.N), "cpu-µs/op")
				b.ReportMetric(float64(size)*float64(b.N)/b.Elapsed().Seconds(), "entries/s")
			})
		}
	}
}

// BenchmarkMillion looks into a store with a million jobs of a thousand users.
func BenchmarkMillion(b *testing.B) {
	for _, name := range []string{"sqlite", "postgres"} {
		b.Run(name, func(b *testing.B) {
			address := durable[name](b)
			s := storetest.Open(b, address)
			fillMillion(b, s)
			ctx := b.Context()
			for _, q := range []struct {
				name string
				q    store.Query
			}{
				{"newest", store.Query{Limit: 50}},
				{"owner", store.Query{Owner: "user7", Limit: 50}},
				{"owner-deep", store.Query{Owner: "user7", Before: 500_000, Limit: 50}},
				{"owner-rare-state", store.Query{Owner: "user7", States: []string{"failed"}, Limit: 50}},
				{"owner-in-time", store.Query{Owner: "user7", From: 300_000_000, To: 400_000_000, Limit: 50}},
				{"busy-owner-rare-state", store.Query{Owner: "robot", States: []string{"failed"}, Limit: 50}},
				{"state", store.Query{States: []string{"running"}, Limit: 50}},
				{"lab-of-1000-users", store.Query{Account: "lab3", Limit: 50}},
				{"all-labs-deep", store.Query{Account: "lab", States: []string{"completed"}, Before: 200_000, Limit: 50}},
			} {
				b.Run(q.name, func(b *testing.B) {
					for b.Loop() {
						if page, err := s.Jobs(ctx, q.q); err != nil || len(page) == 0 {
							b.Fatal(len(page), err)
						}
					}
				})
			}
			b.Run("count", func(b *testing.B) {
				for b.Loop() {
					if _, err := s.CountJobs(ctx, store.Query{}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("count-owner", func(b *testing.B) {
				for b.Loop() {
					if _, err := s.CountJobs(ctx, store.Query{Owner: "user7"}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("job", func(b *testing.B) {
				for b.Loop() {
					if _, _, err := s.Job(ctx, 123_456); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("open", func(b *testing.B) {
				for b.Loop() {
					s, err := store.Open(ctx, address)
					if err != nil {
						b.Fatal(err)
					}
					if _, found, err := s.LatestSnapshot(ctx); err != nil || !found {
						b.Fatal(found, err)
					}
					if _, found, err := s.Last(ctx); err != nil || !found {
						b.Fatal(found, err)
					}
					if err := s.Close(); err != nil {
						b.Fatal(err)
					}
				}
			})
			load := newTraffic(1000)
			load.seq, load.jobs, load.txs = million/1000, million, 0
			b.Run("append-200", func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					next := load.batch(200)
					b.StartTimer()
					if err := s.Append(ctx, next); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

const million = 1_000_000

// fillMillion: one user has a tenth of all jobs, and one in a thousand failed.
func fillMillion(b *testing.B, s store.Store) {
	b.Helper()
	lots := rand.New(rand.NewPCG(3, 4))
	body := make([]byte, 300)
	var batch store.Batch
	for id := int64(1); id <= million; id++ {
		user := lots.IntN(1000)
		owner, account, state := fmt.Sprintf("user%d", user), fmt.Sprintf("lab/lab%d/user%d", user%10, user), "completed"
		switch id % 10 {
		case 0:
			owner, account = "robot", "robots"
		case 1:
			account = fmt.Sprintf("lab3/user%d", user%100)
		}
		switch {
		case id > million-500:
			state = "running"
		case lots.IntN(1000) == 0:
			state = "failed"
		}
		batch.Jobs = append(batch.Jobs, store.Job{
			ID: id, Owner: owner, Account: account, Name: "render", State: state, Submitted: id * 1000, Ended: id * 1000, Body: body,
		})
		if id%1000 == 0 {
			batch.Entries = []store.Entry{{Seq: id / 1000, At: id, Kind: "k", Body: body}}
			if err := s.Append(b.Context(), batch); err != nil {
				b.Fatal(err)
			}
			batch = store.Batch{}
		}
	}
	if err := s.SaveSnapshot(b.Context(), store.Snapshot{Seq: million / 1000, Version: "1", Body: make([]byte, 5<<20)}); err != nil {
		b.Fatal(err)
	}
}

// cpuTime is what this process has used of the processors: on a machine that is
// shared it says more than the clock.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
