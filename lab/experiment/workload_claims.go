package experiment

import (
	"fmt"
	"math"
)

// workloadStatements are what 000 and 001 state about their selection of the
// log: if these do not hold, the figures are about other jobs.
func workloadStatements(section string, jobs int, procs, gap, runtime float64) []statement {
	within := func(name string, got, want float64) verdict {
		return verdict{math.Abs(got-want) <= 0.5, fmt.Sprintf("%s %.2f", name, got)}
	}
	return []statement{
		{
			"workload", section, fmt.Sprintf("an average of %.0f processors", procs), fmt.Sprintf("%.0f to the last digit", procs),
			func(e evidence) verdict {
				_, _, got := e.trace.means(jobs)
				return within("mean", got, procs)
			},
		},
		{
			"workload", section, fmt.Sprintf("average inter arrival time of %.0f seconds", gap), fmt.Sprintf("%.0f s to the last digit", gap),
			func(e evidence) verdict {
				got, _, _ := e.trace.means(jobs)
				return within("mean", got, gap)
			},
		},
		{
			"workload", section, fmt.Sprintf("average runtime of %.0f seconds", runtime), fmt.Sprintf("%.0f s to the last digit", runtime),
			func(e evidence) verdict {
				_, got, _ := e.trace.means(jobs)
				return within("mean", got, runtime)
			},
		},
	}
}
