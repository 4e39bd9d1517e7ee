package store

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
)

// place is where a job stands in the index by owner, and what is counted.
type place struct{ owner, account, state string }

func comparePlaces(a, b place) int {
	if c := strings.Compare(a.owner, b.owner); c != 0 {
		return c
	}
	if c := strings.Compare(a.account, b.account); c != 0 {
		return c
	}
	return strings.Compare(a.state, b.state)
}

// places are those of jobs that were written lately. The writer alone writes, so
// it need not ask for what it has written; if it finds that somebody else has, or
// that something went wrong, it forgets them all.
type places struct {
	of     map[int64]place
	newest int64 // no job has a greater ID
}

const (
	unknownID  = math.MinInt64
	mostPlaces = 1 << 16
)

func (p *places) forget() { *p = places{newest: unknownID} }

// add takes in jobs that are durable.
func (p *places) add(jobs []Job) {
	if p.of == nil || len(p.of)+len(jobs) > mostPlaces {
		p.of = make(map[int64]place)
	}
	for i := range jobs {
		j := &jobs[i]
		p.of[j.ID] = place{j.Owner, j.Account, j.State}
		if p.newest != unknownID {
			p.newest = max(p.newest, j.ID)
		}
	}
}

// old is where the jobs stand that are there already.
func (w *sqliteWriter) old(ctx context.Context, jobs []Job) (map[int64]place, error) {
	old := make(map[int64]place, len(jobs))
	var asked []int64
	for i := range jobs {
		id := jobs[i].ID
		if p, seen := w.seen.of[id]; seen {
			old[id] = p
		} else if w.seen.newest == unknownID || id <= w.seen.newest {
			asked = append(asked, id)
		}
	}
	if len(asked) == 0 {
		return old, nil
	}
	if w.seen.newest == unknownID {
		if err := w.newest.QueryRowContext(ctx, int64(unknownID)).Scan(&w.seen.newest); err != nil {
			return nil, err
		}
	}
	for some := range slices.Chunk(asked, sqliteOld) {
		if err := w.lookup(ctx, some, old); err != nil {
			return nil, err
		}
	}
	return old, nil
}

func (w *sqliteWriter) lookup(ctx context.Context, ids []int64, into map[int64]place) error {
	for i := range w.ids {
		w.ids[i] = ids[min(i, len(ids)-1)]
	}
	rows, err := w.places.QueryContext(ctx, w.ids[:]...)
	if err != nil {
		return err
	}
	for rows.Next() {
		var id int64
		var p place
		if err := rows.Scan(&id, &p.owner, &p.account, &p.state); err != nil {
			return errors.Join(err, rows.Close())
		}
		into[id] = p
	}
	return errors.Join(rows.Err(), rows.Close())
}
