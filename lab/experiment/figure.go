package experiment

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"github.com/libra-market/libra/core/chart"
)

// Figure is a figure or a table of a paper, measured.
type Figure struct {
	ID      string   `json:"id"`     // names its files: "libra-plus-fig2a"
	Number  string   `json:"number"` // as the paper counts: "2(a)"
	Title   string   `json:"title"`
	Measure string   `json:"measure"` // what is measured, in a sentence
	Source  string   `json:"source"`  // workload and parameters
	X       Axis     `json:"x"`
	Y       Axis     `json:"y"`
	Series  []Series `json:"series"`
	// Stated are the numbers that the paper gives for this figure.
	Stated []Stated `json:"stated,omitempty"`
	// Groups make it a chart of bars: names for the values 0, 1, 2, ... of x.
	Groups []string `json:"groups,omitempty"`
	// Heads make it a table of words, Rows below them: no series.
	Heads []string   `json:"heads,omitempty"`
	Rows  [][]string `json:"rows,omitempty"`
	// Beside says that the paper has no such figure: it is there for what the
	// text says about causes.
	Beside bool `json:"beside,omitempty"`
	// Interval says what Low and High are: "95 % confidence interval".
	Interval string `json:"interval"`
	// Wants says which way is better for a reader, if any: "higher is better".
	Wants string `json:"wants,omitempty"`
}

// Axis is one direction of a figure.
type Axis struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
	Log  bool   `json:"log,omitempty"`
}

// Label is the name with the unit.
func (a Axis) Label() string {
	if a.Unit == "" {
		return a.Name
	}
	return a.Name + ", " + a.Unit
}

// Series is one line of a figure.
type Series struct {
	Name   string  `json:"name"`
	Muted  bool    `json:"muted,omitempty"`
	Hue    int     `json:"hue,omitempty"` // as of chart.Series
	Points []Point `json:"points"`
	// Runs are the values behind each point, seed by seed in the same order in all
	// series, or means of neighbours if there are many. What was computed has none.
	Runs [][]float64 `json:"runs,omitempty"`
}

// add appends the estimate of some values.
func (s *Series) add(x float64, e Estimate, values []float64) {
	s.Points = append(s.Points, Point{x, e})
	s.Runs = append(s.Runs, condense(values))
}

// Point is one estimate.
type Point struct {
	X float64
	Estimate
}

// Stated is a number that a paper states.
type Stated struct {
	Series string  `json:"series"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
}

const (
	confidence  = "95\u00a0% confidence interval"
	seedsRange  = "middle 95\u00a0% of the seeds"
	noIntervals = ""
)

// runs is how many seeds are behind a point, at most.
func (f *Figure) runs() int {
	most := 0
	for _, s := range f.Series {
		for _, p := range s.Points {
			most = max(most, p.N)
		}
	}
	return most
}

// stated finds the paper's number for a point.
func (f *Figure) stated(series string, x float64) float64 {
	for _, m := range f.Stated {
		if m.Series == series && math.Abs(m.X-x) < 1e-9 {
			return m.Y
		}
	}
	return math.NaN()
}

// find gives a series by name.
func (f *Figure) find(name string) (Series, bool) {
	for _, s := range f.Series {
		if s.Name == name {
			return s, true
		}
	}
	return Series{}, false
}

// subtitle says what is shown and how sure it is.
func (f *Figure) subtitle() string {
	text := f.Measure
	if n := f.runs(); n > 1 {
		text += " Mean of " + strconv.Itoa(n) + " seeds"
		if f.Interval != noIntervals {
			text += " and the " + f.Interval
		}
		text += "."
	} else if n == 1 {
		text += " One seed."
	}
	return text
}

// Drawing is a figure as SVG, alone or for a page.
type Drawing interface {
	SVG() []byte
	Fragment() []byte
}

// Draw lays the figure out.
func (f *Figure) Draw() Drawing {
	if f.Heads != nil {
		return &chart.Table{Title: f.Title, Subtitle: f.subtitle(), Source: f.Source, Heads: f.Heads, Rows: f.Rows}
	}
	if f.Groups != nil {
		return f.bars()
	}
	l := &chart.Lines{
		Title: f.Title, Subtitle: f.subtitle(), Source: f.Source,
		X: chart.Axis{Label: f.X.Label(), Log: f.X.Log}, Y: chart.Axis{Label: f.Y.Label(), Zero: true, Log: f.Y.Log},
		MarkKey: "stated in the paper's text",
	}
	for i, s := range f.Series {
		line := chart.Series{Name: s.Name, Muted: s.Muted, Hue: s.Hue}
		for _, p := range s.Points {
			line.Points = append(line.Points, chart.Point{X: p.X, Y: p.Mean, Low: p.Low, High: p.High})
		}
		l.Series = append(l.Series, line)
		for _, m := range f.Stated {
			if m.Series == s.Name {
				text := strconv.FormatFloat(m.Y, 'g', -1, 64)
				if f.Y.Unit == "%" {
					text += " %"
				}
				l.Marks = append(l.Marks, chart.Mark{X: m.X, Y: m.Y, Text: text, Series: i})
			}
		}
	}
	return l
}

func (f *Figure) bars() *chart.Bars {
	b := &chart.Bars{
		Title: f.Title, Subtitle: f.subtitle(), Source: f.Source, Y: chart.Axis{Label: f.Y.Label()},
		Groups: f.Groups, ValueKey: "measured", MarkKey: "paper",
	}
	for _, s := range f.Series {
		series := chart.BarSeries{Name: s.Name}
		for _, p := range s.Points {
			series.Bars = append(series.Bars, chart.Bar{Y: p.Mean, Low: p.Low, High: p.High, Mark: f.stated(s.Name, p.X)})
		}
		b.Series = append(b.Series, series)
	}
	return b
}

// WriteCSV writes the figure as tidy lines: one estimate each, beside what the
// paper states for it.
func (f *Figure) WriteCSV(to io.Writer) error {
	out := csv.NewWriter(to)
	if f.Heads != nil {
		return out.WriteAll(append([][]string{f.Heads}, f.Rows...))
	}
	header := []string{"figure", "series", "x", "group", "mean", "low", "high", "seeds", "paper"}
	if err := out.Write(header); err != nil {
		return err
	}
	for _, s := range f.Series {
		for i, p := range s.Points {
			group := ""
			if i < len(f.Groups) {
				group = oneLine(f.Groups[i])
			}
			if err := out.Write([]string{
				f.Number, s.Name, cell(p.X), group, cell(p.Mean), cell(p.Low), cell(p.High), strconv.Itoa(p.N), cell(f.stated(s.Name, p.X)),
			}); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// cell writes a number so that reading it gives the same; what is none is
// empty.
func cell(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
