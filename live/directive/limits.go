package directive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/task"
)

// propagate reads which limits of who hands it in a job is to have, whatever Slurm's own
// settings say of them: ALL, NONE, or names with commas between them.
func (o *occurrence) propagate() error {
	names := strings.Split(strings.ToUpper(o.value), ",")
	switch {
	case o.value == "", names[0] == "ALL" && len(names) == 1:
		names = task.LimitNames
	case names[0] == "NONE" && len(names) == 1:
		names = nil
	}
	o.Asked, o.Propagate = true, nil
	for _, name := range names {
		if name = strings.TrimPrefix(name, "RLIMIT_"); !slices.Contains(task.LimitNames, name) {
			return fmt.Errorf("%q: want ALL, NONE, or some of %s", name, strings.Join(task.LimitNames, ", "))
		}
		o.Propagate = append(o.Propagate, name)
	}
	if !o.sbatch {
		o.note("limits are those of the node, unless libra sbatch hands it in")
	}
	return nil
}

// Limit says of a limit of who hands a job in how it goes along: as asked for (U), or as Slurm
// is set to pass it on.
func (h *Head) Limit(name string, value uint64) {
	switch {
	case !h.Asked:
		h.Request.Env = append(h.Request.Env, fmt.Sprintf("%s%s=%d", task.Limits, name, value))
	case slices.Contains(h.Propagate, name):
		h.Request.Env = append(h.Request.Env, fmt.Sprintf("%s%s=U%d", task.Limits, name, value))
	}
}
