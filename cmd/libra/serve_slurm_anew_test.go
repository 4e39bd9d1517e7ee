package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/libra-market/libra/core/trade"
)

// What stays refused is not asked for again and again, while Slurm holds the job: the keys by which jobs are
// handed in anew can be told before, and their users may have used one for another request.
func TestWhatStaysRefusedWhenItIsHandedInAnew(t *testing.T) {
	for err, want := range map[error]bool{
		&trade.FieldError{Field: "qos"}:               true,
		fmt.Errorf("alice: %w", trade.ErrForbidden):   true,
		fmt.Errorf("alice: %w", trade.ErrKeyReused):   true,
		fmt.Errorf("slurm: %w", context.Canceled):     false,
		fmt.Errorf("slurm: %w", trade.ErrUnavailable): false,
	} {
		if certain(err) != want {
			t.Errorf("%v: it stays so: %v, want %v", err, !want, want)
		}
	}
}
