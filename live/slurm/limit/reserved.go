package limit

import (
	"slices"
	"time"
)

// Reserved is a time in which nodes are somebody else's, or nobody's, as for maintenance:
// Slurm starts nothing there that could last into it.
type Reserved struct {
	Name       string
	From, Till time.Time
	Nodes      []string
}

// Ahead are the nodes that are reserved before somebody who begins now could be done, who
// may take so long, and by what.
func (s *Site) Ahead(now time.Time, lasts time.Duration) map[string]Reserved {
	ahead := map[string]Reserved{}
	for _, r := range s.reserved {
		if !now.Before(r.Till) || now.Add(lasts).Before(r.From) {
			continue
		}
		for _, name := range r.Nodes {
			if was, known := ahead[name]; !known || r.From.Before(was.From) {
				ahead[name] = r
			}
		}
	}
	return ahead
}

// ReservedFrom is when the first of some nodes is reserved next; zero: none is.
func (s *Site) ReservedFrom(nodes []string, now time.Time) (first time.Time) {
	for _, r := range s.reserved {
		mine := slices.ContainsFunc(nodes, func(name string) bool { return slices.Contains(r.Nodes, name) })
		if mine && r.From.After(now) && (first.IsZero() || r.From.Before(first)) {
			first = r.From
		}
	}
	return first
}
