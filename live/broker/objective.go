package broker

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
)

// Objective is what matters to a user when several clusters would take a job.
type Objective string

// The objectives.
const (
	Cheapest Objective = "cheapest" // the lowest price
	Fastest  Objective = "fastest"  // done soonest, as the clusters foresee it
	Gain     Objective = "gain"     // the cluster that gains most by it (003)
	First    Objective = "first"    // the first of the file that takes it (004, figure 1)
)

// Tags that are for the broker and go no further.
const (
	wishTag     = "wish:"
	resubmitTag = "resubmit"
)

// nonceTag goes before the number by which the broker finds its job again at a
// cluster that never answered.
const nonceTag = "broker:"

func parseObjective(text string) (Objective, error) {
	switch w := Objective(text); w {
	case Cheapest, Fastest, Gain, First:
		return w, nil
	}
	return "", &trade.FieldError{Field: "wish", Want: "cheapest, fastest, gain or first"}
}

// order is what a request says to the broker.
type order struct {
	objective Objective
	resubmit  bool
	tags      []string // what is left for the clusters
}

// orderOf takes out of a request what is meant for the broker.
func orderOf(r *v1.Request, otherwise Objective) (order, error) {
	o := order{objective: otherwise}
	if r.Wish != "" {
		o.objective = Objective(r.Wish)
	}
	for _, tag := range r.Tags {
		objective, isObjective := strings.CutPrefix(tag, wishTag)
		switch {
		case isObjective:
			var err error
			if o.objective, err = parseObjective(objective); err != nil {
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

// rank puts the best bid first. Whatever the objective, a tie is broken by the other
// things that people care for, and last by the order of the file.
func (w Objective) rank(bids []bid) {
	slices.SortStableFunc(bids, func(a, b bid) int {
		price := cmp.Compare(a.quote.Price, b.quote.Price)
		soon := cmp.Compare(foreseen(&a.quote), foreseen(&b.quote))
		firm := 0
		if a.quote.Firm != b.quote.Firm {
			firm = 1
			if a.quote.Firm {
				firm = -1
			}
		}
		place := cmp.Compare(a.from.seller.place, b.from.seller.place)
		switch w {
		case Fastest:
			return cmp.Or(soon, firm, price, place)
		case Gain:
			return cmp.Or(cmp.Compare(gainOf(&b.quote), gainOf(&a.quote)), price, firm, soon, place)
		case First:
			return place
		default:
			return cmp.Or(price, firm, soon, place)
		}
	})
}

// foreseen is how long it would take until a job is done, in tenths of a second;
// one of which nobody knows is last. It is reckoned from when the quote was made,
// because the clocks of two clusters differ.
func foreseen(q *v1.Quote) int64 {
	done := q.PredictedUS
	if done == 0 {
		done = q.FinishUS
	}
	if done == 0 {
		return math.MaxInt64
	}
	return (done - q.MadeUS) / 100_000
}

// gainOf is what a cluster says that it earns more with a job than without it. It
// says so of imprecise jobs; where none does, the price decides.
func gainOf(q *v1.Quote) int64 { return q.Gain }
