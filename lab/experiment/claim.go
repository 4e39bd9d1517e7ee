package experiment

import "fmt"

// Claim is a statement of a paper about its results, and whether it holds here.
type Claim struct {
	Paper   string  `json:"paper"`
	Figure  string  `json:"figure"`
	Claim   string  `json:"claim"` // section and words of the paper
	Holds   bool    `json:"holds"` // the verdict is that it does
	Verdict Verdict `json:"verdict"`
	// Certainty is in which part of all that the noise of the seeds allows the
	// statement holds: 1 or 0 where there is no noise.
	Certainty float64 `json:"certainty"`
	// Mark says why it is no evidence, if it is none, and Because how that is meant.
	Mark     Mark   `json:"kind"`
	Because  string `json:"because,omitempty"`
	Expected string `json:"expected"`
	Measured string `json:"measured"`
	Reading  string `json:"reading"`          // of the paper's text
	Points   string `json:"points,omitempty"` // of a figure at which it holds, the fewest of several: "8 of 9"
}

// usualReading is how the papers are read unless somebody asks for another way.
const usualReading = "usual"

// Odds is the certainty in per cent.
func (c Claim) Odds() string { return fmt.Sprintf("%.0f\u00a0%%", 100*c.Certainty) }

// statement is a claim before it is judged.
type statement struct {
	figure  string // the paper's number of the figure it is about
	section string
	quote   string
	expect  string // what must be true of the figures for it to hold, with its threshold
	judge   func(e evidence) verdict
}

// verdict is what the figures say.
type verdict struct {
	holds    bool
	measured string
	counts   []count // of parts of a figure for which it holds
}

// evidence is the figures of one paper by their number. It remembers what was
// asked for and not there.
type evidence struct {
	figures map[string]*Figure
	trace   *Trace
	missing *bool
	noisy   *bool // some of it would be otherwise with other seeds
	fall    *draw // of the noise; nil: as measured
	rename  func(figure, series string) string
}

// judgeAll judges the statements on the figures.
func judgeAll(paper string, trace *Trace, figures []Figure, statements []statement) []Claim {
	return judgeUnder(nil, paper, trace, figures, statements)
}

// judgeUnder is judgeAll under a reading.
func judgeUnder(r *Reading, paper string, trace *Trace, figures []Figure, statements []statement) []Claim {
	claims := make([]Claim, 0, len(statements))
	byNumber := map[string]*Figure{}
	for i := range figures {
		byNumber[figures[i].Number] = &figures[i]
	}
	falls := draws()
	for _, s := range statements {
		e, reading := evidence{figures: byNumber, trace: trace}, usualReading
		if r != nil {
			e.rename, reading = r.rename, r.Name
		}
		v, certainty := s.weighed(e, falls)
		verdict := weigh(certainty)
		mark, why := markOf(paper, s.quote)
		claims = append(claims, Claim{
			Paper: paper, Figure: s.figure, Claim: s.section + ": \u201c" + s.quote + "\u201d",
			Holds: verdict == Holds, Verdict: verdict, Certainty: certainty, Mark: mark, Because: why, Expected: s.expect, Measured: v.measured,
			Reading: reading, Points: fewest(v.counts),
		})
	}
	return claims
}

// weighed judges a statement on the means, and says in which part of the draws
// it holds.
func (s *statement) weighed(e evidence, falls []draw) (verdict, float64) {
	missing, noisy := false, false
	e.missing, e.noisy = &missing, &noisy
	v := s.judge(e)
	switch {
	case missing:
		return verdict{holds: false, measured: "not measured"}, 0
	case !noisy && v.holds:
		return v, 1
	case !noisy:
		return v, 0
	}
	held := 0
	for i := range falls {
		e.fall = &falls[i]
		if s.judge(e).holds {
			held++
		}
	}
	return v, float64(held) / float64(len(falls))
}

// line gives a series of a figure as a curve.
func (e evidence) line(figure, series string) curve {
	f := e.figures[figure]
	if f == nil {
		*e.missing = true
		return nil
	}
	if e.rename != nil {
		series = e.rename(figure, series)
	}
	s, ok := f.find(series)
	if !ok {
		*e.missing = true
	}
	if s.Runs == nil {
		return curve(s.Points)
	}
	*e.noisy = true
	if e.fall == nil {
		return curve(s.Points)
	}
	fallen := make(curve, len(s.Points))
	for i, p := range s.Points {
		off := e.fall.offset(s.Runs[i])
		p.Mean, p.Low, p.High = p.Mean+off, p.Low+off, p.High+off
		fallen[i] = p
	}
	return fallen
}
