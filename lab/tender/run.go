package tender

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/grid"
)

// NewGrid is a tender among simulated sites that are idle.
func NewGrid(sites []grid.Resource, p grid.Policy, refuse Refuse) (*Tender, error) {
	t := &Tender{Refuse: refuse}
	for _, r := range sites {
		s, err := grid.NewSite(r, p)
		if err != nil {
			return nil, err
		}
		t.Sellers = append(t.Sellers, s)
	}
	return t, nil
}

// Run places applications, each at its arrival, and follows them to their end.
// The outcomes stand in the order of the applications, which is the order of
// the input and breaks ties; they need not be in order of arrival. Placed, if
// not nil, is told after each how many are.
func Run(ctx context.Context, t *Tender, apps []grid.Application, placed func(n int)) ([]Outcome, error) {
	outcomes := make([]Outcome, len(apps))
	for n, i := range arrivals(apps) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		app := apps[i]
		app.Position = i
		deal, err := t.Place(ctx, app.Arrival, &app)
		outcomes[i] = Outcome{ID: app.ID, Offered: app.Offered()}
		if no, refused := errors.AsType[*market.Rejection](err); refused {
			outcomes[i].Reason = no.Reason
		} else if err = errors.Join(err, deal.Silent); err != nil {
			return nil, err
		} else {
			outcomes[i].Accepted, outcomes[i].Gain, outcomes[i].seller = true, deal.Offer.Gain, deal.Seller
			outcomes[i].Site = t.Sellers[deal.Seller].Name()
		}
		if placed != nil {
			placed(n + 1)
		}
	}
	for i := range outcomes {
		o := &outcomes[i]
		if !o.Accepted {
			continue
		}
		var err error
		if o.Receipt, err = t.Sellers[o.seller].Follow(ctx, market.Never, o.ID); err != nil {
			return nil, err
		}
		if !o.Receipt.Done {
			return nil, fmt.Errorf("application %s: still at %s when all is over", o.ID, o.Site)
		}
	}
	return outcomes, nil
}

// arrivals are the places of the applications in order of arrival; those of one
// instant keep their order.
func arrivals(apps []grid.Application) []int {
	places := make([]int, len(apps))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(i, j int) int { return cmp.Compare(apps[i].Arrival, apps[j].Arrival) })
	return places
}
