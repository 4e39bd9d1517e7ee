package experiment

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ErrSweep says that a file is not the CSV of a sweep.
var ErrSweep = errors.New("not the CSV of a sweep")

// measures are the columns of a sweep that are drawn, and how.
var measures = []struct {
	name, title, unit string
	scale             float64
}{
	{"qos_satisfaction", "Users in time and within budget", "%", 100},
	{"profitability", "Earned of what was offered", "%", 100},
	{"revenue", "Revenue", "", 1},
	{"utility", "Utility", "", 1},
	{"utilization", "Utilisation", "%", 100},
	{"accepted", "Jobs taken", "", 1},
	{"mean_wait", "Mean wait", "s", 1},
	{"mean_slowdown", "Mean slowdown", "", 1},
}

// sweepTable is a sweep as it was written: one line for each run.
type sweepTable struct {
	params   []string // columns between the policy and the seed
	measures []string // columns after the seed
	runs     []sweepRun
}

type sweepRun struct {
	policy string
	params []string
	values []float64
}

// readSweep reads what libra sweep wrote.
func readSweep(from io.Reader) (*sweepTable, error) {
	in := csv.NewReader(from)
	header, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSweep, err)
	}
	seed := slices.Index(header, "seed")
	if seed < 3 || header[0] != "sweep" || header[1] != "cell" || header[2] != "policy" {
		return nil, fmt.Errorf("%w: its header begins with %s", ErrSweep, strings.Join(header[:min(3, len(header))], ","))
	}
	t := &sweepTable{params: header[3:seed], measures: header[seed+1:]}
	for {
		line, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSweep, err)
		}
		run := sweepRun{policy: line[2], params: line[3:seed]}
		for i, text := range line[seed+1:] {
			x, err := strconv.ParseFloat(text, 64)
			if text == "" { // the bound is on few things
				x, err = math.NaN(), nil
			}
			if err != nil {
				return nil, fmt.Errorf("%w: %s: %q is not a number", ErrSweep, t.measures[i], text)
			}
			run.values = append(run.values, x)
		}
		t.runs = append(t.runs, run)
	}
	if len(t.runs) == 0 {
		return nil, fmt.Errorf("%w: no runs in it", ErrSweep)
	}
	return t, nil
}

// across is the parameter with the most values, all of them numbers: what goes
// along the horizontal axis. -1: there is none.
func (t *sweepTable) across() int {
	best, most := -1, 1
	for i := range t.params {
		if n := len(t.valuesOf(i)); n > most && t.numeric(i) {
			best, most = i, n
		}
	}
	return best
}

