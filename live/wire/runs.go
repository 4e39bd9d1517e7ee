package wire

import (
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/estimate"
)

// RunsOf asks for those of somebody's jobs that say how long a program of a name runs:
// as many as are looked at for an estimate. A terminal and a page propose the same
// because they ask this.
func RunsOf(user, name string) v1.JobQuery {
	const most = 500
	return v1.JobQuery{Owner: user, Name: name, States: []v1.State{v1.Completed}, Limit: most}
}

// Runs are the runs of a program among jobs: of its name alone, where a query finds
// parts of names too, and not of arrays, of which each element is a run.
func Runs(jobs []v1.Job, name string) []estimate.Run {
	var runs []estimate.Run
	for i := range jobs {
		if j := &jobs[i]; j.Name == name && j.Work > 0 && j.Request.Array == nil {
			runs = append(runs, estimate.Run{Width: j.Width, WorkMS: j.Work})
		}
	}
	return runs
}
