package sweep

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Merge puts the parts of a sweep together. The zero value has none yet.
type Merge struct {
	header string
	id     string
	lines  Lines
	from   map[int]string // the file of each line
}

// Write writes the whole sweep, if no run of it is missing.
func (m *Merge) Write(out io.Writer) error {
	if err := m.complete(); err != nil {
		return err
	}
	return write(out, m.header, m.lines)
}

// Add takes in a part; its name is for messages.
func (m *Merge) Add(part, text string) error {
	if m.lines == nil {
		m.lines, m.from = Lines{}, map[int]string{}
	}
	header, body, _ := strings.Cut(text, "\n")
	header += "\n"
	switch {
	case !strings.HasPrefix(header, headerStart):
		return fmt.Errorf("not written by libra sweep (its first line should begin with %s)", headerStart)
	case m.header != "" && m.header != header:
		return errors.New("of another sweep: it has other columns")
	}
	m.header = header
	n := 1
	for line := range strings.Lines(body) {
		n++
		if !strings.HasSuffix(line, "\n") || strings.Count(line, ",") != strings.Count(header, ",") {
			return fmt.Errorf("line %d: cut off; run this part again", n)
		}
		id, cell, err := splitLine(line)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if m.id != "" && m.id != id {
			return fmt.Errorf("line %d: of another sweep (%s, not %s)", n, id, m.id)
		}
		m.id = id
		if old, there := m.lines[cell]; there && old != line {
			return fmt.Errorf("line %d: run %d is not what %s has for it", n, cell, m.from[cell])
		}
		m.lines[cell], m.from[cell] = line, part
	}
	return nil
}

// complete makes sure that no run is missing. The name of a sweep says how
// many there are.
func (m *Merge) complete() error {
	_, text, _ := strings.Cut(m.id, "-")
	total, err := strconv.Atoi(text)
	if m.id != "" && err != nil {
		return fmt.Errorf("%q is not the name of a sweep", m.id)
	}
	missing := []string{}
	for cell := range total {
		if m.lines[cell] == "" {
			missing = append(missing, strconv.Itoa(cell))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	shown := strings.Join(missing[:min(5, len(missing))], ", ")
	return fmt.Errorf("%d of %d runs are missing (the first: %s): is there a part that was not given?", len(missing), total, shown)
}

// splitLine gives the sweep of a line and the number of its run.
func splitLine(line string) (id string, cell int, err error) {
	parts := strings.SplitN(line, ",", 3)
	if len(parts) < 3 {
		return "", 0, fmt.Errorf("%q is not a line of a sweep", strings.TrimSpace(line))
	}
	if cell, err = strconv.Atoi(parts[1]); err != nil || cell < 0 {
		return "", 0, fmt.Errorf("%q is not the number of a run", parts[1])
	}
	return parts[0], cell, nil
}
