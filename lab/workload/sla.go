package workload

import (
	"fmt"
	"math"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// Model gives agreements to jobs that came without: deadlines, budgets and
// penalties, as the experiments of a paper assume them.
type Model interface {
	// Set changes a parameter. The error for an unknown name is
	// [ErrUnknownParameter] and lists the names there are.
	Set(name, value string) error
	// Params describes the parameters, with their values now.
	Params() []Param
	// Apply overwrites the agreement of every job. What it draws for a job
	// depends on the seed and on the job's place among the arrivals.
	Apply(arrivals []Arrival, seed uint64) error
}

// Models lists the names that [NewModel] knows.
func Models() []string { return []string{"libra-plus", "libra-sla", "none"} }

// NewModel gives the model of that name with the paper's parameters. "none"
// leaves the jobs as they are.
func NewModel(name string) (Model, error) {
	switch name {
	case "libra-plus":
		return NewLibraPlusModel(), nil
	case "libra-sla":
		return NewLibraSLAModel(), nil
	case "none":
		return noModel{}, nil
	}
	return nil, fmt.Errorf("unknown SLA model %q (want one of %s)", name, strings.Join(Models(), ", "))
}

// The classes of urgency, as they stand in Job.Class afterwards, so that
// reports can tell them apart.
const (
	LowUrgency  int32 = 0
	HighUrgency int32 = 1
)

// LibraPlusModel is the model of 000, section VI: a few urgent jobs with
// little time and much money, and many with much time and little money. All
// deadlines are hard.
type LibraPlusModel struct {
	HighUrgency     float64 // share of the jobs, as an exact count at random places
	DeadlineUrgent  float64 // mean D/R of high urgency
	DeadlineRelaxed float64 // mean D/R of low urgency
	BudgetUrgent    float64 // mean B/R of high urgency
	BudgetRelaxed   float64 // mean B/R of low urgency
	DeadlineFactor  float64 // times both means of D/R
	BudgetFactor    float64 // times both means of B/R
	Deviation       float64 // standard deviation, as a part of the mean
	// Those of D/R and of B/R alone; below 0: as Deviation.
	DeadlineDeviation, BudgetDeviation float64
	Inaccuracy                         float64 // E = R * (1 - inaccuracy)
}

// NewLibraPlusModel gives the model with the parameters of docs/semantics.md,
// section 2.
func NewLibraPlusModel() *LibraPlusModel {
	return &LibraPlusModel{
		HighUrgency:    0.2,
		DeadlineUrgent: 2, DeadlineRelaxed: 8,
		BudgetUrgent: 8, BudgetRelaxed: 2,
		DeadlineFactor: 1, BudgetFactor: 1,
		Deviation: 0.2, DeadlineDeviation: asDeviation, BudgetDeviation: asDeviation,
	}
}

// asDeviation stands for a deviation that follows the common one.
const asDeviation = -1

// mostMean bounds what is a mean at all; with real runtimes it keeps deadlines
// and budgets within what a job may ask.
const mostMean = 1e6

func (m *LibraPlusModel) params() []param {
	return []param{
		{"high-urgency", &m.HighUrgency, 0, 1, "share of the jobs that are of high urgency"},
		{"deadline-urgent", &m.DeadlineUrgent, 0, mostMean, "mean deadline of high urgency, in runtimes"},
		{"deadline-relaxed", &m.DeadlineRelaxed, 0, mostMean, "mean deadline of low urgency, in runtimes"},
		{"budget-urgent", &m.BudgetUrgent, 0, mostMean, "mean budget of high urgency, per second of runtime"},
		{"budget-relaxed", &m.BudgetRelaxed, 0, mostMean, "mean budget of low urgency, per second of runtime"},
		{"deadline-factor", &m.DeadlineFactor, 0, mostMean, "multiplies both mean deadlines"},
		{"budget-factor", &m.BudgetFactor, 0, mostMean, "multiplies both mean budgets"},
		{"deviation", &m.Deviation, 0, 100, "standard deviation of all of them, as a part of the mean"},
		{"deadline-deviation", &m.DeadlineDeviation, asDeviation, 100, "that of deadlines alone; -1: as deviation"},
		{"budget-deviation", &m.BudgetDeviation, asDeviation, 100, "that of budgets alone; -1: as deviation"},
		{"inaccuracy", &m.Inaccuracy, -100, 0.99, "how far estimates fall short of runtimes: 0.3 estimates 70 %"},
	}
}

// Set changes a parameter.
func (m *LibraPlusModel) Set(name, value string) error { return set(m.params(), name, value) }

// Params describes the parameters, with their values now.
func (m *LibraPlusModel) Params() []Param { return describe(m.params()) }

// Apply gives every job its agreement and its estimate.
func (m *LibraPlusModel) Apply(arrivals []Arrival, seed uint64) error {
	if err := validate(m.params()); err != nil {
		return fmt.Errorf("libra-plus model: %w", err)
	}
	urgent := urgentPlaces(m.HighUrgency, len(arrivals), seed)
	deadlines, budgets := newDraws(seed, drawDeadline), newDraws(seed, drawBudget)
	late, rich := m.Deviation, m.Deviation
	if m.DeadlineDeviation >= 0 {
		late = m.DeadlineDeviation
	}
	if m.BudgetDeviation >= 0 {
		rich = m.BudgetDeviation
	}
	for i := range arrivals {
		a := &arrivals[i]
		deadline, budget, class := m.DeadlineRelaxed, m.BudgetRelaxed, LowUrgency
		if urgent[i] {
			deadline, budget, class = m.DeadlineUrgent, m.BudgetUrgent, HighUrgency
		}
		deadline *= m.DeadlineFactor
		budget *= m.BudgetFactor
		deadlines.job(i)
		budgets.job(i)
		runtime := float64(a.Actual)
		a.Job.Class = class
		a.Job.Estimate = market.Work(runtime * (1 - m.Inaccuracy))
		a.Job.SLA = market.SLA{
			Deadline: market.Time(runtime * deadlines.normal(deadline, deadline*late, 1)),
			Budget:   market.Price(runtime * budgets.normal(budget, budget*rich, 1)),
		}
		if err := a.Job.Validate(); err != nil {
			return fmt.Errorf("libra-plus model: job %s: %w", a.Label(), err)
		}
	}
	return nil
}

// LibraSLAModel is the model of 001, section 5.1: urgent jobs have a hard
// deadline, and the others a soft one with a penalty for each second of delay.
type LibraSLAModel struct {
	HighUrgency     float64 // share of the jobs, as an exact count at random places
	DeadlineUrgent  float64 // mean D/R of high urgency
	DeadlineRelaxed float64 // mean D/R of low urgency
	BudgetUrgent    float64 // mean B/R of high urgency
	BudgetRelaxed   float64 // mean B/R of low urgency
	PenaltyUrgent   float64 // mean penalty per second, high urgency
	PenaltyRelaxed  float64 // mean penalty per second, low urgency
	DeadlineFactor  float64 // the mean factor f of figure 3
	BudgetFactor    float64 // the mean factor f of figure 4
	PenaltyFactor   float64 // the mean factor f of figure 5
	Deviation       float64 // standard deviation, as a part of the mean
}

// NewLibraSLAModel gives the model with the parameters of docs/semantics.md,
// section 3.
func NewLibraSLAModel() *LibraSLAModel {
	return &LibraSLAModel{
		HighUrgency:    0.2,
		DeadlineUrgent: 2, DeadlineRelaxed: 14,
		BudgetUrgent: 7, BudgetRelaxed: 1,
		PenaltyUrgent: 2, PenaltyRelaxed: 0.5,
		DeadlineFactor: 1, BudgetFactor: 1, PenaltyFactor: 1,
		Deviation: 0.25,
	}
}

func (m *LibraSLAModel) params() []param {
	return []param{
		{"high-urgency", &m.HighUrgency, 0, 1, "share of the jobs that are of high urgency, with a hard deadline"},
		{"deadline-urgent", &m.DeadlineUrgent, 0, mostMean, "mean deadline of high urgency, in runtimes"},
		{"deadline-relaxed", &m.DeadlineRelaxed, 0, mostMean, "mean deadline of low urgency, in runtimes"},
		{"budget-urgent", &m.BudgetUrgent, 0, mostMean, "mean budget of high urgency, per second of runtime"},
		{"budget-relaxed", &m.BudgetRelaxed, 0, mostMean, "mean budget of low urgency, per second of runtime"},
		{"penalty-urgent", &m.PenaltyUrgent, 0, mostMean, "mean penalty of high urgency, per second of delay"},
		{"penalty-relaxed", &m.PenaltyRelaxed, 0, mostMean, "mean penalty of low urgency, per second of delay"},
		{"deadline-factor", &m.DeadlineFactor, 0, mostMean, "multiplies both mean deadlines"},
		{"budget-factor", &m.BudgetFactor, 0, mostMean, "multiplies both mean budgets"},
		{"penalty-factor", &m.PenaltyFactor, 0, mostMean, "multiplies both mean penalties"},
		{"deviation", &m.Deviation, 0, 100, "standard deviation of all of them, as a part of the mean"},
	}
}

// Set changes a parameter.
func (m *LibraSLAModel) Set(name, value string) error { return set(m.params(), name, value) }

// Params describes the parameters, with their values now.
func (m *LibraSLAModel) Params() []Param { return describe(m.params()) }

// Apply gives every job its agreement. Estimates become exact: 001 has no
// others.
func (m *LibraSLAModel) Apply(arrivals []Arrival, seed uint64) error {
	if err := validate(m.params()); err != nil {
		return fmt.Errorf("libra-sla model: %w", err)
	}
	urgent := urgentPlaces(m.HighUrgency, len(arrivals), seed)
	deadlines, budgets, penalties := newDraws(seed, drawDeadline), newDraws(seed, drawBudget), newDraws(seed, drawPenalty)
	for i := range arrivals {
		a := &arrivals[i]
		deadline, budget, penalty, class := m.DeadlineRelaxed, m.BudgetRelaxed, m.PenaltyRelaxed, LowUrgency
		if urgent[i] {
			deadline, budget, penalty, class = m.DeadlineUrgent, m.BudgetUrgent, m.PenaltyUrgent, HighUrgency
		}
		deadline *= m.DeadlineFactor
		budget *= m.BudgetFactor
		penalty *= m.PenaltyFactor
		deadlines.job(i)
		budgets.job(i)
		penalties.job(i)
		runtime := float64(a.Actual)
		a.Job.Class = class
		a.Job.Estimate = a.Actual
		a.Job.SLA = market.SLA{
			Deadline: market.Time(runtime * deadlines.normal(deadline, deadline*m.Deviation, 1)),
			Budget:   market.Price(runtime * budgets.normal(budget, budget*m.Deviation, 0)),
			Penalty:  market.Price(penalties.normal(penalty, penalty*m.Deviation, 0)),
			Soft:     !urgent[i],
		}
		if err := a.Job.Validate(); err != nil {
			return fmt.Errorf("libra-sla model: job %s: %w", a.Label(), err)
		}
	}
	return nil
}

// urgentPlaces marks the jobs of high urgency: an exact count, so that results
// do not vary with how many there happen to be.
func urgentPlaces(share float64, n int, seed uint64) []bool {
	return newDraws(seed, drawUrgency).places(int(math.Round(share*float64(n))), n)
}

type noModel struct{}

func (noModel) Set(name, value string) error  { return set(nil, name, value) }
func (noModel) Params() []Param               { return nil }
func (noModel) Apply([]Arrival, uint64) error { return nil }
