package trade

// Begin lets a job begin that its user held back, or lets one in, in a market that is watched.
type Begin struct {
	Job int64 `json:"job"`
	Let bool  `json:"let,omitempty"` // those who know of limits outside have looked: nothing is in its way there
}

// Watch is what is said by those who know of limits that are not the market's.
type Watch struct {
	On   *bool   `json:"on,omitempty"`   // not nil: whether who has waited has to be let in from now on
	Kept []int64 `json:"kept,omitempty"` // jobs that are not let in yet
	Why  string  `json:"why,omitempty"`  // what these wait for, for people
}

// Later reports whether a request is not to begin now, whatever it waits for.
func (r *Request) Later() bool { return r.BeginMS > 0 || r.Hold }

// AtOnce is the request without that.
func (r *Request) AtOnce() Request {
	now := *r
	now.BeginMS, now.Hold = 0, false
	return now
}
