package store

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
)

func (s *memory) Archived(ctx context.Context) ([]Archive, error) {
	c, err := s.begin(ctx, "archives")
	if err != nil {
		return nil, err
	}
	defer s.end()
	return slices.Clone(c.archives), nil
}

func (s *memory) Unread(ctx context.Context) (int64, error) {
	all, err := s.Archived(ctx)
	last, _ := checkpoint(all)
	return last, err
}

func (s *memory) Needed(ctx context.Context) (int64, error) {
	c, err := s.begin(ctx, "first entry needed")
	if err != nil {
		return 0, err
	}
	defer s.end()
	return c.needed(), nil
}

func (c *content) needed() int64 {
	if len(c.snapshots) == 0 {
		return 1
	}
	return c.snapshots[0].Seq
}

func (s *memory) Oldest(ctx context.Context) (int64, error) {
	c, err := s.begin(ctx, "oldest entry")
	if err != nil {
		return 0, err
	}
	defer s.end()
	if len(c.entries) == 0 {
		return 0, nil
	}
	return c.entries[0].Seq, nil
}

func (s *memory) AddArchive(ctx context.Context, a Archive) error {
	c, err := s.begin(ctx, "add archive")
	if err != nil {
		return err
	}
	defer s.end()
	last, _ := checkpoint(c.archives)
	var hash []byte
	if i := c.index(a.Last); i < len(c.entries) && c.entries[i].Seq == a.Last {
		hash = c.entries[i].Hash
	}
	if err := a.follows(last, c.needed(), hash); err != nil {
		return fmt.Errorf("add archive %s: %w", a.File, err)
	}
	c.archives = append(slices.Clone(c.archives), a)
	return nil
}

// Shed packs nothing: there is room in memory, or there is none for the rest either.
func (s *memory) Shed(ctx context.Context, shed Shed) error {
	c, err := s.begin(ctx, "shed")
	if err != nil {
		return err
	}
	defer s.end()
	if last, _ := checkpoint(c.archives); shed.UpTo > last {
		return fmt.Errorf("shed: %w: entry %d is in no archive", ErrInvalid, shed.UpTo)
	}
	c.entries = slices.Clone(c.entries[c.index(shed.UpTo+1):])
	jobs := maps.Clone(c.jobs)
	for _, m := range shed.Specs {
		if j, found := jobs[m.Job]; found && j.Ended != 0 && bytes.Equal(j.Spec, m.Was) {
			j.Spec = bytes.Clone(m.Is)
			jobs[m.Job] = j
		}
	}
	c.jobs = jobs
	return nil
}
