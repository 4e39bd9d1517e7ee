package storetest

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libra-market/libra/live/store"
)

func testReopen(t *testing.T, b Backend) {
	address, ctx := b.New(t), t.Context()
	for i := range 3 {
		s, err := openAt(ctx, address)
		must(t, err)
		must(t, s.Append(ctx, Numbered(int64(4*i+1), 4)))
		must(t, s.SetMeta(ctx, "times", strconv.Itoa(i)))
		must(t, s.Close())
		must(t, s.Close()) // twice is not once too often
	}
	s := Open(t, address)
	same(t, "end", CheckNumbered(t, ctx, s), int64(12))
	times, _, err := s.Meta(ctx, "times")
	must(t, err)
	same(t, "meta", times, "2")
	one, err := s.Generation(ctx)
	must(t, err)
	again, err := Open(t, address).Generation(ctx)
	must(t, err)
	same(t, "generation when opened again", again, one)
	other, err := b.open(t).Generation(ctx)
	must(t, err)
	if one == "" || one == other {
		t.Errorf("generations %q and %q", one, other)
	}
}

// testReaders reads while it is written: what is seen is never half a batch.
func testReaders(t *testing.T, b Backend) {
	s, ctx := b.open(t), t.Context()
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				counts, err := s.CountJobs(ctx, store.Query{})
				if err != nil || counts["queued"]%10 != 0 {
					t.Errorf("%v jobs: %v", counts, err)
					return
				}
				last, _, err := s.Last(ctx)
				if err != nil || last.Seq%10 != 0 {
					t.Errorf("the log ends at %d: %v", last.Seq, err)
					return
				}
				page, err := s.Jobs(ctx, store.Query{Owner: "user1", Account: "lab", Limit: 50})
				if err != nil || len(page) < 50 && len(page)%2 != 0 {
					t.Errorf("%d jobs: %v", len(page), err)
					return
				}
			}
		})
	}
	for i := range 30 {
		if i%10 == 5 {
			must(t, s.SaveSnapshot(ctx, store.Snapshot{Seq: int64(10 * i), Body: make([]byte, 1<<20)}))
		}
		must(t, s.Append(ctx, Numbered(int64(10*i+1), 10)))
	}
	close(done)
	wg.Wait()
	same(t, "end", CheckNumbered(t, ctx, s), int64(300))
}

func testLead(t *testing.T, b Backend) {
	address := b.New(t)
	one, two, ctx := Open(t, address), Open(t, address), t.Context()
	lost, release, err := one.TryLead(ctx)
	must(t, err)
	for _, other := range []store.Store{two, one} {
		_, _, err = other.TryLead(ctx)
		var taken *store.Taken
		if !errors.As(err, &taken) || !errors.Is(err, store.ErrTaken) || taken.PID == 0 || taken.Where == "" {
			t.Errorf("a second leader: %v", err)
		}
	}
	hurried, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	_, _, err = two.Lead(hurried)
	cancel()
	wants(t, "waiting in vain", err, context.DeadlineExceeded)

	second := make(chan error, 1)
	var lostTwo <-chan struct{}
	go func() {
		became, _, failed := two.Lead(ctx)
		lostTwo = became
		second <- failed
	}()
	select {
	case <-lost:
		t.Error("lost without a reason")
	case early := <-second:
		t.Fatalf("two lead: %v", early)
	case <-time.After(300 * time.Millisecond):
	}
	release()
	release()
	<-lost
	must(t, <-second)
	select {
	case <-lostTwo:
		t.Error("lost without a reason")
	default:
	}
	must(t, two.Close())
	<-lostTwo
	_, release, err = one.TryLead(ctx)
	must(t, err)
	release()
}

func testLeaderKilled(t *testing.T, b Backend) {
	address := b.New(t)
	s, ctx := Open(t, address), t.Context()
	leader := StartChild(t, Leader, address)
	if line, _ := leader.Line(); line != "leads" {
		t.Fatalf("the child says %q", line)
	}
	_, _, err := s.TryLead(ctx)
	wants(t, "beside the child", err, store.ErrTaken)
	got := make(chan error, 1)
	go func() {
		_, _, err := s.Lead(ctx)
		got <- err
	}()
	select {
	case err := <-got:
		t.Fatalf("two lead: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	leader.Kill()
	must(t, <-got)
}

// testKilled kills a process that appends, again and again, at a time of its
// own choosing.
func testKilled(t *testing.T, b Backend) {
	address, ctx := b.New(t), t.Context()
	seed := rand.Uint64() //nolint:forbidigo // drawn once, and printed
	t.Logf("seed %d", seed)
	lots := rand.New(rand.NewPCG(seed, 0))
	kills := 10
	if testing.Short() {
		kills = 3
	}
	before := int64(0)
	for range kills {
		child := StartChild(t, Appender, address)
		for range 1 + lots.IntN(60) {
			if _, ok := child.Line(); !ok {
				t.Fatal("the child ended by itself")
			}
		}
		line := child.Kill()
		acknowledged, err := strconv.ParseInt(line, 10, 64)
		must(t, err)
		s, err := openAt(ctx, address)
		must(t, err)
		_, _, err = s.Lead(ctx) // what the child had sent has arrived by then, or never will
		must(t, err)
		end := CheckNumbered(t, ctx, s)
		must(t, s.Close())
		if end < acknowledged || end > acknowledged+7 || acknowledged <= before {
			t.Errorf("%d acknowledged after %d, the log ends at %d", acknowledged, before, end)
		}
		before = end
	}
	t.Logf("%d entries survived %d kills", before, kills)
}

func testNewer(t *testing.T, b Backend) {
	address, ctx := b.New(t), t.Context()
	s, err := openAt(ctx, address)
	must(t, err)
	must(t, s.Append(ctx, Numbered(1, 2)))
	must(t, s.Close())
	raw := b.SQL(t, address)
	_, err = raw.ExecContext(ctx, "INSERT INTO libra_migrations (version, name) VALUES (999, 'of tomorrow')")
	must(t, err)
	for name, open := range map[string]func() error{
		"to use it":  func() error { _, bad := openAt(ctx, address); return bad },
		"to save it": func() error { _, bad := store.Save(ctx, address, io.Discard, 0, nil); return bad },
	} {
		var newer *store.Newer
		if err = open(); !errors.As(err, &newer) || !errors.Is(err, store.ErrNewer) || newer.Form != 999 || newer.Program == "" {
			t.Errorf("a newer database, %s: %v", name, err)
		} else if text := err.Error(); !strings.Contains(text, "(form 999)") || !strings.Contains(text, "upgrade libra, or restore the backup") {
			t.Errorf("%s: %s does not say what to do", name, text)
		}
	}
	_, err = raw.ExecContext(ctx, "DELETE FROM libra_migrations WHERE version = 999")
	must(t, err)
	same(t, "end", CheckNumbered(t, ctx, Open(t, address)), int64(2))
}

func testClosed(t *testing.T, b Backend) {
	s, ctx := b.open(t), t.Context()
	must(t, s.Close())
	wants(t, "append", s.Append(ctx, Numbered(1, 1)), store.ErrClosed)
	_, _, err := s.TryLead(ctx)
	wants(t, "lead", err, store.ErrClosed)
	_, _, err = s.Last(ctx)
	wants(t, "last", err, store.ErrClosed)
	_, err = s.Jobs(ctx, store.Query{})
	wants(t, "jobs", err, store.ErrClosed)
	wants(t, "meta", s.SetMeta(ctx, "k", "v"), store.ErrClosed)
}
