package broker_test

import (
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// three is a dear and fast market, a cheap and slow one, and one in between, in
// this order.
func three(t testing.TB) *world {
	t.Helper()
	fast, cheap, middle := open(t, "fast", "4"), open(t, "cheap", "1"), open(t, "middle", "2")
	fast.node(4, 4)
	cheap.node(4, 1)
	middle.node(4, 2)
	return behind(t, fast, cheap, middle)
}

func TestWishesPickTheirCluster(t *testing.T) {
	w := three(t).start()
	for _, c := range []struct {
		r    v1.Request
		want string
	}{
		{job("no wish"), "cheap"},
		{job("a", wish("cheapest")), "cheap"},
		{job("b", wish("fastest")), "fast"},
		{job("c", func(r *v1.Request) { r.Wish = "fastest" }), "fast"},
		{job("d", wish("first")), "fast"},
		{job("e", func(r *v1.Request) { r.Account = "alice/middle" }), "middle"},
	} {
		j := w.submit("alice", c.r)
		if got := where(&j); got != c.want {
			t.Errorf("%s went to %s, not %s", c.r.Name, got, c.want)
		}
		if j.Owner != "alice" || j.Price <= 0 || !j.Firm {
			t.Errorf("%s: got %+v", c.r.Name, j)
		}
	}
	// The quotes that were not taken are given back.
	eventually(t, "quotes to be given back", func() bool {
		return w.clusters[0].gate.count("DELETE /v1/quotes/")+w.clusters[1].gate.count("DELETE /v1/quotes/")+w.clusters[2].gate.count("DELETE /v1/quotes/") == 8
	})
	for _, c := range w.clusters {
		for _, j := range c.jobs() {
			for _, tag := range j.Request.Tags {
				if tag == "wish:first" || tag == "wish:fastest" {
					t.Errorf("%s was told %q", c.name, tag)
				}
			}
		}
	}
}
