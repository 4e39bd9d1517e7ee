package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/lab/experiment"
	"github.com/libra-market/libra/lab/report"
)

// measures are the columns of a sweep after its parameters. There is none for
// the time a run took: the same sweep must give the same bytes.
var measures = []struct {
	name    string
	value   func(*report.Summary) float64
	bounded bool // there is a bound on it
}{
	{"jobs", func(s *report.Summary) float64 { return float64(s.Jobs) }, true},
	{"accepted", func(s *report.Summary) float64 { return float64(s.Accepted) }, false},
	{"rejected", func(s *report.Summary) float64 { return float64(s.Rejected) }, false},
	{"completed", func(s *report.Summary) float64 { return float64(s.Completed) }, false},
	{"expired", func(s *report.Summary) float64 { return float64(s.Expired) }, false},
	{"met_deadline", func(s *report.Summary) float64 { return float64(s.MetDeadline) }, false},
	{"qos_satisfaction", func(s *report.Summary) float64 { return s.QoSSatisfaction }, true},
	{"profitability", func(s *report.Summary) float64 { return s.Profitability }, true},
	{"utility", func(s *report.Summary) float64 { return s.Utility }, true},
	{"revenue", func(s *report.Summary) float64 { return s.Revenue }, true},
	{"makespan", func(s *report.Summary) float64 { return s.Makespan }, false},
	{"utilization", func(s *report.Summary) float64 { return s.Utilization }, false},
	{"mean_wait", func(s *report.Summary) float64 { return s.MeanWait }, false},
	{"mean_slowdown", func(s *report.Summary) float64 { return s.MeanSlowdown }, false},
}

// headerStart is how the header of every sweep begins: merge goes by these two
// columns alone.
const headerStart = "sweep,cell,"

func (p *Plan) header() string {
	columns := append([]string{"policy"}, p.names...)
	columns = append(columns, "seed")
	for _, m := range measures {
		columns = append(columns, m.name)
	}
	return headerStart + strings.Join(columns, ",") + "\n"
}

// line is a run in the CSV. Nothing in it needs quotes: names and values come
// from lists that are taken apart at commas.
func (p *Plan) line(cell int, summary *report.Summary) string {
	columns := []string{p.id, strconv.Itoa(cell), p.cells[cell].Policy}
	columns = append(columns, p.labels[cell]...)
	columns = append(columns, strconv.FormatUint(p.cells[cell].Jobs.Seed, 10))
	for _, m := range measures {
		text, x := "", m.value(summary)
		if (m.bounded || p.cells[cell].Policy != experiment.Bound) && !math.IsNaN(x) {
			text = strconv.FormatFloat(x, 'f', -1, 64)
		}
		columns = append(columns, text)
	}
	return strings.Join(columns, ",") + "\n"
}

// Lines are finished runs by the numbers of their cells, as they stand in the
// CSV.
type Lines map[int]string

// Shard gives the numbers of the cells of one of so many parts, counted from 1:
// every n-th, so that shards take about as long as each other.
func (p *Plan) Shard(i, n int) []int {
	var mine []int
	for cell := i - 1; cell < len(p.cells); cell += n {
		mine = append(mine, cell)
	}
	return slices.Clip(mine)
}

// Run makes the runs of some cells, in any order, and hands over each line as
// soon as it is there, one at a time.
func (p *Plan) Run(ctx context.Context, lab *experiment.Lab, cells []int, keep func(cell int, line string) error) error {
	todo := make([]experiment.Cell, len(cells))
	for i, cell := range cells {
		todo[i] = p.cells[cell]
	}
	return lab.Stream(ctx, "sweep", todo, func(i int, summary *report.Summary) error {
		return keep(cells[i], p.line(cells[i], summary))
	})
}

// Write writes the whole file: the header and the lines in the order of cells.
func (p *Plan) Write(out io.Writer, lines Lines) error { return write(out, p.header(), lines) }

func write(out io.Writer, header string, lines Lines) error {
	if _, err := io.WriteString(out, header); err != nil {
		return err
	}
	for _, cell := range slices.Sorted(maps.Keys(lines)) {
		if _, err := io.WriteString(out, lines[cell]); err != nil {
			return err
		}
	}
	return nil
}

// ErrOther says that a file is of another sweep, or of none.
var ErrOther = errors.New("is of another sweep")

// Resume reads what an interrupted sweep has left of some cells. A last line
// that was torn is passed over; what belongs to another sweep is [ErrOther].
func (p *Plan) Resume(text string, mine []int) (Lines, error) {
	lines := Lines{}
	wanted := map[int]bool{}
	for _, cell := range mine {
		wanted[cell] = true
	}
	body, same := strings.CutPrefix(text, p.header())
	if !same && text != "" {
		return nil, ErrOther
	}
	fields := strings.Count(p.header(), ",")
	for line := range strings.Lines(body) {
		if !strings.HasSuffix(line, "\n") || strings.Count(line, ",") != fields {
			continue // torn when the power went
		}
		id, cell, err := splitLine(line)
		if err != nil {
			return nil, err
		}
		if id != p.id {
			return nil, fmt.Errorf("%w (%s, not %s)", ErrOther, id, p.id)
		}
		if wanted[cell] {
			lines[cell] = line
		}
	}
	return lines, nil
}
