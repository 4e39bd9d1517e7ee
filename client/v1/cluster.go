package v1

// ClusterRecord is what a broker has seen of one of its clusters.
type ClusterRecord struct {
	Cluster string `json:"cluster"`

	Asked    int64 `json:"asked"`    // for a quote
	Answered int64 `json:"answered"` // in time, with a quote or a refusal
	Slow     int64 `json:"slow"`     // not in time
	Away     int64 `json:"away"`     // not at all
	Refused  int64 `json:"refused"`  // to quote, or to take a job on its own quote
	Won      int64 `json:"won"`      // jobs that were handed to it
	Kept     int64 `json:"kept"`     // firm promises
	Missed   int64 `json:"missed"`
	Lied     int64 `json:"lied"`

	Lies   int    `json:"lies_running"` // without a week between two of them
	Slows  int    `json:"slow_running"`
	LieUS  int64  `json:"lie_us,omitempty"`  // of the last one
	Lie    string `json:"lie,omitempty"`     // what it was
	OutUS  int64  `json:"out_us,omitempty"`  // left out until then
	OutFor string `json:"out_for,omitempty"` // why
	AwayUS int64  `json:"away_us,omitempty"` // nothing was heard of it since; 0: it is there
}

// ClusterList is all clusters of a broker, in the order of its file.
type ClusterList struct {
	Clusters []ClusterRecord `json:"clusters"`
}
