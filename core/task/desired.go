package task

// Desired is all that a node should be doing. A task that is not in it and has
// not ended must not run.
type Desired struct {
	Version int64   `json:"version"` // grows with every change
	Orders  []Order `json:"orders"`
	Tails   []Tail  `json:"tails,omitempty"`

	// Named are orders of further tasks, of which it was not heard yet what they
	// run. For those that are here already they are orders like any other; no
	// other is started. They are not sent: whoever asks for programs piece by
	// piece has them until all are there.
	Named []Share `json:"-"`

	// LeaseMS is how long the agent may go on without hearing from the
	// controller; then it stops what it runs, because the controller will
	// start it elsewhere. 0: for ever.
	LeaseMS int64 `json:"lease_ms"`
	// ReportMS is how often the controller wants to hear.
	ReportMS int64 `json:"report_ms"`
	// Leader is who says so; older controllers do not tell.
	Leader *Leader `json:"leader,omitempty"`
}

// Order is what should be so for one task.
type Order struct {
	Spec Spec `json:"spec"`
	// CPU is the share of one processor of this node, or the sum of shares of as
	// many as the task has threads: processor time a second. 0: the task is frozen.
	CPU float64 `json:"cpu"`
	// Weight is for time that nobody has claimed: it goes in proportion.
	Weight float64 `json:"weight"`
	// Processor is the node's processor, from 0, that the task is pinned to.
	Processor int `json:"processor"`
	// More are the processors of its other threads.
	More []int `json:"more,omitempty"`
	// MostUS is how much processor time the task may have in this attempt, used or
	// declined, until the agent is told otherwise: what was sold to it. When it has
	// had that it stands still, whether or not anybody can be asked. 0: no limit.
	MostUS int64 `json:"most_us,omitempty"`
	// Stop asks for the end of the task.
	Stop Stop `json:"stop,omitempty"`
	// Batch is the number of the job in the batch system that runs the task,
	// where one does: the agent then only holds it to its share.
	Batch string `json:"batch,omitempty"`
	// Members are the numbers there of those of its elements that run on this node, where
	// that is an array and each is a job of its own.
	Members []string `json:"members,omitempty"`
	// Over is of a task whose job the batch system has ended: what is left of it is ended, too.
	Over bool `json:"over,omitempty"`
}

// BatchLetter stands, after a percent sign in the name of a file, for the number of the job in the
// batch system that runs it.
const BatchLetter = 'b'

// NodePattern stands, in the name of a file, for the node that writes it: the name of its
// host without the domain, as Slurm has it.
const NodePattern = "%N"

// Stop says how a task is to be ended.
type Stop string

// The ways to end a task.
const (
	GoOn      Stop = ""
	Terminate Stop = "term" // SIGTERM, and SIGKILL when the grace is over
	Kill      Stop = "kill" // SIGKILL at once
	// Abandon is of a task that a batch system runs and has lost sight of: it will not
	// end what is left of it, so the agent does, before it begins anew elsewhere.
	Abandon Stop = "abandon"
)

// Tail asks for a piece of what a task has written.
type Tail struct {
	ID      string `json:"id"`
	Key     Key    `json:"key"`
	User    string `json:"user"`   // whose eyes to read it with
	Dir     string `json:"dir"`    // of the task
	File    string `json:"file"`   // Output or Error of its spec
	Offset  int64  `json:"offset"` // negative: so many bytes before the end
	Limit   int64  `json:"limit"`
	Element *int   `json:"element,omitempty"`
}

// Chunk answers a Tail.
type Chunk struct {
	Offset int64  `json:"offset"` // of the first byte of Data
	Size   int64  `json:"size"`   // of the file
	Data   []byte `json:"data"`
	Error  string `json:"error,omitempty"`
}
