package trade

import (
	"fmt"
	"slices"
)

// Follows are the jobs that one waits for, whatever has to come of them.
func (r *Request) Follows() []int64 { return slices.Concat(r.After, r.AfterAny, r.AfterFailed) }

// Broken says why a job that waits for another will not run, which has ended in a state;
// "": it may.
func (r *Request) Broken(id int64, ended State) string {
	switch {
	case ended != Completed && slices.Contains(r.After, id):
		return fmt.Sprintf("job %d, which it was to follow, is %s", id, ended)
	case ended == Completed && slices.Contains(r.AfterFailed, id):
		return fmt.Sprintf("job %d, which was to fail first, is %s", id, ended)
	}
	return ""
}
