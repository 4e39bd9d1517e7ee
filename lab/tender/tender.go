package tender

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/grid"
)

// Refuse says which applications a tender turns away.
type Refuse uint8

// The rules.
const (
	// NoGain refuses what no seller gains by. The paper's text refuses only
	// what is infeasible; then acceptance is that of Hard-M, and its "about
	// 80 %" cannot appear.
	NoGain Refuse = iota
	// Infeasible refuses only what no seller can do, as the paper's text says.
	Infeasible
)

var refusals = [...]string{"no-gain", "infeasible"}

func (r Refuse) String() string { return refusals[r] }

// Refusals lists the rules by name, the usual one first.
func Refusals() []string { return slices.Clone(refusals[:]) }

// ParseRefuse reads a rule as users write it.
func ParseRefuse(text string) (Refuse, error) {
	i := slices.Index(refusals[:], text)
	if i < 0 {
		return 0, fmt.Errorf("%q is not one of no-gain, infeasible", text)
	}
	return Refuse(market.Uint8(i)), nil
}

// ParseHurdle reads a hurdle as users write it: a part of an offer.
func ParseHurdle(text string) (float64, error) {
	part, err := strconv.ParseFloat(text, 64)
	if err != nil || !(part >= 0 && part <= 1) {
		return 0, fmt.Errorf("%q is no part of an offer (want 0 to 1)", text)
	}
	return part, nil
}

// gainSlack is by how much two gains may differ and still be the same.
const gainSlack market.Price = 1e-6

// Tender chooses among sellers.
type Tender struct {
	Sellers []Seller
	Refuse  Refuse
	// Hurdle is the least part of what an application offers that a seller must gain by
	// it: what is taken for less is in the way of what comes. None in the paper.
	Hurdle float64

	offers []bid // scratch
}

// bid is the offer of a seller.
type bid struct {
	seller int
	offer  grid.Offer
}

// Deal is where an application went.
type Deal struct {
	Seller int // its number among the sellers of the tender
	Offer  grid.Offer
	// Silent are the sellers that gave no answer, joined, or nil. The deal was
	// made without them.
	Silent error
}

// Place finds a seller for an application and hands it over:
//
//  1. every seller is asked; those that decline, under the rule NoGain those that
//     would not gain, and those whose gain is below the hurdle, are out;
//  2. the largest gain is chosen, the first seller of equal ones;
//  3. if that seller no longer stands by its offer, the next is tried.
//
// A [*market.Rejection] says that nobody wants it: cannot_meet_deadline if
// nobody can, not_worth_it if nobody gains.
func (t *Tender) Place(ctx context.Context, at market.Time, app *grid.Application) (Deal, error) {
	able, silent := t.ask(ctx, at, app)
	for len(t.offers) > 0 {
		i := best(t.offers)
		chosen := t.offers[i]
		err := t.Sellers[chosen.seller].Submit(ctx, at, app, chosen.offer)
		if err == nil {
			return Deal{Seller: chosen.seller, Offer: chosen.offer, Silent: silent}, nil
		}
		if !rejected(err) {
			return Deal{}, fmt.Errorf("application %s: submit to %s: %w", app.ID, t.Sellers[chosen.seller].Name(), err)
		}
		t.offers = slices.Delete(t.offers, i, i+1)
	}
	switch {
	case able > 0:
		return Deal{}, notWorthIt
	case silent != nil && ctx.Err() != nil:
		return Deal{}, ctx.Err()
	case silent != nil:
		return Deal{}, fmt.Errorf("application %s: no seller can take it, and not all were heard: %w", app.ID, silent)
	}
	return Deal{}, infeasible
}

var (
	notWorthIt = &market.Rejection{Reason: market.NotWorthIt, Detail: "no seller would earn more with it than without"}
	infeasible = &market.Rejection{Reason: market.CannotMeetDeadline, Detail: "no seller can keep all deadlines with it"}
)

// ask gathers the offers worth having. It also counts the sellers that could
// take the application, and joins the failures of those that gave no answer.
func (t *Tender) ask(ctx context.Context, at market.Time, app *grid.Application) (able int, silent error) {
	t.offers = t.offers[:0]
	for i, seller := range t.Sellers {
		offer, err := seller.Ask(ctx, at, app)
		if err != nil {
			if !rejected(err) {
				silent = errors.Join(silent, fmt.Errorf("ask %s: %w", seller.Name(), err))
			}
			continue
		}
		able++
		if t.Refuse == NoGain && offer.Gain <= gainSlack || t.Hurdle > 0 && offer.Gain < t.least(app) {
			continue
		}
		t.offers = append(t.offers, bid{i, offer})
	}
	return able, silent
}

// least is what a seller must gain by an application.
func (t *Tender) least(app *grid.Application) market.Price {
	return market.Price(t.Hurdle*float64(app.Offered())) - gainSlack
}

// best is the place of the largest gain; of equal ones, the first.
func best(offers []bid) int {
	choice := 0
	for i := range offers {
		if offers[i].offer.Gain > offers[choice].offer.Gain+gainSlack {
			choice = i
		}
	}
	return choice
}

func rejected(err error) bool {
	_, no := errors.AsType[*market.Rejection](err)
	return no
}
