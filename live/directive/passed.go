package directive

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/task"
)

// passed sends the value of an option along, if it is one.
func passed(variable string, check func(string) error) func(o *occurrence) error {
	return func(o *occurrence) error {
		if err := check(o.value); err != nil {
			return err
		}
		o.pass(variable, o.value)
		return nil
	}
}

// pass sends a word along.
func (o *occurrence) pass(variable, value string) {
	if !o.sbatch {
		o.note("it is passed to Slurm, where that runs the job; Libra's own agents know nothing of it")
	}
	o.Request.Env = slices.DeleteFunc(o.Request.Env, func(e string) bool { return strings.HasPrefix(e, variable+"=") })
	o.Request.Env = append(o.Request.Env, variable+"="+value)
}

// requeue lets a job begin again: by the market after its node was lost, and by its user where
// it is handed in as with sbatch.
func (o *occurrence) requeue() error {
	o.Request.NoRestart = false
	if o.sbatch {
		o.pass(task.Requeue, "yes")
	}
	return nil
}

// noRequeue lets it do neither.
func (o *occurrence) noRequeue() error {
	o.Request.NoRestart = true
	o.Request.Env = slices.DeleteFunc(o.Request.Env, func(e string) bool { return strings.HasPrefix(e, task.Requeue+"=") })
	return nil
}

// openMode reads whether files are added to.
func (o *occurrence) openMode() error {
	switch strings.ToLower(o.value) {
	case "a", "append":
		o.pass(task.OpenMode, "append")
	case "t", "truncate":
		o.pass(task.OpenMode, "truncate")
	default:
		return fmt.Errorf("%q: want append or truncate", o.value)
	}
	return nil
}

// forSteps tells srun in the script, as sbatch does, how tasks lie on the nodes that the
// market has chosen.
func forSteps(variable string) func(o *occurrence) error {
	return func(o *occurrence) error {
		if err := checkWord(o.value); err != nil {
			return err
		}
		if !o.sbatch {
			o.note(chosen)
			return nil
		}
		o.tellStep(variable, o.value)
		return nil
	}
}

var distributionForm = regexp.MustCompile(`(?i)^(plane=[1-9][0-9]*|arbitrary|(\*|block|cyclic)?(:(\*|block|cyclic|fcyclic)?){0,2}(,?(no)?pack)?)$`)

// distribution reads how tasks lie. With one that srun does not know no step of the job would begin.
func (o *occurrence) distribution() error {
	if !distributionForm.MatchString(o.value) {
		return fmt.Errorf("%q: want block, cyclic, plane=TASKS or arbitrary, as in cyclic:block", o.value)
	}
	o.value = strings.ToLower(o.value)
	o.tellNoStep("SLURM_DIST_PLANESIZE")
	kind, tasks, plane := strings.Cut(o.value, "=")
	if !plane || !o.sbatch {
		return forSteps("SLURM_DISTRIBUTION")(o)
	}
	o.tellStep("SLURM_DISTRIBUTION", kind)
	o.tellStep("SLURM_DIST_PLANESIZE", tasks)
	return nil
}

// tellStep tells the job, as sbatch does, what somebody asked for.
func (o *occurrence) tellStep(variable, value string) {
	o.tellNoStep(variable)
	o.steps = append(o.steps, variable+"="+value)
}

// tellNoStep takes back what it was told before.
func (o *occurrence) tellNoStep(variable string) {
	o.steps = slices.DeleteFunc(o.steps, func(e string) bool { return strings.HasPrefix(e, variable+"=") })
}

// hint reads what the tasks are like: with one that srun does not know no step of the job would begin.
func (o *occurrence) hint() error {
	switch o.value {
	case "compute_bound", "memory_bound", "multithread", "nomultithread":
		return forSteps("SLURM_HINT")(o)
	}
	return statusOneError{fmt.Errorf("%q: want compute_bound, memory_bound, multithread or nomultithread", o.value)}
}

// numberForSteps is forSteps for what has to be a number.
func numberForSteps(variable string) func(o *occurrence) error {
	return statusOne(func(o *occurrence) error {
		if _, err := count(o.value, 1); err != nil {
			return err
		}
		return forSteps(variable)(o)
	})
}

