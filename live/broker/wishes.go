package broker

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/wish"
)

// Tags that are for the broker and go no further.
const (
	wishTag     = "wish:"
	resubmitTag = "resubmit"
)

// nonceTag goes before the number by which the broker finds its job again at a
// cluster that never answered.
const nonceTag = "broker:"

const knownWishes = "cheapest, fastest, gain or first"

func parseWish(text string) (wish.Wish, error) {
	if w := wish.Wish(text); w.Known() {
		return w, nil
	}
	return "", &trade.FieldError{Field: "wish", Want: knownWishes}
}

// order is what a request says to the broker.
type order struct {
	wish     wish.Wish
	resubmit bool
	tags     []string // what is left for the clusters
}

// orderOf takes out of a request what is meant for the broker.
func orderOf(r *v1.Request, otherwise wish.Wish) (order, error) {
	o := order{wish: otherwise}
	if r.Wish != "" {
		o.wish = wish.Wish(r.Wish)
	}
	for _, tag := range r.Tags {
		wished, isWish := strings.CutPrefix(tag, wishTag)
		switch {
		case isWish:
			var err error
			if o.wish, err = parseWish(wished); err != nil {
				return o, err
			}
		case tag == resubmitTag:
			o.resubmit = true
		case strings.HasPrefix(tag, nonceTag):
			return o, &trade.FieldError{Field: "tags", Want: "none that begins with " + nonceTag}
		default:
			o.tags = append(o.tags, tag)
		}
	}
	if len(o.tags) >= trade.MaxTags {
		return o, &trade.FieldError{Field: "tags", Want: fmt.Sprintf("at most %d: one is the broker's own", trade.MaxTags-1)}
	}
	return o, nil
}

// bid is a quote of a cluster.
type bid struct {
	from  *login
	quote v1.Quote
}

// rank puts the best bid first, and of equal ones that of the cluster that stands
// first in the file.
func rank(w wish.Wish, bids []bid) {
	slices.SortStableFunc(bids, func(a, b bid) int { return w.Compare(a.weighed(), b.weighed()) })
}

func (b *bid) weighed() *wish.Bid {
	return &wish.Bid{Price: b.quote.Price, Gain: b.quote.Gain, Done: foreseen(&b.quote), Firm: b.quote.Firm, Turn: float64(b.from.seller.place)}
}

// foreseen is how long it would take until a job is done, in tenths of a second;
// one of which nobody knows is last. It is reckoned from when the quote was made,
// because the clocks of two clusters differ.
func foreseen(q *v1.Quote) float64 {
	done := q.PredictedUS
	if done == 0 {
		done = q.FinishUS
	}
	if done == 0 {
		return math.Inf(1)
	}
	return float64((done - q.MadeUS) / 100_000)
}
