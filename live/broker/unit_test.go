package broker

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/wish"
)

func TestConfigsThatMakeNoSense(t *testing.T) {
	const good = "clusters:\n  - {name: north, url: 'https://n', users: {alice: {token_file: a}}}\n  - {name: south, url: 'https://s', token_file: b}\n"
	c, err := parseConfig("b.yaml", []byte("wish: first\nlimit: 500ms\n"+good))
	if err != nil || c.Wish != wish.First || time.Duration(c.Limit) != 500*time.Millisecond || len(c.Clusters) != 2 || c.Listen == "" {
		t.Fatalf("got %+v, %v", c, err)
	}
	for text, want := range map[string]string{
		"":                        "clusters: want at least one",
		"wsh: first\n" + good:     `b.yaml: line 1: there is no setting "wsh"`,
		"wish: soonest\n" + good:  "wish: want cheapest",
		"limit: soon\n" + good:    `line 1: limit: "soon" is not a period`,
		"limit: 1ms\n" + good:     "limit: want",
		"listen: ''\n" + good:     "listen: want",
		"tls: {cert: x}\n" + good: "tls: cert and key",
		"metrics: all\n" + good:   "metrics: want",
		good + "---\n" + good:     "more than one document",
		good + "  - {name: north, url: 'https://n', token_file: b}":      `b.yaml: line 4: clusters[2].name: "north" is there twice`,
		"clusters: [{name: a/b, url: x, token_file: y}]":                 "line 1: clusters[0].name",
		"clusters: [{name: a, token_file: y}]":                           "url: want",
		"clusters: [{name: a, url: x}]":                                  "want users",
		"clusters: [{name: a, url: x, users: {bob: {}}}]":                "users.bob: want a token_file",
		"clusters: [{name: a, url: x, usrs: {}}]":                        `there is no setting "usrs"`,
		"clusters: [{name: a, url: x, users: {'b c': {token_file: y}}}]": "no name of a user",
	} {
		if _, err := parseConfig("b.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte("clusters: [{name: a, url: x, token_file: y}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if c, err := parseConfig("f", text); err == nil {
			if err := c.Validate(); err != nil {
				t.Error(err)
			}
		}
	})
}

// A lie costs ten minutes, then twenty, and so on to a day; a week makes the next
// one the first again.
func TestHowLongALiarIsLeftOut(t *testing.T) {
	var r Record
	now := int64(1e15)
	for i, want := range []time.Duration{10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440} {
		r.lied(now, "x")
		if got := time.Duration(r.OutUS-now) * time.Microsecond; got != want*time.Minute {
			t.Errorf("lie %d: left out for %s", i+1, got)
		}
		if r.out(now) == "" || r.out(r.OutUS-1) == "" || r.out(r.OutUS) != "" {
			t.Errorf("lie %d: left out at the wrong time", i+1)
		}
		now = r.OutUS
	}
	now += 8 * 24 * time.Hour.Microseconds()
	if r.lied(now, "x"); r.OutUS-now != lieOut.Microseconds() || r.Lied != 11 {
		t.Errorf("after a week: %+v", r)
	}
}

func TestHowLongASlowOneIsLeftOut(t *testing.T) {
	var r Record
	now := int64(1e15)
	for i, want := range []time.Duration{0, 0, 30, 60, 120, 240, 300, 300} {
		r.slow(now)
		if got := max(0, time.Duration(r.OutUS-now)*time.Microsecond); got != want*time.Second {
			t.Errorf("time %d: left out for %s", i+1, got)
		}
		now = max(now, r.OutUS)
	}
	r.lied(now, "x")
	until := r.OutUS
	if r.slow(now); r.OutUS != until || r.OutFor == outSlow {
		t.Errorf("being slow is an excuse for lying: %+v", r)
	}
}

// Whatever is bid, the first of a ranking is one that nobody beats by the wish.
func TestRanking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "bids")
		var bids []bid
		for i := range n {
			q := v1.Quote{
				Price: rapid.Int64Range(0, 3).Draw(t, "price"), Firm: rapid.Bool().Draw(t, "firm"),
				FinishUS: 1e5 * rapid.Int64Range(0, 3).Draw(t, "finish"), PredictedUS: 1e5 * rapid.Int64Range(0, 3).Draw(t, "predicted"),
				Gain: rapid.Int64Range(0, 3).Draw(t, "gain"),
			}
			bids = append(bids, bid{from: &login{seller: &seller{place: i}}, quote: q})
		}
		mixed := rapid.Permutation(bids).Draw(t, "order")
		for _, w := range wish.All() {
			a, b := slices.Clone(bids), slices.Clone(mixed)
			rank(w, a)
			rank(w, b)
			best := a[0]
			for i := range a {
				if a[i].from != b[i].from {
					t.Fatalf("%s: the order of the answers matters", w)
				}
				one := &a[i].quote
				worse := map[wish.Wish]bool{
					wish.Cheapest: one.Price < best.quote.Price,
					wish.Fastest:  foreseen(one) < foreseen(&best.quote),
					wish.Gain:     one.Gain > best.quote.Gain,
					wish.First:    a[i].from.seller.place < best.from.seller.place,
				}[w]
				if worse {
					t.Fatalf("%s: %+v is better than %+v", w, one, best.quote)
				}
			}
		}
	})
	if foreseen(&v1.Quote{}) != math.Inf(1) {
		t.Error("who says nothing is not last")
	}
}

func TestWhatIsMeantForTheBroker(t *testing.T) {
	r := v1.Request{Wish: "fastest", Tags: []string{"a", "wish:gain", "resubmit", "b"}}
	o, err := orderOf(&r, wish.Cheapest)
	if err != nil || o.wish != wish.Gain || !o.resubmit || !slices.Equal(o.tags, []string{"a", "b"}) {
		t.Errorf("got %+v, %v", o, err)
	}
	w := want{request: r, order: o}
	if sent := w.sent("n"); !slices.Equal(sent.Tags, []string{"a", "b", "broker:n"}) || sent.Wish != "fastest" {
		t.Errorf("got %+v", sent)
	}
	if o, err := orderOf(&v1.Request{}, wish.First); err != nil || o.wish != wish.First || o.resubmit {
		t.Errorf("got %+v, %v", o, err)
	}
}

// What a cluster says is made fit to be shown.
func TestWordsOfClustersAreClipped(t *testing.T) {
	long := clipped(strings.Repeat("x", 1<<20) + "\x1b[31m")
	if len(long) > maxWords+3 || strings.ContainsRune(clipped("a\x1b[31mb\nc"), 0x1b) || strings.ContainsRune(clipped("a\nb"), '\n') {
		t.Errorf("got %q", long)
	}
}
