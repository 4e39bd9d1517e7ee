package underway

import "github.com/libra-market/libra/core/trade"

// timesEstimate is how many times its estimate a job is taken to last at most that has no
// deadline: it may share its processors.
const timesEstimate = 4

// Until is when a job that begins now is to be done at the latest; 0: it begins later, and
// nobody knows yet.
func Until(j *Job, nowUS int64) int64 {
	r := &j.Request
	switch {
	case j.SubmittedUS == 0 && r.Later(): // it is only asked what would be; one that was handed in begins
		return 0
	case j.DueUS > 0:
		return j.DueUS
	case r.DeadlineMS > 0:
		return nowUS + r.DeadlineMS*1000
	}
	return nowUS + min(trade.MaxMS, timesEstimate*r.EstimateMS)*1000
}