// valuesOf lists what a parameter was set to, in the order of the runs. A policy
// that does not know it has nothing there.
func (t *sweepTable) valuesOf(param int) []string {
	var values []string
	for _, r := range t.runs {
		if v := r.params[param]; v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

func (t *sweepTable) numeric(param int) bool {
	for _, v := range t.valuesOf(param) {
		if _, err := strconv.ParseFloat(v, 64); err != nil {
			return false
		}
	}
	return true
}

// nameOf is the line that a run belongs to: its policy and what else varies.
func (t *sweepTable) nameOf(r *sweepRun, across int) string {
	name := r.policy
	for i, p := range t.params {
		if i != across && r.params[i] != "" && len(t.valuesOf(i)) > 1 {
			name += ", " + p + " " + r.params[i]
		}
	}
	return name
}

// group is the runs of one point: they differ by their seed alone.
type group struct {
	name   string
	x      string
	values [][]float64 // by measure
}

func (t *sweepTable) groups(across int) []group {
	var list []group
	at := map[string]int{}
	for i := range t.runs {
		r := &t.runs[i]
		x := ""
		if across >= 0 {
			x = r.params[across]
		}
		name := t.nameOf(r, across)
		k, known := at[name+"\x00"+x]
		if !known {
			k = len(list)
			at[name+"\x00"+x] = k
			list = append(list, group{name: name, x: x, values: make([][]float64, len(t.measures))})
		}
		for m, v := range r.values {
			list[k].values[m] = append(list[k].values[m], v)
		}
	}
	return list
}

// mostSeries is how many lines a drawing can hold.
const mostSeries = 8

// figures draws every measure: over the parameter that has the most values, or as
// bars where none has several.
func (t *sweepTable) figures(across int, groups []group) (figures []*Figure, left int) {
	var names []string
	for _, g := range groups {
		if !slices.Contains(names, g.name) {
			names = append(names, g.name)
		}
	}
	if len(names) > mostSeries {
		left = len(names) - mostSeries
		names = names[:mostSeries]
	}
	for _, m := range measures {
		column := slices.Index(t.measures, m.name)
		if column < 0 {
			continue
		}
		f := &Figure{ID: strings.ReplaceAll(m.name, "_", "-"), Title: m.title, Y: Axis{Name: strings.ToLower(m.title), Unit: m.unit}, Interval: confidence}
		if across < 0 {
			f.Groups = names
			f.Series = []Series{{Name: m.name}}
		} else {
			f.X = Axis{Name: t.params[across]}
		}
		for i, name := range names {
			var points []Point
			for _, g := range groups {
				if g.name == name {
					points = append(points, point(g, column, m.scale, float64(i)))
				}
			}
			if across < 0 {
				f.Series[0].Points = append(f.Series[0].Points, points[0])
				continue
			}
			if points = slices.DeleteFunc(points, func(p Point) bool { return math.IsNaN(p.Mean) }); len(points) == 0 {
				continue
			}
			f.Series = append(f.Series, Series{Name: name, Points: level(points, t.valuesOf(across))})
		}
		figures = append(figures, f)
	}
	return figures, left
}

func point(g group, column int, scale, place float64) Point {
	values := slices.Clone(g.values[column])
	for i := range values {
		values[i] *= scale
	}
	x, err := strconv.ParseFloat(g.x, 64)
	if err != nil {
		x = place
		if g.x == "" {
			x = math.NaN() // a policy that does not know the parameter
		}
	}
	return Point{x, Confidence(values)}
}

// level draws a policy that does not know the parameter as a line across.
func level(points []Point, values []string) []Point {
	if len(points) != 1 || !math.IsNaN(points[0].X) {
		slices.SortFunc(points, func(a, b Point) int {
			if a.X < b.X {
				return -1
			}
			return 1
		})
		return points
	}
	var out []Point
	for _, text := range values {
		p := points[0]
		p.X, _ = strconv.ParseFloat(text, 64) // a number: across says so
		out = append(out, p)
	}
	return level(out, nil)
}

// SweepHTML writes the CSV of a sweep as a page with a drawing of every measure,
// in the look of the reports.
func SweepHTML(from io.Reader, title, version string) ([]byte, error) {
	t, err := readSweep(from)
	if err != nil {
		return nil, err
	}
	across := t.across()
	groups := t.groups(across)
	figures, left := t.figures(across, groups)
	page := struct {
		look
		Title   string
		Facts   [][2]string
		Figures []*Figure
		Left    string
		Header  []string
		Rows    [][]string
	}{look: ourLook, Title: title, Figures: figures}
	page.Facts = append(page.Facts, [2]string{"Program", "libra " + version}, [2]string{"Runs", thousands(len(t.runs))})
	for i, p := range t.params {
		page.Facts = append(page.Facts, [2]string{p, strings.Join(t.valuesOf(i), ", ")})
	}
	if left > 0 {
		page.Left = fmt.Sprintf("%d more lines are only in the table.", left)
	}
	page.Header = append([]string{"run"}, t.measures...)
	for _, g := range groups {
		row := []string{g.name}
		if g.x != "" {
			row[0] += ", " + t.params[across] + " " + g.x
		}
		for _, values := range g.values {
			text := ""
			if mean := Confidence(values).Mean; !math.IsNaN(mean) {
				text = strconv.FormatFloat(mean, 'g', 5, 64)
			}
			row = append(row, text)
		}
		page.Rows = append(page.Rows, row)
	}
	var out bytes.Buffer
	err = pages.ExecuteTemplate(&out, "sweep.tmpl.html", page)
	return out.Bytes(), err
}
