package controller_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
)

// bent is a log in which something was changed, or is gone, and the hashes are as
// they were.
type bent struct {
	logOnly
	bend func(e store.Entry) (store.Entry, bool)
}

func (b *bent) Tail(ctx context.Context, after int64) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for e, err := range b.Store.Tail(ctx, after) {
			e, there := b.bend(e)
			if there && !yield(e, err) {
				return
			}
		}
	}
}

// What was changed in the log is not believed: the market does not start on it, and
// says where it is.
func TestADamagedLogIsNotBelieved(t *testing.T) {
	f := open(t, nil)
	f.submit("", trade.Request{EstimateMS: 60_000, DeadlineMS: 120_000})
	f.stop()
	<-f.Done()
	last := int64(0)
	start := func(bend func(store.Entry) (store.Entry, bool)) error {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		c, err := controller.Start(ctx, &bent{logOnly{Store: f.store}, bend}, f.cfg)
		if err == nil {
			stop()
			<-c.Done()
		}
		return err
	}
	if err := start(func(e store.Entry) (store.Entry, bool) { last = e.Seq; return e, true }); err != nil {
		t.Fatalf("as it was: %v", err)
	}
	for what, bend := range map[string]func(store.Entry) (store.Entry, bool){
		"a digit of an amount": func(e store.Entry) (store.Entry, bool) {
			e.Body = bytes.Replace(e.Body, []byte(`"estimate_ms":60000`), []byte(`"estimate_ms":60001`), 1)
			return e, true
		},
		"an entry that is gone": func(e store.Entry) (store.Entry, bool) { return e, e.Seq != last-1 },
	} {
		var broken *store.BrokenChain
		if err := start(bend); !errors.As(err, &broken) || !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), "libra restore") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
