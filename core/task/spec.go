package task

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Key names one run of one task: a program of a job, on one processor or as many
// of one node as it has threads. A job that loses its node starts again, and that is another attempt.
type Key struct {
	Job     int64 `json:"job"`
	Rank    int   `json:"rank"`
	Attempt int   `json:"attempt"`
}

// String is the name of the task's files and groups: "12.0.1".
func (k Key) String() string { return fmt.Sprintf("%d.%d.%d", k.Job, k.Rank, k.Attempt) }

// Compare orders tasks by job, rank and attempt.
func (k Key) Compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Job, o.Job), cmp.Compare(k.Rank, o.Rank), cmp.Compare(k.Attempt, o.Attempt))
}

// ParseKey reads what String wrote.
func ParseKey(text string) (Key, error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return Key{}, fmt.Errorf("%q is not the name of a task (want job.rank.attempt)", text)
	}
	job, err := strconv.ParseInt(parts[0], 10, 64)
	rank, err2 := strconv.Atoi(parts[1])
	attempt, err3 := strconv.Atoi(parts[2])
	if k := (Key{Job: job, Rank: rank, Attempt: attempt}); err == nil && err2 == nil && err3 == nil && k.String() == text {
		return k, nil
	}
	return Key{}, fmt.Errorf("%q is not the name of a task (want job.rank.attempt)", text)
}

// Spec is what to run. It never changes during a task's life.
type Spec struct {
	Key

	Size     int      `json:"size"`                 // tasks of the job
	Threads  int      `json:"threads,omitempty"`    // processors of this task; 0: one
	Nodes    []string `json:"nodes"`                // the node of each rank
	Name     string   `json:"name"`                 // of the job
	User     string   `json:"user"`                 // unix user it runs as
	Argv     []string `json:"argv,omitempty"`       // the program; or
	Script   []byte   `json:"script,omitempty"`     // a script, its arguments in Argv
	Dir      string   `json:"dir"`                  // working directory, absolute
	Env      []string `json:"env,omitempty"`        // NAME=value
	Output   string   `json:"output"`               // file for standard output, absolute or relative to Dir
	Error    string   `json:"error"`                // file for standard error; equal to Output: one file for both
	Memory   int64    `json:"memory_bytes"`         // limit; 0: none
	Disk     int64    `json:"disk_bytes,omitempty"` // that it asked for; 0: it did not say
	GPUs     int      `json:"gpus,omitempty"`       // that it holds as long as it runs
	GPUKind  string   `json:"gpu_kind,omitempty"`   // of that kind; empty: any
	Span     *Span    `json:"span,omitempty"`       // of an array: the indexes this task runs, one after the other
	Elements []int    `json:"elements,omitempty"`   // the same one by one, where there is no rule and in the words of the first version; nil where there is a span
	GraceMS  int64    `json:"grace_ms"`             // between SIGTERM and SIGKILL
	Once     bool     `json:"once,omitempty"`       // by a batch system it is started once, on the first node, for all ranks
	Within   string   `json:"within,omitempty"`     // the reservation of the batch system that it is in; empty: in none
	QOS      string   `json:"qos,omitempty"`        // of the batch system, under which it runs there; empty: its user's usual one
	DueUS    int64    `json:"due_us,omitempty"`     // when its job is to have ended; 0: it may take as long as it does

	// BornUS is when this attempt was put on processors; of versions before, when its job was
	// submitted. A store that was put back to what it was gives numbers out again, of jobs and
	// of attempts: by this the task is told from another of the same name. 0: of a controller
	// that does not say.
	BornUS int64 `json:"born_us,omitempty"`

	Optional *Optional `json:"optional,omitempty"` // what may follow when the rest is done; nil: nothing
}

// Other reports whether two tasks of one name are of different jobs or attempts, by when
// those began, as far as both are known.
func Other(bornUS, thanUS int64) bool { return bornUS != 0 && thanUS != 0 && bornUS != thanUS }

// Processors is how many processors the task has.
func (s *Spec) Processors() int { return max(1, s.Threads) }

// Optional is the optional part of a task: it adds to a result that is good
// already, and may be cut short at any time.
type Optional struct {
	// Argv is a program of its own, started when the other has ended well. Empty:
	// the program goes on, and says itself when its mandatory part is done.
	Argv []string `json:"argv,omitempty"`
}
