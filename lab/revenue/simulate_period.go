package revenue

// Rule is an admission rule: a job of class s is let in with probability Q[s].
type Rule struct {
	Name string
	Q    []float64
}

// AdmitAll lets everybody in.
func AdmitAll(s *System) Rule {
	q := make([]float64, len(s.Classes))
	for i := range q {
		q[i] = 1
	}
	return Rule{Name: "admit-all", Q: q}
}

// Simulator runs periods of a system, one after the other, without allocating
// anything per job. Several of them can run at the same time.
type Simulator struct {
	system    System
	engine    *Engine
	generator *generator
}

// NewSimulator makes a simulator of a system.
func NewSimulator(s System) (*Simulator, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	sim := &Simulator{system: s}
	sim.engine = NewEngine(&sim.system)
	sim.generator = newGenerator(&sim.system)
	return sim, nil
}

// Run simulates one period at a load under a rule. The jobs are those of the
// seed and the number of the period, whatever the rule.
func (s *Simulator) Run(seed uint64, period int, load float64, rule Rule) Tally {
	s.engine.Reset(s.system.Period)
	if !(load > 0) {
		return s.engine.Finish()
	}
	s.generator.begin(seed, period, load)
	var j Job
	for {
		draw := s.generator.next(&j)
		if j.Arrival > s.system.Period {
			break
		}
		if draw < rule.Q[j.Class] {
			s.engine.Arrive(&j, 0)
		} else {
			s.engine.refuse(&j, 0)
		}
	}
	return s.engine.Finish()
}

// ByClass are the tallies of the last run, in the order of the classes; they
// hold until the next one.
func (s *Simulator) ByClass() []Tally { return s.engine.ByClass() }
