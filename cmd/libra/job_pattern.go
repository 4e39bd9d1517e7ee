package main

import (
	"context"
	"strings"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// jobPattern is what --name says, of whatever command: the whole name of jobs, or
// a pattern in which every * stands for whatever is there. No other sign is
// special, so that every name means itself.
type jobPattern string

// fits reports whether a name is meant; "" means all.
func (p jobPattern) fits(name string) bool {
	if p == "" {
		return true
	}
	first, rest, starred := strings.Cut(string(p), "*")
	if !starred {
		return name == first
	}
	name, ok := strings.CutPrefix(name, first)
	if !ok {
		return false
	}
	parts := strings.Split(rest, "*")
	last := parts[len(parts)-1]
	for _, part := range parts[:len(parts)-1] {
		if _, name, ok = strings.Cut(name, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(name, last)
}

// within is something that every name has that is meant: what a server, which
// looks for a part of a name, can leave out the others by.
func (p jobPattern) within() string {
	longest := ""
	for part := range strings.SplitSeq(string(p), "*") {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// list reads as many jobs as are wanted of those that are meant.
func (p jobPattern) list(ctx context.Context, market *client.Client, query v1.JobQuery, limit int) (v1.JobPage, error) {
	query.Name = p.within()
	if p == "" {
		return listJobs(ctx, market, query, limit)
	}
	all := v1.JobPage{Jobs: []v1.Job{}}
	for {
		page, err := listJobs(ctx, market, query, jobPage)
		if err != nil {
			return all, err
		}
		for i := range page.Jobs {
			if !p.fits(page.Jobs[i].Name) {
				continue
			}
			if len(all.Jobs) == limit { // there is one more
				all.Next = all.Jobs[limit-1].ID
				return all, nil
			}
			all.Jobs = append(all.Jobs, page.Jobs[i])
		}
		if page.Next == 0 {
			return all, nil
		}
		query.Before = page.Next
	}
}
