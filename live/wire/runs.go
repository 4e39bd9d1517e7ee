package wire

import (
	"cmp"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/estimate"
)

// Habit is a user's own past: what they have run, and how long that took. A terminal and
// a page propose the same estimate because they ask this.
type Habit struct {
	User string
	List func(v1.JobQuery) ([]v1.Job, error)
}

// Guess proposes an estimate for what a request runs, and says of what the runs are that
// it is from.
func (h *Habit) Guess(r *v1.Request) (g estimate.Guess, of string, err error) {
	return h.guess(alike{estimate.Program(r.Argv, r.Script != "", r.Env), r.Name}, r.Procs())
}

// GuessOf is Guess for a program of that name, or for jobs of that name if nothing of it
// has run.
func (h *Habit) GuessOf(name string, procs int) (g estimate.Guess, err error) {
	if g, _, err = h.guess(alike{name, name}, max(1, procs)); err == nil && g.Runs == 0 {
		g, _, err = h.guess(alike{"", name}, max(1, procs))
	}
	return g, err
}

func (h *Habit) guess(as alike, procs int) (g estimate.Guess, of string, err error) {
	if of = cmp.Or(as.program, as.name); of == "" {
		return g, "", nil
	}
	const most = 500
	query := v1.JobQuery{Owner: h.User, States: []v1.State{v1.Completed}, Limit: most}
	jobs, err := h.List(query)
	runs := as.runs(jobs)
	if err == nil && len(runs) < estimate.Recent && len(jobs) == most { // older ones are found by the name that they have unless they were given another
		query.Name, query.Before = of, jobs[most-1].ID
		jobs, err = h.List(query)
		runs = append(runs, as.runs(jobs)...)
	}
	g, _ = estimate.Of(runs, procs, estimate.Sure)
	return g, of, err
}

// alike is of which jobs one is a run like the others: those that run the same program,
// and where that is not known of both, those of its name.
type alike struct{ program, name string }

// runs are the runs among jobs, without arrays, of which each element is one.
func (a alike) runs(jobs []v1.Job) []estimate.Run {
	var runs []estimate.Run
	for i := range jobs {
		j := &jobs[i]
		same := j.Program == a.program
		if j.Program == "" || a.program == "" {
			same = j.Name == a.name || j.Name == a.program
		}
		if same && j.Work > 0 && j.Request.Array == nil {
			runs = append(runs, estimate.Run{Width: j.Width, WorkMS: j.Work})
		}
	}
	return runs
}
