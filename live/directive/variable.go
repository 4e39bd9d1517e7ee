package directive

import (
	"fmt"
	"slices"
	"strings"
)

// variables are what other systems tell a job in its environment, and what it
// is called here.
var variables = []struct{ theirs, ours string }{
	{"SLURM_JOB_ID", "LIBRA_JOB_ID"},
	{"SLURM_JOBID", "LIBRA_JOB_ID"},
	{"SLURM_JOB_NAME", "LIBRA_JOB_NAME"},
	{"SLURM_ARRAY_JOB_ID", "LIBRA_JOB_ID"},
	{"SLURM_ARRAY_TASK_ID", "LIBRA_ARRAY_INDEX"},
	{"SLURM_PROCID", "LIBRA_RANK"},
	{"SLURM_NTASKS", "LIBRA_SIZE"},
	{"SLURM_NPROCS", "LIBRA_SIZE"},
	{"SLURM_CPUS_PER_TASK", "LIBRA_THREADS"},
	{"SLURM_JOB_NODELIST", "LIBRA_NODES"},
	{"SLURM_NODELIST", "LIBRA_NODES"},
	{"SLURM_SUBMIT_DIR", "PWD"},
	{"PBS_JOBID", "LIBRA_JOB_ID"},
	{"PBS_JOBNAME", "LIBRA_JOB_NAME"},
	{"PBS_ARRAY_INDEX", "LIBRA_ARRAY_INDEX"},
	{"PBS_ARRAYID", "LIBRA_ARRAY_INDEX"},
	{"PBS_NP", "LIBRA_SIZE"},
	{"PBS_O_WORKDIR", "PWD"},
}

// noteVariables tells of variables in the script that nobody will set: an
// empty one is a mistake that is hard to find. A line that knows of Libra's
// own is left alone.
func (r *reader) noteVariables(script string) {
	seen := map[string]bool{}
	number := 0
	for text := range strings.Lines(script) {
		number++
		if strings.HasPrefix(strings.TrimSpace(text), "#") || strings.Contains(text, "LIBRA_") {
			continue
		}
		for _, v := range variables {
			if !seen[v.theirs] && uses(text, v.theirs) && !r.head.tells(v.theirs) {
				seen[v.theirs] = true
				n := Note{File: r.file, Line: number, Directive: "$" + v.theirs, Text: fmt.Sprintf("is not set here; $%s is", v.ours)}
				if strings.HasPrefix(v.theirs, "SLURM_") {
					n.Text, n.Agents = fmt.Sprintf("is set by Slurm alone; $%s is everywhere", v.ours), true
				}
				r.head.Notes = append(r.head.Notes, n)
			}
		}
	}
}

// toldToAll is what whoever hands a job in as with sbatch is told whoever runs it.
var toldToAll = []string{"SLURM_SUBMIT_DIR", "SLURM_JOB_ID", "SLURM_JOB_NAME", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID"}

// tells reports whether a variable of Slurm's is set for whoever hands a job in as with sbatch, on
// Slurm and elsewhere.
func (h *Head) tells(name string) bool {
	return h.sbatch && (slices.Contains(toldToAll, name) || slices.ContainsFunc(h.told, func(e string) bool { return strings.HasPrefix(e, name+"=") }))
}

// uses reports whether a line of shell looks at a variable.
func uses(text, name string) bool {
	for rest := text; ; {
		_, after, found := strings.Cut(rest, "$")
		if !found {
			return false
		}
		rest = after
		after = strings.TrimPrefix(after, "{")
		if end, ok := strings.CutPrefix(after, name); ok && (end == "" || !partOfName(end[0])) {
			return true
		}
	}
}

func partOfName(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
