package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/libra-market/libra/lab/experiment"
)

// Journal is where the lines of a sweep are kept while it runs, beside the file that
// they are for, so that nothing is lost when it is interrupted.
type Journal struct {
	Out   string // the file that the sweep is for
	Fresh bool   // what an interrupted one has left does not count
	// Write writes a file whole, or not at all.
	Write func(path string, write func(io.Writer) error) error
}

// Run makes the runs of these cells that are not in the journal yet, and writes the
// file. It says how many were there.
func (j *Journal) Run(ctx context.Context, plan *Plan, lab *experiment.Lab, cells []int) (resumed int, err error) {
	part := j.Out + ".part"
	lines := Lines{}
	if !j.Fresh {
		if lines, err = resume(plan, part, cells); err != nil {
			return 0, err
		}
	}
	var todo []int
	for _, cell := range cells {
		if lines[cell] == "" {
			todo = append(todo, cell)
		}
	}
	resumed = len(cells) - len(todo)
	all := func(to io.Writer) error { return plan.Write(to, lines) }
	if err = j.Write(part, all); err != nil { // without what was torn
		return 0, err
	}
	journal, err := os.OpenFile(part, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return 0, err
	}
	err = plan.Run(ctx, lab, todo, func(cell int, line string) error {
		lines[cell] = line
		_, torn := journal.WriteString(line)
		return torn
	})
	if err = errors.Join(err, journal.Close()); err != nil {
		return 0, err
	}
	if err := j.Write(j.Out, all); err != nil {
		return 0, err
	}
	return resumed, os.Remove(part)
}

// resume reads what an interrupted sweep has left. What belongs to another sweep is
// not thrown away without being asked.
func resume(plan *Plan, part string, cells []int) (Lines, error) {
	text, err := os.ReadFile(part)
	if errors.Is(err, fs.ErrNotExist) {
		return Lines{}, nil
	}
	if err != nil {
		return nil, err
	}
	lines, err := plan.Resume(string(text), cells)
	if errors.Is(err, ErrOther) {
		return nil, fmt.Errorf("%s: %w; finish that one, remove the file, or give --fresh", part, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", part, err)
	}
	return lines, nil
}
