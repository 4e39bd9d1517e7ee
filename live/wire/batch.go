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

// File is the name of a file of a job, as far as it is known: that of its element, and
// before it was handed on its number in the batch system, are left open.
func File(j *v1.Job, pattern string, rank int) string {
	name := dispatch.Path(pattern, j.ID, rank, j.Name)
	if j.Batch == "" {
		return name
	}
	return task.FillPattern(name, task.BatchLetter, j.Batch)
}
