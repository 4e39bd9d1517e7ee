package agent

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/task"
)

// defaultPath is where programs are looked for unless the task says otherwise.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// environ is the whole environment of a task: what a login would set, then what
// the task asks for, then what it is told about itself. Nothing of the agent's
// own is in it.
func environ(rec record, node string, element *int, part task.Part) []string {
	spec, user := rec.Spec, rec.Account
	env := environment{}
	env.set("PATH", defaultPath)
	env.set("HOME", user.Home)
	env.set("USER", user.Name)
	env.set("LOGNAME", user.Name)
	env.set("SHELL", user.Shell)
	if spec.Threads > 1 {
		env.set("OMP_NUM_THREADS", strconv.Itoa(spec.Threads)) // it would start one for each processor of the node
	}
	for _, setting := range spec.Env {
		name, value, _ := strings.Cut(setting, "=")
		env.set(name, value)
	}
	env.set("LIBRA_JOB_ID", strconv.FormatInt(spec.Job, 10))
	env.set("LIBRA_JOB_NAME", spec.Name)
	env.set("LIBRA_RANK", strconv.Itoa(spec.Rank))
	env.set("LIBRA_SIZE", strconv.Itoa(spec.Size))
	env.set("LIBRA_THREADS", strconv.Itoa(spec.Processors()))
	env.set("LIBRA_NODES", strings.Join(spec.Nodes, ","))
	env.set("LIBRA_NODE", node)
	env.set("LIBRA_ATTEMPT", strconv.Itoa(spec.Attempt))
	env.unset("LIBRA_GPUS")
	if rec.GPUs != nil { // none: that it takes those of others is no accident then
		env.set("LIBRA_GPUS", devicesText(rec.GPUs))
		env.set("CUDA_VISIBLE_DEVICES", devicesText(rec.GPUs))
	}
	env.unset("LIBRA_ARRAY_INDEX")
	if element != nil {
		env.set("LIBRA_ARRAY_INDEX", strconv.Itoa(*element))
	}
	if variable(spec.Env, "SLURM_SUBMIT_DIR") != "" {
		env.tellAsSlurm(&spec, element)
	}
	env.unset("LIBRA_PART")
	env.unset("LIBRA_MANDATORY_DONE_FD")
	if spec.Optional != nil {
		env.set("LIBRA_PART", string(part))
		if goesOn(spec) {
			env.set("LIBRA_MANDATORY_DONE_FD", strconv.Itoa(saidFD))
		}
	}
	return env.list
}

// tellAsSlurm tells a job that was handed in as with sbatch its name and numbers under the names that
// its script may know them by: an rm -rf /scratch/$SLURM_JOB_ID must not find it empty. Of nodes, and of
// SLURM_JOBID, which is how launchers of MPI know Slurm, it is told nothing: there is none to start them.
func (e *environment) tellAsSlurm(spec *task.Spec, element *int) {
	number := strconv.FormatInt(spec.Job, 10)
	e.set("SLURM_JOB_ID", number)
	e.set("SLURM_JOB_NAME", spec.Name)
	if element != nil {
		e.set("SLURM_ARRAY_JOB_ID", number)
		e.set("SLURM_ARRAY_TASK_ID", strconv.Itoa(*element))
	}
}

// environment is a list of settings, each name once, in the order in which they
// were first set.
type environment struct{ list []string }

func (e *environment) find(name string) int {
	for i, setting := range e.list {
		if strings.HasPrefix(setting, name+"=") {
			return i
		}
	}
	return -1
}

func (e *environment) set(name, value string) {
	setting := name + "=" + value
	if i := e.find(name); i >= 0 {
		e.list[i] = setting
		return
	}
	e.list = append(e.list, setting)
}

func (e *environment) unset(name string) {
	if i := e.find(name); i >= 0 {
		e.list = append(e.list[:i], e.list[i+1:]...)
	}
}

// variable is the value of a name in a list of settings; the first one counts.
func variable(env []string, name string) string {
	for _, setting := range env {
		if value, ok := strings.CutPrefix(setting, name+"="); ok {
			return value
		}
	}
	return ""
}

// expand fills in a pattern of a file's name: %j is the job, %r the rank, %a the
// element of an array, %N this host; %4a has four digits at least. Anything else stays as it is, %a outside an array too.
func expand(pattern string, key task.Key, element *int) string {
	pattern = task.FillPattern(task.FillPattern(pattern, 'j', strconv.FormatInt(key.Job, 10)), 'r', strconv.Itoa(key.Rank))
	if host, err := os.Hostname(); err == nil && task.HasPattern(pattern, 'N') {
		host, _, _ = strings.Cut(host, ".")
		pattern = task.EachPattern(pattern, "N", func(string, byte) string { return host }) // digits are for numbers
	}
	if element != nil {
		pattern = task.FillPattern(pattern, 'a', strconv.Itoa(*element))
	}
	return pattern
}

// appends reports whether a task goes on writing where somebody else has
// begun: a former attempt, the element before, or another rank; and the line
// that says so in the file (none between ranks, which write side by side).
func appends(pattern string, spec task.Spec, element *int) (bool, string) {
	among := spec.Size > 1 && !task.HasPattern(pattern, 'r')
	follows := element != nil && *element != spec.Element(0) && !task.HasPattern(pattern, 'a')
	var words []string
	if spec.Attempt > 0 {
		words = append(words, fmt.Sprintf("attempt %d", spec.Attempt))
	}
	if follows {
		words = append(words, fmt.Sprintf("element %d", *element))
	}
	line := ""
	if len(words) > 0 {
		line = fmt.Sprintf("libra: job %d, %s\n", spec.Job, strings.Join(words, ", "))
	}
	return among || follows || spec.Attempt > 0, line
}
