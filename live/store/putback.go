package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// ErrNoMarket is a store in which no market ever was.
var ErrNoMarket = errors.New("there is no market in it")

// PutBack says of the store at an address, which nobody leads, that it was put back to
// what it was by hand: it is another generation from here on, as after [Load].
func PutBack(ctx context.Context, address string) error {
	there, err := open(ctx, address, asItIs) // none is made where there is none
	if err == nil {
		err = there.Close()
	}
	if err != nil {
		return err
	}
	d, err := open(ctx, address, upToDate)
	if err != nil {
		return err
	}
	err = d.putBack(ctx)
	if bad := d.Close(); err == nil {
		err = bad
	}
	if err != nil {
		return fmt.Errorf("put back %s: %w", Redact(address), err)
	}
	return nil
}

func (d *database) putBack(ctx context.Context) error {
	_, release, err := d.TryLead(ctx)
	if err != nil {
		return err
	}
	defer release()
	return d.explain(d.change(ctx, func(tx *sql.Tx) error {
		var end int64
		if err := tx.QueryRowContext(ctx, "SELECT seq FROM head").Scan(&end); err != nil {
			return err
		}
		if end == 0 {
			return ErrNoMarket
		}
		return d.newGeneration(ctx, tx)
	}))
}
