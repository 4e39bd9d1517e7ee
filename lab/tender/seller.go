package tender

import (
	"context"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/grid"
)

// Seller is a place where applications can run. Sellers far away are called
// over a network, hence the context; what is local ignores it.
//
// Times never run back from one call to the next.
type Seller interface {
	// Name is how people call it.
	Name() string
	// Ask tells what the seller would gain with an application. It promises
	// nothing. A [*market.Rejection] is the answer no; any other error means
	// that there is no answer.
	Ask(ctx context.Context, at market.Time, app *grid.Application) (grid.Offer, error)
	// Submit hands the application over, on the offer that was made for it. A
	// [*market.Rejection] says that the offer no longer stands and that the
	// seller does not have the application; after any other error nobody
	// knows.
	Submit(ctx context.Context, at market.Time, app *grid.Application, offer grid.Offer) error
	// Follow tells what has become of an application that was submitted, as
	// far as it is known at a time.
	Follow(ctx context.Context, at market.Time, id string) (grid.Receipt, error)
}

var _ Seller = (*grid.Site)(nil)
