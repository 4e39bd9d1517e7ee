package trade

// Begin lets a job begin that its user held back.
type Begin struct {
	Job int64 `json:"job"`
}

// Later reports whether a request is not to begin now, whatever it waits for.
func (r *Request) Later() bool { return r.BeginMS > 0 || r.Hold }

// AtOnce is the request without that.
func (r *Request) AtOnce() Request {
	now := *r
	now.BeginMS, now.Hold = 0, false
	return now
}
