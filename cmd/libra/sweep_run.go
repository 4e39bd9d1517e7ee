package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/libra-market/libra/lab/experiment"
	"github.com/libra-market/libra/lab/report"
)

// sweepMeasures are the columns of a sweep after its parameters. There is none for
// the time a run took: the same sweep must give the same bytes.
var sweepMeasures = []struct {
	name  string
	value func(*report.Summary) float64
}{
	{"jobs", func(s *report.Summary) float64 { return float64(s.Jobs) }},
	{"accepted", func(s *report.Summary) float64 { return float64(s.Accepted) }},
	{"rejected", func(s *report.Summary) float64 { return float64(s.Rejected) }},
	{"completed", func(s *report.Summary) float64 { return float64(s.Completed) }},
	{"expired", func(s *report.Summary) float64 { return float64(s.Expired) }},
	{"met_deadline", func(s *report.Summary) float64 { return float64(s.MetDeadline) }},
	{"qos_satisfaction", func(s *report.Summary) float64 { return s.QoSSatisfaction }},
	{"profitability", func(s *report.Summary) float64 { return s.Profitability }},
	{"utility", func(s *report.Summary) float64 { return s.Utility }},
	{"revenue", func(s *report.Summary) float64 { return s.Revenue }},
	{"makespan", func(s *report.Summary) float64 { return s.Makespan }},
	{"utilization", func(s *report.Summary) float64 { return s.Utilization }},
	{"mean_wait", func(s *report.Summary) float64 { return s.MeanWait }},
	{"mean_slowdown", func(s *report.Summary) float64 { return s.MeanSlowdown }},
}

// sweepStart is how the header of every sweep begins: merge goes by these two
// columns alone.
const sweepStart = "sweep,cell,"

func (s *sweep) header() string {
	columns := append([]string{"policy"}, s.names...)
	columns = append(columns, "seed")
	for _, m := range sweepMeasures {
		columns = append(columns, m.name)
	}
	return sweepStart + strings.Join(columns, ",") + "\n"
}

// line is a run in the CSV. Nothing in it needs quotes: names and values come
// from lists that are taken apart at commas.
func (s *sweep) line(cell int, summary *report.Summary) string {
	columns := []string{s.id, strconv.Itoa(cell), s.cells[cell].Policy}
	columns = append(columns, s.labels[cell]...)
	columns = append(columns, strconv.FormatUint(s.cells[cell].Jobs.Seed, 10))
	for _, m := range sweepMeasures {
		columns = append(columns, strconv.FormatFloat(m.value(summary), 'f', -1, 64))
	}
	return strings.Join(columns, ",") + "\n"
}

// run makes the runs of some cells, in any order, and keeps each line.
func (s *sweep) run(ctx context.Context, con *console, cells []int, keep func(cell int, line string) error) error {
	bars := &stageBars{con: con}
	defer bars.finish()
	lab := &experiment.Lab{Progress: bars.tell}
	todo := make([]experiment.Cell, len(cells))
	for i, cell := range cells {
		todo[i] = s.cells[cell]
	}
	return lab.Stream(ctx, "sweep", todo, func(i int, summary *report.Summary) error {
		return keep(cells[i], s.line(cells[i], summary))
	})
}

// write gives the whole file: the header and the lines in the order of cells.
func (s *sweep) write(lines map[int]string) func(io.Writer) error {
	return func(out io.Writer) error {
		if _, err := io.WriteString(out, s.header()); err != nil {
			return err
		}
		return writeRuns(out, lines)
	}
}

// runInto makes the runs that a file does not have yet. Every line is kept at
// once beside it, so that nothing is lost when the sweep is interrupted.
func (s *sweep) runInto(ctx context.Context, con *console, mine []int, opts sweepOptions) (resumed int, err error) {
	part := opts.out + ".part"
	lines := map[int]string{}
	if !opts.fresh {
		if lines, err = s.resume(part, mine); err != nil {
			return 0, err
		}
	}
	var todo []int
	for _, cell := range mine {
		if lines[cell] == "" {
			todo = append(todo, cell)
		}
	}
	resumed = len(mine) - len(todo)
	if err = con.writeOutput(part, s.write(lines)); err != nil { // without what was torn
		return 0, err
	}
	journal, err := os.OpenFile(part, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return 0, err
	}
	err = s.run(ctx, con, todo, func(cell int, line string) error {
		lines[cell] = line
		_, torn := journal.WriteString(line)
		return torn
	})
	if err = errors.Join(err, journal.Close()); err != nil {
		return 0, err
	}
	if err := con.writeOutput(opts.out, s.write(lines)); err != nil {
		return 0, err
	}
	return resumed, os.Remove(part)
}

// resume reads what an interrupted sweep has left. What belongs to another
// sweep is not thrown away without being asked.
func (s *sweep) resume(part string, mine []int) (map[int]string, error) {
	lines := map[int]string{}
	text, err := os.ReadFile(part)
	if errors.Is(err, fs.ErrNotExist) {
		return lines, nil
	}
	if err != nil {
		return nil, err
	}
	wanted := map[int]bool{}
	for _, cell := range mine {
		wanted[cell] = true
	}
	body, same := strings.CutPrefix(string(text), s.header())
	if !same && len(text) > 0 {
		return nil, fmt.Errorf("%s: is of another sweep; finish that one, remove the file, or give --fresh", part)
	}
	fields := strings.Count(s.header(), ",")
	for line := range strings.Lines(body) {
		if !strings.HasSuffix(line, "\n") || strings.Count(line, ",") != fields {
			continue // torn when the power went
		}
		id, cell, err := splitSweepLine(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part, err)
		}
		if id != s.id {
			return nil, fmt.Errorf("%s: is of another sweep (%s, not %s); finish that one, remove the file, or give --fresh", part, id, s.id)
		}
		if wanted[cell] {
			lines[cell] = line
		}
	}
	return lines, nil
}
