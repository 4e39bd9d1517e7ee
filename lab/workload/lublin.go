package workload

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/libra-market/libra/core/market"
)

// Lublin makes up a workload of rigid parallel jobs after the model of Lublin
// and Feitelson (The workload on parallel supercomputers: modeling the
// characteristics of rigid jobs, JPDC 63(11), 2003), with its values for batch
// jobs. What the model leaves out, the estimates of users, comes from
// estimates.go. Submit times and runtimes are whole seconds.
type Lublin struct {
	Jobs  int64
	Nodes int // processors of the machine: the widest job there can be
	// Load, if not 0, spreads the arrivals so that runtime x processors over
	// nodes x time is expected to be this much.
	Load float64
	// MeanGap, if not 0, is the expected time between two arrivals. Without
	// both, gaps are as published.
	MeanGap float64
	// Underestimates is the share of users who ask for less time than their
	// job then takes (7.9 % of the jobs of 000's selection of SDSC SP2).
	Underestimates float64
	Users          int // owners of the jobs; 0: the jobs have none
}

// NewLublin gives a workload of 10,000 jobs for 128 nodes with a load of 0.7.
func NewLublin() Lublin {
	return Lublin{Jobs: 10_000, Nodes: 128, Load: 0.7, Underestimates: 0.08, Users: 64}
}

// The published values for batch jobs.
const (
	serialShare = 0.2927
	powerShare  = 0.6686 // sizes that are powers of two
	sizeLow     = 1.2    // log2 of the smallest parallel size
	sizeBelow   = 2      // the middle is log2 of the machine less this: 5 on 128 nodes
	sizeFirst   = 0.875  // probability of the stage below the middle

	runShape1, runScale1 = 6.57, 0.823   // of ln(runtime), short jobs
	runShape2, runScale2 = 639.1, 0.0156 // of ln(runtime), long jobs
	runSlope, runBase    = -0.003, 0.6986
	runMost              = 12 // ln of the longest runtime: about two days

	gapShape, gapScale = 6.0415 * 1.0519, 0.8531 // of ln(gap), over all hours
	gapMost            = 13                      // ln of the longest gap: about five days

	dayShape, dayScale = 6.1271, 5.2740 // of arrivals over half hours
	dayStart           = 22             // the half hour with which that day begins, 11:00
	halfHours          = 48
)

// Validate names the first parameter that makes no sense.
func (m *Lublin) Validate() error {
	nonsense := func(name string, value any, want string) error {
		return fmt.Errorf("lublin model: %s: %v makes no sense (want %s)", name, value, want)
	}
	switch {
	case m.Jobs < 0:
		return nonsense("jobs", m.Jobs, "0 or more")
	case m.Nodes < 1 || m.Nodes > market.MaxWidth:
		return nonsense("nodes", m.Nodes, "at least 1")
	case m.Load != 0 && !(m.Load >= 1e-6 && m.Load <= 1e6):
		return nonsense("load", m.Load, "more than 0, or 0 for gaps as published")
	case m.MeanGap != 0 && !(m.MeanGap >= 1e-6 && m.MeanGap <= 1e6):
		return nonsense("mean gap", m.MeanGap, "more than 0, or 0 for gaps as published")
	case m.Load != 0 && m.MeanGap != 0:
		return nonsense("mean gap", m.MeanGap, "0 where a load is given")
	case !(m.Underestimates >= 0 && m.Underestimates <= 1):
		return nonsense("underestimates", m.Underestimates, "0 to 1")
	case m.Users < 0 || m.Users > 1_000_000:
		return nonsense("users", m.Users, "0 to 1000000")
	}
	return nil
}

// Header describes the workload for an SWF file.
func (m *Lublin) Header() *Header {
	jobs, nodes := strconv.FormatInt(m.Jobs, 10), strconv.Itoa(m.Nodes)
	h := &Header{}
	h.Add("Version", "2.2")
	h.Add("Computer", "none: a model")
	h.Add("Information", "after Lublin and Feitelson, JPDC 63(11), 2003; batch jobs; estimates by libra")
	h.Add("MaxJobs", jobs)
	h.Add("MaxRecords", jobs)
	h.Add("MaxNodes", nodes)
	h.Add("MaxProcs", nodes)
	h.Add("UnixStartTime", "0")
	return h
}

// Source starts the workload that belongs to a seed.
func (m *Lublin) Source(seed uint64) (Source, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	s := &lublin{
		Lublin: *m,
		sizes:  newSizes(m.Nodes),
		day:    newDay(),
		gaps:   newDraws(seed, drawGap), widths: newDraws(seed, drawSize), runs: newDraws(seed, drawRuntime),
		estimates: newDraws(seed, drawEstimate), owners: newDraws(seed, drawUser),
		stretch: 1,
	}
	published := meanOfExp(gapShape, gapScale, gapMost)
	switch {
	case m.MeanGap > 0:
		s.stretch = m.MeanGap / published
	case m.Load > 0:
		s.stretch = s.sizes.meanWork() / (float64(m.Nodes) * m.Load) / published
	}
	for user := range m.Users {
		s.users = append(s.users, market.Account(strconv.Itoa(user+1)))
	}
	return s, nil
}

type lublin struct {
	Lublin
	sizes   sizes
	day     day
	stretch float64
	users   []market.Account

	gaps, widths, runs, estimates, owners *draws

	made  int64
	clock float64 // in time that passes as fast as jobs arrive: see day
}

func (s *lublin) Next(a *Arrival) error {
	if s.made >= s.Jobs {
		return io.EOF
	}
	s.made++
	s.clock += float64(s.stretch * math.Exp(below(gapMost, func() float64 { return gamma(s.gaps, gapShape, gapScale) })))
	submit := math.Round(s.day.at(s.clock))
	if submit > maxSpan {
		return fmt.Errorf("lublin model: job %d: submit: %v: %w", s.made, submit, errTooLarge)
	}
	width := s.sizes.draw(s.widths)
	runtime := drawRun(s.runs, width)
	var owner market.Account
	if len(s.users) > 0 {
		// A few users submit most of the jobs.
		u := s.owners.Float64()
		owner = s.users[int(u*u*float64(len(s.users)))]
	}
	*a = Arrival{
		Job: market.Job{
			Submit:   market.Time(submit),
			Estimate: market.Work(userEstimate(s.estimates, runtime, s.Underestimates)),
			SLA:      market.SLA{Deadline: market.Never, Budget: market.Unlimited},
			Width:    market.Int32(width),
			Owner:    owner,
		},
		Actual: market.Work(runtime),
		Number: s.made,
	}
	return nil
}

// drawRun draws a runtime: one of two gammas of its logarithm, the long one
// more often the wider the job is.
func drawRun(d *draws, width int) float64 {
	short := shortRuns(width)
	return math.Max(1, math.Round(math.Exp(below(runMost, func() float64 {
		if d.Float64() <= short {
			return gamma(d, runShape1, runScale1)
		}
		return gamma(d, runShape2, runScale2)
	}))))
}

// shortRuns is the probability that a job of that width is a short one.
func shortRuns(width int) float64 {
	return min(1, max(0, float64(runSlope*float64(width))+runBase))
}

// below draws again what is too large.
func below(most float64, draw func() float64) float64 {
	for {
		if x := draw(); x <= most {
			return x
		}
	}
}
