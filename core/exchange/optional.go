package exchange

import "github.com/libra-market/libra/core/underway"

// optionalDue is how much of its optional part a job has executed, on all its
// processors, in milliseconds: by what commands have said.
func (x *assessor) optionalDue(j *underway.Job) int64 {
	return x.optionalBy(j, func(r *underway.Rank) int64 { return r.RefinedUS })
}

// optionalNow is the same by all that was heard, for those who look.
func (x *assessor) optionalNow(j *underway.Job) int64 {
	granted := x.rulesOf(j).Granted()
	return x.optionalBy(j, func(r *underway.Rank) int64 {
		if granted {
			return max(r.RefinedUS, r.Since(r.SaidUS))
		}
		return max(r.RefinedUS, r.CPUSeenUS()-r.TookUS)
	})
}

func (x *assessor) optionalBy(j *underway.Job, refined func(*underway.Rank) int64) (ms int64) {
	if j.Request.Optional == nil {
		return 0
	}
	for i := range j.Ranks {
		r := &j.Ranks[i]
		ms += r.OptionalMS(refined(r), x.nodes.At(r.Node).Speed, j.Request.Optional.WorkMS)
	}
	return ms
}
