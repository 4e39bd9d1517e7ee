package revenue

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// Totals sum up a list of jobs.
type Totals struct {
	Revenue     float64 `json:"revenue"`
	Span        float64 `json:"span"`        // from the first arrival to the last end or expiry, seconds
	Utilisation float64 `json:"utilisation"` // busy processor-seconds / (processors * span)
}

// Play runs a list of jobs through a system, with no end of the period, and says
// what became of each, in the order of the list. Jobs of equal arrival count in
// the order of the list. A rule without probabilities admits all; otherwise job
// number i is let in if draw i of the seed is below the q of its class.
//
// It is the reference for other implementations of the same cluster: the rules
// are those of [Engine].
func Play(s System, jobs []Job, rule Rule, seed uint64) ([]Outcome, Totals, error) {
	if err := s.Validate(); err != nil {
		return nil, Totals{}, err
	}
	if rule.Q != nil && len(rule.Q) != len(s.Classes) {
		return nil, Totals{}, fmt.Errorf("%d admission probabilities for %d classes", len(rule.Q), len(s.Classes))
	}
	for i := range jobs {
		if err := jobs[i].Validate(&s); err != nil {
			return nil, Totals{}, fmt.Errorf("job %d: %w", i, err)
		}
	}
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(jobs[a].Arrival, jobs[b].Arrival) })

	e := NewEngine(&s)
	e.Reset(math.Inf(1))
	e.outcomes = make([]Outcome, len(jobs))
	g := newGenerator(&s)
	g.begin(seed, 0, 1)
	for _, i := range order {
		if rule.Q != nil && !(g.streams[streamAdmission].Float64() < rule.Q[jobs[i].Class]) {
			e.refuse(&jobs[i], i)
			continue
		}
		e.Arrive(&jobs[i], i)
	}
	tally := e.Finish()
	totals := Totals{Revenue: tally.Revenue}
	if len(jobs) > 0 {
		// Jobs that are rejected happen too, but take no time.
		first := jobs[order[0]].Arrival
		totals.Span = max(e.last, jobs[order[len(order)-1]].Arrival) - first
	}
	if totals.Span > 0 {
		totals.Utilisation = tally.Busy / (float64(s.Processors) * totals.Span)
	}
	return e.outcomes, totals, nil
}

// Validate finds the first field of a job that makes no sense in a system.
func (j *Job) Validate(s *System) error {
	const most = 1e12 // seconds; beyond it a millionth of a second is lost
	switch {
	case !(j.Arrival >= 0) || j.Arrival > most:
		return &market.FieldError{Field: "arrival", Value: j.Arrival, Want: "0 or more"}
	case !(j.Length > 0) || j.Length > most:
		return &market.FieldError{Field: "length", Value: j.Length, Want: "more than 0"}
	case j.Width < 1:
		return &market.FieldError{Field: "width", Value: float64(j.Width), Want: "1 or more"}
	case j.Class < 0 || int(j.Class) >= len(s.Classes):
		return &market.FieldError{Field: "class", Value: float64(j.Class), Want: "a class of the system"}
	}
	return nil
}
