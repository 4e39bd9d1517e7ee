package oracle

import "math"

// sellGPUs plays the jobs with GPUs that are paid for beside the policy: what a job may
// owe for them, by the time for which it may hold them, is taken off its budget first;
// what it did hold is added to its cost. Under a time-shared policy it may hold them
// until its deadline, otherwise for its estimate.
func sellGPUs(jobs []Job, rows []Row, o Options) ([]Row, error) {
	price := func(j Job, held float64) float64 { return o.GPURate * float64(j.GPUs*j.Procs) * held }
	longest := func(j Job) float64 {
		if o.Policy == "fifo" {
			return j.Estimate
		}
		return math.Max(j.Estimate, j.Deadline)
	}
	var played []Job
	var places []int
	for i, j := range jobs {
		could := holding(o.GPUs, j) >= j.Procs
		most := price(j, longest(j))
		if could && j.GPUs > 0 && !affordable(most, j.Budget) {
			reject(&rows[i], noBudget)
			continue
		}
		if could && j.GPUs > 0 {
			j.Budget = math.Max(0, j.Budget-most)
		}
		played, places = append(played, j), append(places, i)
	}
	some := make([]Row, len(played))
	for i := range some {
		some[i] = rows[places[i]]
	}
	if err := play(played, some, o); err != nil {
		return nil, err
	}
	for i, r := range some {
		if j := jobs[places[i]]; r.Outcome == completed && j.GPUs > 0 {
			r.Cost += price(j, math.Min(longest(j), r.Finish-r.Start))
			r.Utility = utility(j, r.Finish)
		}
		rows[places[i]] = r
	}
	return rows, nil
}

// holding counts the nodes that have the GPUs of a job.
func holding(gpus []int, j Job) int {
	n := 0
	for _, have := range gpus {
		if have >= j.GPUs {
			n++
		}
	}
	return n
}
