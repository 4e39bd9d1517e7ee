package web

import (
	"context"
	"sync"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
)

// rowView is a job in a table, and the head of its page.
type rowView struct {
	v1.Job
	NowUS     int64
	Everybody bool    // the table shows jobs of several people
	Rating    float64 // work a second of its processors, so that the page can go on counting
}

// Gone is the part of the time to the deadline that is over.
func (v *rowView) Gone() float64 {
	if v.DueUS == 0 || v.DueUS <= v.SubmittedUS {
		return 0
	}
	until := v.EndedUS
	if until == 0 {
		until = v.NowUS
	}
	return min(1, max(0, float64(until-v.SubmittedUS)/float64(v.DueUS-v.SubmittedUS)))
}

// Cost is what the job has cost: while it is under way, its bill if it ended now. The
// market says so, by what it will be charged by.
func (v *rowView) Cost() int64 {
	switch {
	case !v.Underway():
		return v.Charged
	case v.StartedUS == 0:
		return 0
	default:
		return v.CostNow
	}
}

// Underway reports whether the job has not ended.
func (v *rowView) Underway() bool { return !v.State.Final() }

// Moves reports whether it makes progress.
func (v *rowView) Moves() bool { return v.State == v1.Running || v.State == v1.Stopping }

// Late reports whether its deadline is over, or was when it ended.
func (v *rowView) Late() bool {
	if v.DueUS == 0 || v.StartedUS == 0 {
		return false
	}
	until := v.EndedUS
	if until == 0 {
		until = v.NowUS
	}
	return until > v.DueUS
}

// Words say what the bar shows.
func (v *rowView) Words() string {
	text := percent(v.Done()) + " of the work done"
	if v.DueUS != 0 {
		text += ", " + percent(v.Gone()) + " of the time to the deadline gone"
	}
	return text
}

// Pct writes a part for an attribute of a drawing.
func (v *rowView) Pct(part float64) string { return pct(part) }

// row is a job as it stands now.
func (h *Handler) row(ctx context.Context, j *v1.Job, everybody bool) *rowView {
	v := &rowView{Job: *j, NowUS: h.now().UnixMicro(), Everybody: everybody, Rating: 1}
	if v.Moves() && len(j.Places) > 0 {
		v.Rating = h.ratings.of(ctx, h.market, j.Places[0].Node)
	}
	return v
}

// ratings remembers how fast nodes are: it hardly ever changes, and asking for
// all nodes costs more than a page.
type ratings struct {
	mu    sync.Mutex
	known map[string]float64
}

func (r *ratings) of(ctx context.Context, m api.Floor, node string) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if rating, ok := r.known[node]; ok {
		return rating
	}
	nodes, err := m.Nodes(ctx)
	if err != nil {
		return 1
	}
	r.known = map[string]float64{node: 1}
	for i := range nodes {
		r.known[nodes[i].Node] = nodes[i].Rating
	}
	return r.known[node]
}

// forget makes the next page ask again.
func (r *ratings) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = nil
}
