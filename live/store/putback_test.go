package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/store/storetest"
)

// A store of which its operator says that it was put back has another name, and all that
// was in it. It is said while nobody leads, of a store that is there and has a market.
func TestAStoreThatIsSaidToBePutBack(t *testing.T) {
	for name, b := range backends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, ctx := b.New(t), t.Context()
			s := storetest.Open(t, address)
			if err := store.PutBack(ctx, address); !errors.Is(err, store.ErrNoMarket) {
				t.Errorf("an empty one: %v", err)
			}
			if err := s.Append(ctx, storetest.Numbered(1, 4)); err != nil {
				t.Fatal(err)
			}
			first, err := s.Generation(ctx)
			if err != nil {
				t.Fatal(err)
			}
			_, release, err := s.TryLead(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if err = store.PutBack(ctx, address); !errors.Is(err, store.ErrTaken) {
				t.Errorf("under a leader: %v", err)
			}
			if same, _ := s.Generation(ctx); same != first {
				t.Errorf("%s became %s though it was refused", first, same)
			}
			release()
			if err = store.PutBack(ctx, address); err != nil {
				t.Fatal(err)
			}
			if next, err := s.Generation(ctx); err != nil || next == first {
				t.Errorf("%s is %s, %v", first, next, err)
			}
			if end := storetest.CheckNumbered(t, ctx, s); end != 4 {
				t.Errorf("the log ends at %d", end)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "none.db")
	if err := store.PutBack(t.Context(), path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("where none is: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("one was made: %v", err)
	}
}
