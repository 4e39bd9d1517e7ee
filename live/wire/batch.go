package wire

import (
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/task"
)

// Batch is what a batch system calls a job, by what was said of the tasks that ended.
func Batch(j *v1.Job) string {
	for i := range j.Tasks {
		if number := j.Tasks[i].Batch; number != "" {
			return number
		}
	}
	return ""
}

// Begun is when the batch system began a job that has ended, as its tasks say; 0: it did not.
func Begun(j *v1.Job) (us int64) {
	for i := range j.Tasks {
		t := &j.Tasks[i]
		if t.Batch != "" && t.State != v1.TaskRefused && t.StartedUS > 0 && (us == 0 || t.StartedUS < us) {
			us = t.StartedUS
		}
	}
	return us
}

// File is the name of a file of a job, as far as it is known: that of its element, and
// before it was handed on its number in the batch system, are left open.
func File(j *v1.Job, pattern string, rank int) string {
	name := dispatch.Path(pattern, j.ID, rank, j.Name)
	if j.Batch == "" {
		return name
	}
	return task.FillPattern(name, task.BatchLetter, j.Batch)
}
