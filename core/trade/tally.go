package trade

// Count adds a job to a tally, all but its promise.
func (t *Tally) Count(j *Job) {
	t.Submitted++
	t.Offered += j.Offered()
	switch j.State {
	case Rejected:
		t.Rejected++
		t.Reasons[j.Reason]++
		return
	case Completed:
		t.Completed++
	case Failed:
		t.Failed++
	case Stopped:
		t.Stopped++
	case Lost:
		t.Lost++
	case Cancelled:
		t.Cancelled++
	case Expired:
		t.Expired++
	default:
		t.Underway++
	}
	t.Accepted++
	t.Revenue += j.Charged
	if j.State.Final() {
		t.Penalties += j.Penalty
		t.Used += j.Used()
	}
}

// Close adds up what was counted.
func (t *Tally) Close() {
	t.Net = t.Revenue - t.Penalties
	t.Income = t.Net + t.Rent
}

// CountPromise adds that a job was promised a time, which was by then: only what
// ran to its end, or was lost, has kept or broken it.
func (t *Tally) CountPromise(j *Job, byUS int64) {
	if j.State != Completed && j.State != Failed && j.State != Lost {
		return
	}
	t.Promised++
	if j.State != Lost && j.EndedUS <= byUS {
		t.Kept++
	} else {
		t.Missed++
	}
}

// InTimeBy is until when the end of a job is by its deadline: what was in time when it
// ended is. Jobs of before do not say.
func (j *Job) InTimeBy() int64 {
	if j.InTime {
		return max(j.DueUS, j.EndedUS)
	}
	return j.DueUS
}

// Offered is what a job has paid, or was ready to pay.
func (j *Job) Offered() int64 {
	switch {
	case j.State != Rejected:
	case j.Reason == ReasonFunds || j.Reason == ReasonLimit: // it had not what it offered
		return 0
	case j.Request.Budget != nil:
		return *j.Request.Budget
	}
	return max(j.Price, j.Charged)
}

// Used is the work of a job in processor-seconds, what was optional included.
func (j *Job) Used() float64 {
	return float64(j.Work)/1e3*float64(j.Width) + float64(j.OptionalMS)/1e3
}
