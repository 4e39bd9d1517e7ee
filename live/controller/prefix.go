package controller

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/trade"
)

// Prefixes reads a log from its first entry and asks after each whether a market could
// begin there: whether what the log says so far opens, and a snapshot that is taken then
// gives the same market again. It goes through the log once, so that the state and not
// the log is what every entry costs.
func Prefixes(ctx context.Context, log Tail, version string) (entries int, err error) {
	r := &recovery{version: version, image: journal.NewImage()}
	var before []byte
	for e, bad := range log.Tail(ctx, 0) {
		if bad != nil {
			return r.entries, fmt.Errorf("read the log: %w", bad)
		}
		if err := r.follows(&e, before); err != nil {
			return r.entries, err
		}
		before = e.Hash
		if err := r.entry(&e); err != nil {
			return r.entries, fmt.Errorf("log entry %d (%s): %w", e.Seq, e.Kind, err)
		}
		if err := r.begins(); err != nil {
			return r.entries, fmt.Errorf("the log up to entry %d (%s): %w", e.Seq, e.Kind, err)
		}
	}
	return r.entries, nil
}

// begins asks whether a market could begin with what was read so far.
func (r *recovery) begins() error {
	state, err := json.Marshal(r.stands())
	if err != nil {
		return err
	}
	once, err := r.reopened(state)
	if err != nil {
		return err
	}
	again, err := r.reopened(once)
	if err != nil {
		return fmt.Errorf("a snapshot that is taken there: %w", err)
	}
	if !bytes.Equal(once, again) {
		return errors.New("a snapshot that is taken there gives another market")
	}
	return nil
}

func (r *recovery) stands() journal.Snapshot {
	if r.again != nil {
		return r.again.Snapshot()
	}
	return r.image.Snapshot()
}

// reopened is a market that goes on from a snapshot, as a snapshot.
func (r *recovery) reopened(state []byte) ([]byte, error) {
	image, err := journal.ReadImage(state)
	if err != nil {
		return nil, err
	}
	x, err := exchange.Open(r.version, image)
	if err != nil {
		return nil, err
	}
	s := x.Snapshot()
	if err := agrees(&s); err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

// agrees says where the jobs and the cluster of a market know different things. That
// money sums to zero, and what is held is held for somebody, the ledger asks when it is read.
func agrees(s *journal.Snapshot) error {
	known, placed := map[int64]bool{}, map[int64]bool{}
	for _, j := range s.Jobs {
		known[j.ID] = true
	}
	for _, q := range s.Quotes {
		known[q.Job] = true
	}
	if s.Cluster != nil {
		for _, list := range [][]book.JobState{s.Cluster.Book.Running, s.Cluster.Book.Waiting} {
			for i := range list {
				id := int64(list[i].ID)
				if placed[id] = true; !known[id] {
					return fmt.Errorf("the cluster has job %d, and nobody knows it", id)
				}
			}
		}
	}
	for _, j := range s.Jobs {
		switch {
		case j.ID >= s.Next:
			return fmt.Errorf("job %d is there, and the next number is %d", j.ID, s.Next)
		case (j.State == trade.Running || j.State == trade.Queued) && len(j.Waits) == 0 && !placed[j.ID]:
			return fmt.Errorf("job %d is %s, and the cluster does not have it", j.ID, j.State)
		}
	}
	return nil
}
