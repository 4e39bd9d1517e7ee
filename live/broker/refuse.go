package broker

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/wish"
	"github.com/libra-market/libra/live/store"
)

// shownOffers bounds what is shown of the counter-offers of all clusters.
const shownOffers = 6

// refusal says no for all clusters together: the reasons of each, and their
// counter-offers with the best first. Those that can be taken get names of the
// broker's, to be written down with the answer.
func (b *Broker) refusal(w *want, nos []no, keep bool) (*v1.Refusal, []store.Reply) {
	r := &v1.Refusal{Offers: []v1.Offer{}}
	var details []string
	var offers []offer
	reasons := map[string]bool{}
	slices.SortStableFunc(nos, func(x, y no) int { return cmp.Compare(x.place(), y.place()) })
	for _, n := range nos {
		if n.from == nil {
			details = append(details, n.detail)
		} else {
			details = append(details, n.from.seller.name+": "+n.detail)
		}
		if n.reason != "" {
			reasons[n.reason] = true
			r.Reason = n.reason
		}
		for _, o := range n.offers {
			offers = append(offers, offer{n.from, o})
		}
	}
	switch len(reasons) {
	case 0:
		r.Reason = reasonNobody
	case 1:
	default:
		r.Reason = reasonSplit
	}
	r.Detail = strings.Join(details, "; ")
	slices.SortStableFunc(offers, func(x, y offer) int { return nearer(w.order.wish, &x.Quote, &y.Quote) })
	var replies []store.Reply
	for i := range offers[:min(len(offers), shownOffers)] {
		o := offers[i]
		o.Detail = o.from.seller.name + ": " + o.Detail
		if keep && plainID(o.Quote.ID) {
			reply, err := b.keep(w, o.from, &o.Quote)
			if err != nil {
				continue
			}
			replies = append(replies, reply)
		} else {
			w.dress(&o.Quote)
			o.Quote.ID = ""
		}
		r.Offers = append(r.Offers, o.Offer)
	}
	return r, replies
}

// offer is a counter-offer of a cluster.
type offer struct {
	from *login
	v1.Offer
}

func (n *no) place() int {
	if n.from == nil {
		return -1
	}
	return n.from.seller.place
}

// nearer says which of two offers is the better: those who care for time want
// the nearer deadline, all others the lower price.
func nearer(w wish.Wish, a, b *v1.Quote) int {
	near := func(q *v1.Quote) int64 {
		if q.Request.DeadlineMS > 0 {
			return q.Request.DeadlineMS
		}
		return math.MaxInt64
	}
	time, price := cmp.Compare(near(a), near(b)), cmp.Compare(a.Price, b.Price)
	if w == wish.Fastest {
		return cmp.Or(time, price)
	}
	return cmp.Or(price, time)
}
