package client

import (
	"strconv"
	"strings"
)

// first is the generation up to v0.0.38: options as sbatch has them. It is not told the
// command: a slurmrestd of 22.05 that gets an argv, which its schema has, dies.
type first struct{}

type firstSubmission struct {
	Job    firstJob `json:"job"`
	Script string   `json:"script"`
}

type firstJob struct {
	Name        string            `json:"name"`
	Comment     string            `json:"comment,omitempty"`
	Partition   string            `json:"partition"`
	QOS         string            `json:"qos,omitempty"`
	Nodes       int               `json:"nodes"`
	Nodelist    string            `json:"nodelist,omitempty"` // it works, though the schema does not have it
	Tasks       int               `json:"tasks"`
	PerTask     int               `json:"cpus_per_task,omitempty"`
	PerNode     int               `json:"minimum_cpus_per_node"`
	Memory      int64             `json:"memory_per_node,omitempty"`
	MemoryEach  int64             `json:"memory_per_cpu,omitempty"`
	Gres        string            `json:"gres,omitempty"`
	GPUs        string            `json:"gpus,omitempty"`
	Limit       int64             `json:"time_limit,omitempty"`
	Hold        bool              `json:"hold"`
	NoRequeue   bool              `json:"no_requeue"` // "requeue": false has no effect
	Dir         string            `json:"current_working_directory"`
	Output      string            `json:"standard_output"`
	Error       string            `json:"standard_error,omitempty"`
	OpenMode    string            `json:"open_mode"`
	Environment map[string]string `json:"environment"`
}

func (first) submission(s *Submission, env []string) any {
	named := map[string]string{}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		named[name] = value
	}
	return firstSubmission{
		Job: firstJob{
			Name: s.Name, Comment: s.Comment, Partition: s.Partition, QOS: s.QOS,
			Nodes: s.nodes(), Nodelist: strings.Join(s.Nodes, ","), Tasks: s.tasks(), PerTask: several(s.perTask()), PerNode: s.CPUs,
			Memory: s.MemoryMB, MemoryEach: s.MemoryEachMB, Gres: prefixed("gpu:", s.GPUs), GPUs: s.AllGPUs, Limit: s.minutes(), Hold: true, NoRequeue: true,
			Dir: s.Dir, Output: s.Output, Error: s.Error, OpenMode: "append", Environment: named,
		},
		Script: s.Script,
	}
}

func (first) release(nodes []string) any {
	return map[string]any{"nodelist": strings.Join(nodes, ","), "hold": false}
}

// second is the generation from v0.0.40 on: Slurm's own structures, with numbers
// that say whether they are set.
type second struct{}

type secondSubmission struct {
	Job secondJob `json:"job"`
}

type secondJob struct {
	Name        string     `json:"name"`
	Comment     string     `json:"comment,omitempty"`
	Partition   string     `json:"partition"`
	QOS         string     `json:"qos,omitempty"`
	Nodes       string     `json:"nodes"`
	Required    []string   `json:"required_nodes,omitempty"`
	Tasks       int        `json:"tasks"`
	PerTask     int        `json:"cpus_per_task,omitempty"`
	PerNode     int        `json:"minimum_cpus_per_node"`
	Memory      *setNumber `json:"memory_per_node,omitempty"`
	MemoryEach  *setNumber `json:"memory_per_cpu,omitempty"`
	GPUsNode    string     `json:"tres_per_node,omitempty"`
	GPUsJob     string     `json:"tres_per_job,omitempty"`
	Limit       *setNumber `json:"time_limit,omitempty"`
	Hold        bool       `json:"hold"`
	Requeue     bool       `json:"requeue"`
	Dir         string     `json:"current_working_directory"`
	Output      string     `json:"standard_output"`
	Error       string     `json:"standard_error,omitempty"`
	OpenMode    []string   `json:"open_mode"`
	Argv        []string   `json:"argv,omitempty"`
	Environment []string   `json:"environment"`
	Script      string     `json:"script"`
}

type setNumber struct {
	Set      bool  `json:"set"`
	Infinite bool  `json:"infinite"`
	Number   int64 `json:"number"`
}

func isSet(n int64) *setNumber {
	if n == 0 {
		return nil
	}
	return &setNumber{Set: true, Number: n}
}

func (second) submission(s *Submission, env []string) any {
	return secondSubmission{Job: secondJob{
		Name: s.Name, Comment: s.Comment, Partition: s.Partition, QOS: s.QOS,
		Nodes: strconv.Itoa(s.nodes()), Required: s.Nodes, Tasks: s.tasks(), PerTask: several(s.perTask()), PerNode: s.CPUs,
		Memory: isSet(s.MemoryMB), MemoryEach: isSet(s.MemoryEachMB), GPUsNode: prefixed("gres/gpu:", s.GPUs), GPUsJob: prefixed("gres/gpu:", s.AllGPUs), Limit: isSet(s.minutes()), Hold: true, Requeue: false,
		Dir: s.Dir, Output: s.Output, Error: s.Error, OpenMode: []string{"APPEND"}, Argv: s.Command, Environment: env, Script: s.Script,
	}}
}

func (second) release(nodes []string) any {
	return map[string]any{"required_nodes": nodes, "hold": false}
}

// prefixed is a text after another one, or nothing.
func prefixed(with, text string) string {
	if text == "" {
		return ""
	}
	return with + text
}

// several is a number that is said where it is not one.
func several(n int) int {
	if n == 1 {
		return 0
	}
	return n
}
