package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/libra-market/libra/live/controller"
)

// runStrict carries out the log of a live market again and says where this
// program decides otherwise. Differences are exit code 1: something has changed.
func runStrict(ctx context.Context, con *console, o replayOptions) error {
	st, err := openWhole(ctx, o.store, o.archive)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	last, _, err := st.Last(ctx)
	if err != nil {
		return err
	}
	var seq atomic.Int64
	finish := con.progress("carried out again", last.Seq, seq.Load)
	s, err := controller.CheckStrictly(ctx, st, buildVersion(), seq.Store)
	finish()
	if err != nil {
		return err
	}
	if o.json {
		if err = con.writeJSON(s); err != nil {
			return err
		}
	} else {
		for _, d := range s.Differ {
			printf(con.out, "entry %d (%s): %s\n", d.Seq, d.Kind, d.How)
		}
		if s.More > 0 {
			printf(con.out, "and %d more\n", s.More)
		}
		printf(con.out, "%s, %d decided alike\n", entries(s.Entries), s.Same)
	}
	if n := s.Entries - s.Same; n > 0 {
		return fmt.Errorf("this program decides %d of %s otherwise than the one that wrote the log", n, entries(s.Entries))
	}
	return nil
}
