package storetest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/libra-market/libra/live/store"
)

func testJobs(t *testing.T, b Backend) {
	s, ctx := b.open(t), t.Context()
	first := store.Job{ID: 0, Owner: "ann", Account: "lab/a", Name: "α 'quoted' % _", State: "queued", Submitted: 7, Spec: []byte("#!/bin/sh\n\x00"), Body: []byte("{}")}
	big := store.Job{ID: 1, Owner: "bob", Account: "lab", State: "running", Submitted: 8, Spec: bytes.Repeat([]byte("s"), 300_000)}
	must(t, s.Append(ctx, store.Batch{Jobs: []store.Job{first, big}}))

	get := func(id int64, want store.Job) {
		t.Helper()
		got, found, err := s.Job(ctx, id)
		must(t, err)
		same(t, "found", found, true)
		same(t, "job", got, want)
	}
	get(0, first)
	get(1, big)

	ended := first
	ended.State, ended.Ended, ended.Body, ended.Spec, ended.Account, ended.Name = "completed", 99, []byte("done"), nil, "lab/b", "renamed"
	must(t, s.Append(ctx, store.Batch{Jobs: []store.Job{ended}}))
	ended.Spec = first.Spec
	get(0, ended)
	note := big
	note.Body, note.Spec = []byte("progress"), nil
	must(t, s.Append(ctx, store.Batch{Jobs: []store.Job{note}}))
	note.Spec = big.Spec
	get(1, note)

	// Several states of one job in one batch: the last, with the last spec.
	third := store.Job{ID: 2, Owner: "ann", Account: "lab/a", State: "queued", Spec: []byte("3")}
	started, done := third, third
	started.State, started.Spec = "running", nil
	done.State, done.Spec = "completed", nil
	must(t, s.Append(ctx, store.Batch{Jobs: []store.Job{third, started, done}}))
	done.Spec = third.Spec
	get(2, done)

	page, err := s.Jobs(ctx, store.Query{})
	must(t, err)
	bare := []store.Job{done, note, ended}
	for i := range bare {
		bare[i].Spec = nil
	}
	same(t, "page without specs", page, bare)
	counts, err := s.CountJobs(ctx, store.Query{})
	must(t, err)
	same(t, "counts", counts, map[string]int64{"completed": 2, "running": 1})
	counts, err = s.CountJobs(ctx, store.Query{Owner: "ann"})
	must(t, err)
	same(t, "counts of ann", counts, map[string]int64{"completed": 2})
	counts, err = s.CountJobs(ctx, store.Query{Account: "lab/a"})
	must(t, err)
	same(t, "counts of an account", counts, map[string]int64{"completed": 1})
}

// testPages walks all jobs of an owner page by page, forth and back.
func testPages(t *testing.T, b Backend) {
	s, ctx := b.open(t), t.Context()
	const n, owners, accounts = 1200, 3, 40 // more accounts than one statement takes
	var jobs []store.Job
	for i := range n {
		jobs = append(jobs, store.Job{
			ID: int64(i), Owner: fmt.Sprintf("u%d", i%owners), Account: fmt.Sprintf("lab/a%d", i%accounts),
			State: []string{"queued", "running", "completed"}[i/10%3], Submitted: int64(1000 + i/7*7),
		})
	}
	must(t, s.Append(ctx, store.Batch{Jobs: jobs}))
	for name, q := range map[string]store.Query{
		"everything":        {},
		"an owner":          {Owner: "u1"},
		"an account":        {Account: "lab"},
		"a state":           {States: []string{"running", "completed", "running", "never"}},
		"owner and account": {Owner: "u2", Account: "lab", States: []string{"queued"}},
		"a time":            {Account: "lab", From: 1200, To: 1900},
	} {
		t.Run(name, func(t *testing.T) {
			q.Limit = n
			all, err := s.Jobs(ctx, q)
			must(t, err)
			if len(all) < 100 {
				t.Fatalf("only %d jobs", len(all))
			}
			q.Limit = 37
			var walked []store.Job
			for {
				var page []store.Job
				page, err = s.Jobs(ctx, q)
				must(t, err)
				if len(page) == 0 {
					break
				}
				walked = append(walked, page...)
				if q.Before = page[len(page)-1].ID; q.Before == 0 {
					break // job 0 is the last there can be
				}
			}
			same(t, "walk", walked, all)
			counts, err := s.CountJobs(ctx, q)
			must(t, err)
			var sum int64
			for _, n := range counts {
				sum += n
			}
			same(t, "sum of counts", sum, int64(len(all)))
			q.Before, q.After, q.Limit = 0, all[50].ID, n
			newer, err := s.Jobs(ctx, q)
			must(t, err)
			same(t, "newer", newer, all[:50])
		})
	}
	page, err := s.Jobs(ctx, store.Query{})
	must(t, err)
	same(t, "default page", len(page), store.PageSize)
}