// hints is what srun is told of what its tasks are like, in other words too, as by sbatch: nothing
// where that was said in these other words.
func hints(steps []string) []string {
	hint := slices.IndexFunc(steps, func(e string) bool { return strings.HasPrefix(e, hintVariable) })
	if hint < 0 {
		return steps
	}
	if slices.ContainsFunc(steps, func(e string) bool {
		return strings.HasPrefix(e, "SLURM_THREADS_PER_CORE=") || strings.HasPrefix(e, "SLURM_NTASKS_PER_CORE=")
	}) {
		return slices.Delete(slices.Clone(steps), hint, hint+1)
	}
	switch strings.TrimPrefix(steps[hint], hintVariable) {
	case "nomultithread", "compute_bound", "memory_bound":
		return append(slices.Clone(steps), "SLURM_THREADS_PER_CORE=1")
	case "multithread":
		return append(slices.Clone(steps), "SLURM_NTASKS_PER_CORE=65535") // any number
	}
	return steps
}

const hintVariable = "SLURM_HINT="

func checkWord(text string) error {
	if text == "" || strings.ContainsAny(text, " \t\r\n\x00") || strings.HasPrefix(text, "-") {
		return fmt.Errorf("%q: want one word", text)
	}
	return nil
}

// licenses asks for licences, which Slurm counts; none takes them back.
func (h *Head) licenses(v string) error {
	h.Request.Env = slices.DeleteFunc(h.Request.Env, func(e string) bool { return strings.HasPrefix(e, task.Licenses+"=") })
	if v == none {
		return nil
	}
	h.Request.Env = append(h.Request.Env, task.Licenses+"="+v)
	return checkLicenses(v)
}

func checkLicenses(text string) error {
	_, err := task.ReadLicenses(text)
	return err
}

var mailTypes = []string{
	"NONE", "BEGIN", "END", "FAIL", "REQUEUE", "ALL", "INVALID_DEPEND", "STAGE_OUT", "TIME_LIMIT", "TIME_LIMIT_90", "TIME_LIMIT_80", "TIME_LIMIT_50", "ARRAY_TASKS",
}

// mail asks for mail of what is named, beside what was named before: as by sbatch each line adds to
// the others, and NONE adds nothing.
func (o *occurrence) mail() error {
	if err := checkMail(o.value); err != nil {
		return err
	}
	var kinds []string
	all := o.value
	for _, e := range o.Request.Env {
		if before, ok := strings.CutPrefix(e, task.MailType+"="); ok {
			all = before + "," + all
		}
	}
	for kind := range strings.SplitSeq(all, ",") {
		if !strings.EqualFold(kind, "NONE") && !slices.ContainsFunc(kinds, func(k string) bool { return strings.EqualFold(k, kind) }) {
			kinds = append(kinds, kind)
		}
	}
	o.pass(task.MailType, cmp.Or(strings.Join(kinds, ","), o.value))
	return nil
}

func checkMail(text string) error {
	for kind := range strings.SplitSeq(text, ",") {
		if !slices.Contains(mailTypes, strings.ToUpper(kind)) {
			return fmt.Errorf("%q: want some of %s", kind, strings.Join(mailTypes, ", "))
		}
	}
	return nil
}

var signalForm = regexp.MustCompile(`^([RB]{1,2}:)?[A-Za-z0-9+-]{1,16}(@[0-9]{1,5})?$`)

func checkSignal(text string) error {
	_, signal, manner := strings.Cut(text, ":")
	if !manner {
		signal = text
	}
	signal, seconds, _ := strings.Cut(signal, "@")
	before, err := strconv.Atoi(cmp.Or(seconds, "0"))
	if !signalForm.MatchString(text) || !signals(signal) || err != nil || before > math.MaxUint16 {
		return errors.New("want [B:]SIGNAL[@SECONDS], as B:USR1@60")
	}
	return nil
}

// signals reports whether a signal is one that sbatch knows: the job would be refused when it begins.
func signals(name string) bool {
	if n, err := strconv.Atoi(name); err == nil {
		return n > 0
	}
	name = strings.TrimPrefix(strings.ToUpper(name), "SIG")
	return slices.Contains([]string{"HUP", "INT", "QUIT", "ABRT", "KILL", "ALRM", "TERM", "USR1", "USR2", "URG", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "XCPU"}, name)
}
