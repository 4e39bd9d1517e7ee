package slurm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/limit"
)

// A quote that binds keeps the licences that it was asked for with, and pays for room alone: so
// what quotes keep of them is bounded as what they keep of processors.

// Bounds are what open quotes may keep, as a part of what there is.
type Bounds struct {
	User rules.Part // of one user
	All  rules.Part // of all of them
}

// AdmitQuote is Admit for who asks for a quote.
func (b *Backend) AdmitQuote(ctx context.Context, user string, r *trade.Request, waits bool, most Bounds) (*Ticket, *limit.Excess) {
	return b.admit(ctx, user, r, waits, false, &most)
}

// overQuoted is why quotes may not keep so many licences more, where one is asked for, and for how
// many elements of an array they might; empty: they may. The lock is held, until the ticket is issued: no other quote comes in between, and no job of
// its user takes the ticket for that of its own.
func (b *Backend) overQuoted(user string, ask *limit.Ask, most *Bounds, site *limit.Site) (why string, fewer int64) {
	more := ask.Licenses
	if most == nil || len(more) == 0 {
		return "", 0
	}
	own, all := map[string]int{}, map[string]int{}
	for _, other := range b.quoting() {
		for name, n := range other.use.Licenses {
			if all[name] += n; other.user == user {
				own[name] += n
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		exceeded := func(n int) string {
			return most.exceeded(name, n, own[name], all[name], site.Licenses(name))
		}
		if why = exceeded(more[name]); why != "" {
			each := more[name] / max(1, ask.Elements)
			few := sort.Search(ask.Elements, func(n int) bool { return exceeded((n+1)*each) != "" })
			return why, int64(few)
		}
	}
	return "", 0
}

// quoting are the tickets of quotes that are open, or about to be given. The lock is held.
func (b *Backend) quoting() (all []*Ticket) {
	now := b.cfg.Now()
	for t := range b.gate.tickets {
		if t.quoting && t.job == 0 && (t.quote == "" || now.Before(t.until)) {
			all = append(all, t)
		}
	}
	return all
}

// exceeded is why quotes may not keep so many more of the licences of a name; empty: they may.
// One may always be had by who has none, like a processor.
func (most Bounds) exceeded(name string, more, own, all, there int) string {
	const little = 1e-9
	if part, bounded := most.All.Of(float64(there)); bounded && float64(all+more) > max(1, part)+little {
		return fmt.Sprintf("all open quotes together may keep %d of the %d licences %s, and keep %d", max(1, int(part+little)), there, name, all)
	}
	if part, bounded := most.User.Of(float64(there)); bounded && float64(own+more) > part+little && (own > 0 || more > 1) {
		return fmt.Sprintf("open quotes of one user may keep %d of the %d licences %s, and yours keep %d", max(1, int(part+little)), there, name, own)
	}
	return ""
}
