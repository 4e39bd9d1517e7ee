package experiment

import (
	"math"
	"strings"
	"testing"
)

func line(values ...float64) curve {
	var c curve
	for i, v := range values {
		c = append(c, Point{X: float64(i), Estimate: Estimate{Mean: v, Low: v, High: v, N: 1}})
	}
	return c
}

func TestJudges(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		got  verdict
		want bool
	}{
		"rises":                  {rising("a", line(1, 2, 3), 0), true},
		"rises with a dent":      {rising("a", line(1, 3, 2.5, 4), 1), true},
		"rises with a hole":      {rising("a", line(1, 3, 1.5, 4), 1), false},
		"ends where it began":    {rising("a", line(1, 2, 1), 5), false},
		"falls":                  {falling("a", line(3, 2, 1), 0), true},
		"does not fall":          {falling("a", line(3, 2, 4), 0), false},
		"above everywhere":       {everywhere("a", line(2, 3), line(1, 2), 0), true},
		"equal somewhere":        {everywhere("a", line(2, 2), line(1, 2), 0), false},
		"above on average":       {onAverage("a", line(9, 0), line(1, 1), 3), true},
		"not enough on average":  {onAverage("a", line(3, 2), line(1, 1), 3), false},
		"about":                  {about("a", 22.9, 23, 3), true},
		"not about":              {about("a", 19.9, 23, 3), false},
		"ordered":                {ordered([]string{"a", "b"}, []float64{1, 2}, 0), true},
		"not ordered":            {ordered([]string{"a", "b"}, []float64{2, 2}, 0), false},
		"both":                   {both(verdict{holds: true, measured: "x"}, verdict{holds: true, measured: "y"}), true},
		"not both":               {both(verdict{holds: true, measured: "x"}, verdict{holds: false, measured: "y"}), false},
		"nothing is not above":   {everywhere("a", nil, nil, -100), false},
		"a gap is not above":     {above("a", nan, "b", 1, -100), false},
		"a gap is not about":     {about("a", nan, 1, 100), false},
		"a gap is not in order":  {ordered([]string{"a", "b"}, []float64{nan, 2}, 5), false},
		"nothing does not rise":  {rising("a", nil, 5), false},
		"a gap does not rise":    {rising("a", line(1, nan, 2), 5), false},
		"positive":               {positive(line(1, 2)), true},
		"zero is not positive":   {positive(line(1, 0)), false},
		"nothing is not average": {onAverage("a", nil, nil, -100), false},
	} {
		if c.got.holds != c.want {
			t.Errorf("%s: %v (%s)", name, c.got.holds, c.got.measured)
		}
	}
}

func TestCurve(t *testing.T) {
	c := line(1, 5, 3)
	if x, y := c.peak(); x != 1 || y != 5 {
		t.Errorf("peak %v at %v", y, x)
	}
	if s := c.spread(); s != 4 {
		t.Errorf("spread %v", s)
	}
	if s := line(1, 3, 5).slope(); math.Abs(s-2) > 1e-12 {
		t.Errorf("slope %v", s)
	}
	if l := c.over(line(1, 1, 1)); l.least != 0 || l.most != 4 || l.mostAt != 1 || l.mean != 2 {
		t.Errorf("lead %+v", l)
	}
	if got := c.between(1, 2).average(); got != 4 {
		t.Errorf("average %v", got)
	}
}

// A statement about a figure that was not measured does not hold.
func TestMissingEvidence(t *testing.T) {
	for _, s := range libraPlusStatements() {
		if s.figure == "workload" {
			continue
		}
		claims := judgeAll("libra-plus", nil, nil, []statement{s})
		if claims[0].Holds || claims[0].Measured != "not measured" {
			t.Errorf("%s: holds %v, measured %q", claims[0].Claim, claims[0].Holds, claims[0].Measured)
		}
	}
}

// Every statement quotes a section and says what it is judged by, once.
func TestStatements(t *testing.T) {
	count := 0
	for paper, list := range map[string][]statement{
		nameLibra: libraStatements(), nameLibraPlus: libraPlusStatements(), nameLibraSLA: libraSLAStatements(),
	} {
		seen := map[string]bool{}
		for _, s := range list {
			count++
			if s.figure == "" || s.section == "" || s.quote == "" || s.expect == "" || s.judge == nil {
				t.Errorf("%s: incomplete statement %+v", paper, s)
			}
			if key := s.figure + s.section + s.quote + s.expect; seen[key] {
				t.Errorf("%s: twice: %s", paper, s.quote)
			} else {
				seen[key] = true
			}
			if strings.Contains(s.expect, "%!") {
				t.Errorf("%s: %s", paper, s.expect)
			}
		}
	}
	if count < 80 {
		t.Errorf("only %d statements", count)
	}
}
