package experiment

import (
	"strings"
	"testing"
)

// everyStatement lists the statements of all papers.
func everyStatement() map[string][]statement {
	return map[string][]statement{
		nameLibra: libraStatements(), nameLibraPlus: libraPlusStatements(), nameLibraSLA: libraSLAStatements(),
		nameIC: icStatements(icSetting{}), nameNIST: nistStatements(),
	}
}

// A mark is on a statement that there is, says why, and what is fitted or given is
// not counted.
func TestMarks(t *testing.T) {
	count := map[Mark]int{}
	for _, m := range markings {
		found := 0
		for _, s := range everyStatement()[m.paper] {
			if strings.HasPrefix(s.quote, m.quote) {
				found++
			}
		}
		if found == 0 || m.why == "" {
			t.Errorf("%s, %q: %d statements, because %q", m.paper, m.quote, found, m.why)
		}
		count[m.mark] += found
	}
	for mark, want := range map[Mark]int{Input: 8, Fitted: 10, CannotFail: 9, Double: 9} {
		if count[mark] != want {
			t.Errorf("%s: %d, want %d", mark, count[mark], want)
		}
	}
	part := Part{Claims: []Claim{{Verdict: Holds}, {Verdict: Holds, Mark: Input}, {Verdict: Fails}, {Verdict: InNoise}, {Verdict: Fails, Mark: Double}}}
	if got := part.Score(); got != (Score{Held: 1, Failed: 1, InNoise: 1, Aside: 2}) || got.Total() != 3 {
		t.Errorf("score %+v", got)
	}
	if len(part.Evidence()) != 3 || len(part.Aside()) != 2 {
		t.Errorf("evidence %d, aside %d", len(part.Evidence()), len(part.Aside()))
	}
}

// What was too kind is not any more: a profit that is gone is not maintained.
func TestNothingLeftIsNotMaintained(t *testing.T) {
	series := func(name string, at0, later float64) Series {
		s := Series{Name: name}
		for x := 0.0; x <= 90; x += 10 {
			y := later
			if x == 0 {
				y = at0
			}
			s.Points = append(s.Points, computed(x, y))
		}
		return s
	}
	for want, left := range map[bool]float64{false: 10, true: 30} {
		f := Figure{Number: "6(b)"}
		for i, beta := range levels {
			f.Series = append(f.Series, series(withBeta(beta), 45, left+float64(i)))
		}
		for _, s := range libraPlusEstimates() {
			if strings.Contains(s.quote, "can still maintain") {
				if c := judgeAll(nameLibraPlus, nil, []Figure{f}, []statement{s})[0]; c.Holds != want {
					t.Errorf("%v left of 45: holds %v (%s)", left, c.Holds, c.Measured)
				}
			}
		}
	}
}
