package news_test

import (
	"context"
	"errors"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/news"
)

func of(owner string) v1.Notice { return v1.Notice{Kind: "job", Owner: owner} }

// hear takes what is there, and reports whether the channel is still open.
func hear(from <-chan v1.Notice) (heard []v1.Notice, open bool) {
	for {
		select {
		case n, ok := <-from:
			if !ok {
				return heard, false
			}
			heard = append(heard, n)
		default:
			return heard, true
		}
	}
}

func TestEverybodyHearsWhatIsTheirs(t *testing.T) {
	b := news.New()
	b.Publish(of("alice"), of("bob"))
	follow := func(owner string, after int64) <-chan v1.Notice {
		t.Helper()
		c, err := b.Follow(t.Context(), owner, after, 7)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	alice, all, late := follow("alice", -1), follow("", 0), follow("bob", 1)
	b.Publish(of("alice"), of(""), of("bob"))
	for name, c := range map[string]struct {
		from <-chan v1.Notice
		want []int64
	}{
		"alice, from now on":        {alice, []int64{3, 4}},
		"everybody, from the start": {all, []int64{1, 2, 3, 4, 5}},
		"bob, after the first":      {late, []int64{2, 4, 5}},
	} {
		heard, open := hear(c.from)
		if len(heard) != len(c.want) || !open {
			t.Errorf("%s: heard %+v", name, heard)
			continue
		}
		for i := range heard {
			if heard[i].Seq != c.want[i] {
				t.Errorf("%s: notice %d has number %d, want %d", name, i, heard[i].Seq, c.want[i])
			}
		}
	}
}

func TestWhoWasAwayTooLongIsTold(t *testing.T) {
	b := news.New()
	for range 10_000 {
		b.Publish(of("alice"))
	}
	for _, after := range []int64{3, 20_000} { // before what is kept, and of another life of the market
		c, err := b.Follow(t.Context(), "", after, 7)
		if err != nil {
			t.Fatal(err)
		}
		if first := <-c; first.Kind != v1.NoticeLost || first.Seq != 10_000 {
			t.Errorf("after %d: heard %+v first", after, first)
		}
	}
}

func TestWhoIsTooSlowIsLetGo(t *testing.T) {
	b := news.New()
	slow, err := b.Follow(t.Context(), "", -1, 7)
	if err != nil {
		t.Fatal(err)
	}
	for range 10_000 {
		b.Publish(of("alice"))
	}
	if heard, open := hear(slow); open || len(heard) == 0 || len(heard) == 10_000 {
		t.Errorf("heard %d, open %v", len(heard), open)
	}
	if b.Followed() {
		t.Error("it still follows")
	}
}

func TestTheEnd(t *testing.T) {
	b := news.New()
	if b.PricesDue(5e6) {
		t.Error("prices for nobody")
	}
	ctx, leave := context.WithCancel(t.Context())
	gone, err := b.Follow(ctx, "", -1, 7)
	if err != nil || !b.PricesDue(5e6) || b.PricesDue(6e6) || !b.PricesDue(7e6) {
		t.Errorf("prices are due every two seconds: %v", err)
	}
	leave()
	if _, open := <-gone; open {
		t.Error("who has left still hears")
	}
	stays, err := b.Follow(t.Context(), "", -1, 7)
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	if _, open := <-stays; open {
		t.Error("a closed board is still followed")
	}
	if _, err = b.Follow(t.Context(), "", -1, 7); !errors.Is(err, trade.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}
