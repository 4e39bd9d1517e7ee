package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

func newSweepMerge(con *console) *cobra.Command {
	out, page := "", ""
	cmd := &cobra.Command{
		Use:   "merge --out FILE.csv PART.csv...",
		Short: "Put the parts of a sweep together",
		Long: `Put together what libra sweep --shard wrote: the file is byte for byte what a single
run would have written. Parts of different sweeps, and parts that are missing, are
mistakes.`,
		Example: "  libra sweep merge --out all.csv part-1.csv part-2.csv part-3.csv",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("PART is missing: the files that libra sweep --shard wrote")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return usagef("--out is missing: a .csv file, or - for standard output")
			}
			if page != "" && out == "-" {
				return usagef("--page: needs a file in --out")
			}
			if err := runSweepMerge(con, out, args); err != nil {
				return err
			}
			return con.drawSweep(out, page)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "write to a CSV `file`; - is standard output")
	cmd.Flags().StringVar(&page, "page", "", "also write an HTML `file` with a drawing of every measure")
	return cmd
}

// merged is what has been read of the parts.
type merged struct {
	header string
	id     string
	lines  map[int]string
	from   map[int]string // the file of each line
}

func runSweepMerge(con *console, out string, parts []string) error {
	m := &merged{lines: map[int]string{}, from: map[int]string{}}
	for _, part := range parts {
		if err := m.read(part); err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
	}
	if err := m.complete(); err != nil {
		return err
	}
	return con.writeOutput(out, func(to io.Writer) error {
		if _, err := io.WriteString(to, m.header); err != nil {
			return err
		}
		return writeRuns(to, m.lines)
	})
}

func (m *merged) read(part string) error {
	text, err := os.ReadFile(part)
	if err != nil {
		return err
	}
	header, body, _ := strings.Cut(string(text), "\n")
	header += "\n"
	switch {
	case !strings.HasPrefix(header, sweepStart):
		return fmt.Errorf("not written by libra sweep (its first line should begin with %s)", sweepStart)
	case m.header != "" && m.header != header:
		return fmt.Errorf("of another sweep: it has other columns")
	}
	m.header = header
	n := 1
	for line := range strings.Lines(body) {
		n++
		if !strings.HasSuffix(line, "\n") || strings.Count(line, ",") != strings.Count(header, ",") {
			return fmt.Errorf("line %d: cut off; run this part again", n)
		}
		id, cell, err := splitSweepLine(line)
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
func (m *merged) complete() error {
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

// splitSweepLine gives the sweep of a line and the number of its run.
func splitSweepLine(line string) (id string, cell int, err error) {
	parts := strings.SplitN(line, ",", 3)
	if len(parts) < 3 {
		return "", 0, fmt.Errorf("%q is not a line of a sweep", strings.TrimSpace(line))
	}
	if cell, err = strconv.Atoi(parts[1]); err != nil || cell < 0 {
		return "", 0, fmt.Errorf("%q is not the number of a run", parts[1])
	}
	return parts[0], cell, nil
}

func writeRuns(out io.Writer, lines map[int]string) error {
	for _, cell := range slices.Sorted(maps.Keys(lines)) {
		if _, err := io.WriteString(out, lines[cell]); err != nil {
			return err
		}
	}
	return nil
}
