package v1

// Notice is a change that somebody may be waiting for.
type Notice struct {
	Seq    int64      `json:"seq"`
	AtUS   int64      `json:"at_us"`
	Kind   string     `json:"kind"` // job, price, node, account
	Owner  string     `json:"owner,omitempty"`
	Job    *JobNotice `json:"job,omitempty"`
	Prices *Prices    `json:"prices,omitempty"`
	Node   string     `json:"node,omitempty"`
}

// IsPlace reports whether its number is one after which who was away can go on. What follows from no notice of the
// market's, to somebody who has heard none, has none.
func (n *Notice) IsPlace() bool { return n.Seq > 0 || n.Kind == NoticeLost }

// NoticeLost is the kind of the notice that says that some before it are gone:
// who wants to know what happened has to look again.
const NoticeLost = "lost"

// JobNotice is what changed of a job.
type JobNotice struct {
	ID      int64   `json:"id"`
	State   State   `json:"state"`
	Share   float64 `json:"share"`
	Work    int64   `json:"work_ms"`
	Price   int64   `json:"price_micros"`
	Penalty int64   `json:"penalty_micros"`

	Starting  bool `json:"starting,omitempty"`  // as in Job
	Suspended bool `json:"suspended,omitempty"` // as in Job
}

// Notice is what those are told who follow, of the job as it stands.
func (j *Job) Notice() *JobNotice {
	return &JobNotice{ID: j.ID, State: j.State, Share: j.Share, Work: j.Work, Price: j.Price, Penalty: j.Penalty, Starting: j.Starting, Suspended: j.Suspended}
}
