package experiment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Paper is an evaluation that can be repeated.
type Paper struct {
	Name   string // on the command line: "libra-plus"
	Title  string
	Source string // authors and year
	Trace  bool   // it is about a log: Options.Trace
	// Run measures the figures and judges the statements.
	Run func(ctx context.Context, o Options) ([]Figure, []Claim, error)

	// rejudge judges figures again under a reading that is about which of their
	// lines is meant. A paper that has no such reading has none.
	rejudge func(r *Reading, figures []Figure) []Claim
}

// The names of the papers on the command line and in the claims.
const (
	nameLibra     = "libra"
	nameLibraPlus = "libra-plus"
	nameLibraSLA  = "libra-sla"
)

// papers in the order in which they are shown. A further paper is a file that
// defines its value, and a line here.
var papers = []Paper{libraPaper, libraPlusPaper, libraSLAPaper, icPaper, nistPaper}

// Papers lists all papers.
func Papers() []Paper { return slices.Clone(papers) }

// Options say how large a repetition is.
type Options struct {
	Trace   *Trace   // the log of 000 and 001
	Seeds   int      // runs of every point; 0: as many as each paper's figures usually get
	First   int      // of the seeds; 0: 1
	Quick   bool     // fewer seeds, to see everything in a minute
	Reading *Reading // nil: the usual one
	Bound   bool     // also draw what no policy could exceed
	Lab     *Lab
	Store   *Store // nil: nothing is kept
	Version string // of the program, for the report
	// Build tells one build of the program from another: figures that another
	// one measured are not used again.
	Build string

	aside bool // figures are for the claims of a reading alone: they are kept and not drawn
	brief bool // and whoever asked for them was in a hurry
}

// count is the number of seeds of a paper that usually has so many, and has
// fewer when it must be quick.
func (o Options) count(usual, quick int) int {
	enough := max(quick, min(usual/2, mostForReadings))
	switch {
	case o.aside && o.Seeds > 0:
		return min(o.Seeds, enough)
	case o.aside && !o.brief:
		return enough
	case o.Seeds > 0:
		return o.Seeds
	case o.Quick:
		return quick
	}
	return usual
}

// Figures gives some figures that belong together: as an earlier run with the
// same parameters left them, or measured now and kept. params is all that the
// figures hang on beside the trace and the build of the program; it is
// written as JSON to tell one set from another.
func (o Options) Figures(name string, params any, measure func() ([]Figure, error)) ([]Figure, error) {
	if o.Store == nil {
		return measure()
	}
	if o.aside {
		name = strings.Join([]string{"reading", cmp.Or(o.Reading.name(), "usual"), name}, "-")
	}
	key, err := o.key(name, params)
	if err != nil {
		return nil, err
	}
	publish := o.Store.publish
	if o.aside {
		publish = func([]Figure) error { return nil }
	}
	if figures, ok := o.Store.load(name, key); ok {
		return figures, publish(figures)
	}
	figures, err := measure()
	if err != nil {
		return nil, err
	}
	if err := o.Store.save(name, key, figures); err != nil {
		return nil, fmt.Errorf("keep figures %s: %w", name, err)
	}
	return figures, publish(figures)
}
