package task

// Changes is what differs in what a node should be doing from what its agent
// holds. Programs are named and not sent: an agent asks once for each that it
// does not have, since a task's Spec never changes.
type Changes struct {
	Version int64   `json:"version"`         // of the Desired that this leads to
	Mark    int64   `json:"mark"`            // names what the agent holds when it has made these changes
	Since   int64   `json:"since,omitempty"` // the mark that they lead on from; 0: from nothing, these are all
	Orders  []Share `json:"orders,omitempty"`
	Gone    []Key   `json:"gone,omitempty"`  // no longer wanted
	Tails   []Tail  `json:"tails,omitempty"` // all of them

	LeaseMS  int64 `json:"lease_ms"`
	ReportMS int64 `json:"report_ms"`

	Leader *Leader `json:"leader,omitempty"` // who says so; older controllers do not tell
}

// Share is an [Order] with the name of its task in place of the Spec.
type Share struct {
	Key

	CPU       float64 `json:"cpu"`
	Weight    float64 `json:"weight"`
	Processor int     `json:"processor"`
	More      []int   `json:"more,omitempty"`
	MostUS    int64   `json:"most_us,omitempty"`
	Stop      Stop    `json:"stop,omitempty"`
	Batch     string  `json:"batch,omitempty"`
	BornUS    int64   `json:"born_us,omitempty"` // of the Spec

	Members []string `json:"members,omitempty"`
	Over    bool     `json:"over,omitempty"`
}

// Share is the order without what its task runs.
func (o *Order) Share() Share {
	return Share{Key: o.Spec.Key, CPU: o.CPU, Weight: o.Weight, Processor: o.Processor, More: o.More, MostUS: o.MostUS, Stop: o.Stop, Batch: o.Batch, BornUS: o.Spec.BornUS, Members: o.Members, Over: o.Over}
}

// Order is the whole order of a task.
func (s *Share) Order(spec Spec) Order {
	return Order{Spec: spec, CPU: s.CPU, Weight: s.Weight, Processor: s.Processor, More: s.More, MostUS: s.MostUS, Stop: s.Stop, Batch: s.Batch, Members: s.Members, Over: s.Over}
}

// SpecRequest names tasks of which an agent does not know what they run.
type SpecRequest struct {
	Keys []Key `json:"keys"`
}

// Specs is what some of them run: as many as go into one answer, and none that
// the node should not run.
type Specs struct {
	Specs []Spec `json:"specs"`
}
