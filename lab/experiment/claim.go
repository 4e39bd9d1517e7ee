package experiment

// Claim is a statement of a paper about its results, and whether it holds here.
type Claim struct {
	Paper    string `json:"paper"`
	Figure   string `json:"figure"`
	Claim    string `json:"claim"` // section and words of the paper
	Holds    bool   `json:"holds"`
	Expected string `json:"expected"`
	Measured string `json:"measured"`
}

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
}

// evidence is the figures of one paper by their number. It remembers what was
// asked for and not there.
type evidence struct {
	figures map[string]*Figure
	trace   *Trace
	missing *bool
}

// judgeAll judges the statements on the figures.
func judgeAll(paper string, trace *Trace, figures []Figure, statements []statement) []Claim {
	claims := make([]Claim, 0, len(statements))
	for _, s := range statements {
		missing := false
		e := evidence{figures: map[string]*Figure{}, trace: trace, missing: &missing}
		for i := range figures {
			e.figures[figures[i].Number] = &figures[i]
		}
		v := s.judge(e)
		if missing {
			v = verdict{false, "not measured"}
		}
		claims = append(claims, Claim{
			Paper: paper, Figure: s.figure, Claim: s.section + ": \u201c" + s.quote + "\u201d",
			Holds: v.holds, Expected: s.expect, Measured: v.measured,
		})
	}
	return claims
}

// line gives a series of a figure as a curve.
func (e evidence) line(figure, series string) curve {
	f := e.figures[figure]
	if f == nil {
		*e.missing = true
		return nil
	}
	s, ok := f.find(series)
	if !ok {
		*e.missing = true
	}
	return curve(s.Points)
}
