package experiment

import (
	"fmt"
	"math"
)

// selected is what a paper states about its selection of the log, and where.
type selected struct {
	section             string
	procs, gap, runtime float64
}

// workloadStatements are what 000 and 001 state about their selection of the
// log, each in its own words: if these do not hold, the figures are about other
// jobs.
func workloadStatements(jobs int, m selected, words [3]string) []statement {
	state := func(quote string, want float64, unit string, of func(gap, runtime, procs float64) float64) statement {
		return statement{"workload", m.section, quote, fmt.Sprintf("%.0f%s to the last digit", want, unit), func(e evidence) verdict {
			got := of(e.trace.means(jobs))
			return verdict{holds: math.Abs(got-want) <= 0.5, measured: fmt.Sprintf("mean %.2f", got)}
		}}
	}
	return []statement{
		state(words[0], m.procs, "", func(_, _, procs float64) float64 { return procs }),
		state(words[1], m.gap, " s", func(gap, _, _ float64) float64 { return gap }),
		state(words[2], m.runtime, " s", func(_, runtime, _ float64) float64 { return runtime }),
	}
}
