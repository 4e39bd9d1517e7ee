package directive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/task"
)

// usual is what a job gets of the environment unless it asks for more or for
// less: what programs need to be found and to speak its user's language. Home
// and the user's name are those of the node.
var usual = []string{"PATH", "LANG", "LC_ALL", "TZ"}

// private is never handed on with the rest: whoever can read a job's
// environment could spend its user's money.
var private = []string{"LIBRA_TOKEN"}

// Export says what a job gets of the environment in which it is handed in.
type Export struct {
	All   bool     // everything
	None  bool     // nothing
	Names []string // these, beside the usual
	Said  string   // as somebody said it; empty: nobody did
}

// export reads "all", "none", or names and assignments with commas between them.
func (h *Head) export(text string) error {
	if text == "" { // nothing at all
		text = none
	}
	x := Export{Said: text}
	var set []string
	for i, word := range splitOutsideQuotes(text) {
		name, _, assigned := strings.Cut(word, "=")
		switch {
		case !assigned && strings.EqualFold(word, "all"):
			x.All = true
		case !assigned && (strings.EqualFold(word, "none") || strings.EqualFold(word, "nil")) && i == 0:
			x.None = true
		case name == "" || strings.ContainsAny(name, " \t"):
			return fmt.Errorf("%q (want all, none, NAME or NAME=value)", word)
		case assigned:
			set = append(set, word)
		default:
			x.Names = append(x.Names, word)
		}
	}
	h.Export = x
	h.Request.Env = append(h.Request.Env, set...)
	return nil
}

// splitOutsideQuotes takes a list apart at its commas, but for those between quotes, which stay
// what they are: as sbatch does.
func splitOutsideQuotes(text string) []string {
	var words []string
	begin := 0
	var quote byte
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"') && strings.IndexByte(text[i+1:], c) >= 0:
			quote = c
		case quote == 0 && c == ',':
			words = append(words, text[begin:i])
			begin = i + 1
		}
	}
	return append(words, text[begin:])
}

// tell is what sbatch tells a job of what it gets of the environment, which its srun goes by;
// and unless that is all there is, what a login would set is there too.
func (x *Export) tell(env []string) []string {
	if x.Said == "" {
		return env
	}
	if env = append(env, "SLURM_EXPORT_ENV="+x.Said); strings.EqualFold(x.Said, "all") {
		return env
	}
	return append(env, task.Login+"=yes")
}

// environment puts together what a job gets, in order of names; what is set
// last counts.
func (x *Export) environment(environ, set []string) []string {
	wanted := func(name string) bool {
		switch {
		case slices.Contains(x.Names, name):
			return true
		case x.None || slices.Contains(private, name):
			return false
		default:
			return x.All || slices.Contains(usual, name)
		}
	}
	values := map[string]string{}
	for _, assignment := range environ {
		if name, value, ok := strings.Cut(assignment, "="); ok && name != "" && wanted(name) {
			values[name] = value
		}
	}
	for _, assignment := range set {
		name, value, _ := strings.Cut(assignment, "=")
		values[name] = value
	}
	var env []string
	for name, value := range values {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

// tellings are how the names begin of what Slurm tells a job of itself: one that hands
// in another does not hand it on.
var tellings = []string{
	"SLURM_JOB", "SLURM_STEP", "SLURM_TASK", "SLURM_NODE", "SLURM_NNODES", "SLURM_NTASKS", "SLURM_NPROCS", "SLURM_CPUS_", "SLURM_ARRAY", "SLURM_PROCID", "SLURM_LOCALID",
	"SLURM_GTIDS", "SLURM_MEM_", "SLURM_SUBMIT", "SLURM_CLUSTER_NAME", "SLURM_WORKING_CLUSTER", "SLURM_TOPOLOGY", "SLURM_PRIO_PROCESS", "SLURM_DISTRIBUTION", "SLURM_HOSTFILE",
	"SLURM_DIST_PLANESIZE", "SLURM_TRES_", "SLURM_GPUS", "SLURM_OVERCOMMIT", "SLURM_UMASK", "SLURM_RLIMIT_", "SLURM_LAUNCH", "SLURM_SRUN", "SLURMD_",
}

// ofAnotherJob reports whether a setting is what Slurm told another job.
func ofAnotherJob(setting string) bool {
	return slices.ContainsFunc(tellings, func(begin string) bool { return strings.HasPrefix(setting, begin) })
}
