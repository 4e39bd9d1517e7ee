package v1

// TaskState says where a task is in its life.
type TaskState string

// The states of a task.
const (
	TaskStarting TaskState = "starting"
	TaskRunning  TaskState = "running"
	TaskFrozen   TaskState = "frozen"
	TaskEnded    TaskState = "ended"   // Exit or Signal says how
	TaskRefused  TaskState = "refused" // it never began: nothing of its program ran; Error says why
	TaskLost     TaskState = "lost"    // it ran, and how it ended is not known
)

// Final reports whether nothing more will happen to the task.
func (s TaskState) Final() bool { return s == TaskEnded || s == TaskRefused || s == TaskLost }

// TaskStatus is how one task of a job stands: a program on one processor, or on as
// many of one node as it has threads.
type TaskStatus struct {
	Job     int64 `json:"job"`
	Rank    int   `json:"rank"`
	Attempt int   `json:"attempt"` // a job that loses its node starts again, and that is another

	State      TaskState     `json:"state"`
	Exit       int           `json:"exit"`             // exit code, if it exited
	Signal     string        `json:"signal,omitempty"` // "SIGKILL", if a signal ended it
	OOM        bool          `json:"oom,omitempty"`    // the memory limit ended it
	Error      string        `json:"error,omitempty"`
	Limit      Limit         `json:"limit,omitempty"`     // of its own, that ended it; Error says it in words
	Cancelled  bool          `json:"cancelled,omitempty"` // whoever it is of ended it in the batch system, without asking the market
	CPUUS      int64         `json:"cpu_us"`              // processor time used
	DeclinedUS int64         `json:"declined_us"`         // processor time that was its for the taking and that it did not want
	PeakBytes  int64         `json:"peak_bytes"`
	StartedUS  int64         `json:"started_us"` // unix
	EndedUS    int64         `json:"ended_us"`   // unix
	Elements   []TaskElement `json:"elements,omitempty"`
	Batch      string        `json:"batch,omitempty"`   // of the order that this is about
	BornUS     int64         `json:"born_us,omitempty"` // when it was put on processors, as its node says it: another one is another task
	Low        bool          `json:"low,omitempty"`     // it has little left of what was sold to it, or stands still

	// Of a task that has ended, as its node says it, by a clock that nobody can set:
	// how long it ran, and how long ago it ended. The market makes StartedUS and
	// EndedUS of them.
	RanUS int64 `json:"ran_us,omitempty"`
	AgoUS int64 `json:"ago_us,omitempty"`

	// Of a task with an optional part: which one it is with, or was at its end,
	// and what the mandatory part had until it was done, of CPUUS and DeclinedUS.
	Part                Part  `json:"part,omitempty"`
	MandatoryCPUUS      int64 `json:"mandatory_cpu_us,omitempty"`
	MandatoryDeclinedUS int64 `json:"mandatory_declined_us,omitempty"`

	// When that was; its node says how long ago, and the market makes MandatoryUS of it.
	MandatoryUS    int64 `json:"mandatory_us,omitempty"` // unix
	MandatoryAgoUS int64 `json:"mandatory_ago_us,omitempty"`
}

// Limit is a limit of a task that it has come to.
type Limit string

// The limits by which a node ends a task.
const (
	LimitMemory Limit = "memory"
	LimitOutput Limit = "output" // what it wrote to its output files
	LimitDisk   Limit = "disk"   // what it has on disk
	LimitTime   Limit = "time"   // how long the batch system lets it run
)

// Part is one of the two parts of a job that has two.
type Part string

// The parts.
const (
	MandatoryPart Part = "mandatory"
	OptionalPart  Part = "optional" // the mandatory one is done
)

// TaskElement is how one element of an array ended; of one that runs EndedUS is 0.
type TaskElement struct {
	Index  int    `json:"index"`
	Exit   int    `json:"exit"`
	Signal string `json:"signal,omitempty"`
	Error  string `json:"error,omitempty"` // why it never began

	// By the clock of its node, unix; nothing is owed by them.
	StartedUS int64 `json:"started_us,omitempty"`
	EndedUS   int64 `json:"ended_us,omitempty"`
}

// Chunk is a piece of what a task has written.
type Chunk struct {
	Offset int64  `json:"offset"` // of the first byte of Data
	Size   int64  `json:"size"`   // of the file
	Data   []byte `json:"data"`
	Error  string `json:"error,omitempty"`
}

// PeakMB is the most memory that the task had, in megabytes begun.
func (s *TaskStatus) PeakMB() int64 { return (s.PeakBytes + 1<<20 - 1) >> 20 }
