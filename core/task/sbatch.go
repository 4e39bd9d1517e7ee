package task

import (
	"slices"
	"strings"
)

// Variables by which options that concern the batch system alone go along with a job: the
// market does not look at them, and the job's programs do not get them.
const (
	MailType = passed + "MAIL_TYPE" // of what its user is sent mail
	MailUser = passed + "MAIL_USER" // who is sent it
	Signal   = passed + "SIGNAL"    // what a job gets before its limit, as B:USR1@60
	Licenses = passed + "LICENSES"  // that it holds, as fluent:2,matlab

	passed = "LIBRA_SBATCH_"
)

// Passed reports whether variables have an option for the batch system among them.
func Passed(env []string) bool { return slices.ContainsFunc(env, isPassed) }

// WithoutPassed are variables without those.
func WithoutPassed(env []string) []string {
	if !Passed(env) {
		return env
	}
	return slices.DeleteFunc(slices.Clone(env), isPassed)
}

func isPassed(setting string) bool { return strings.HasPrefix(setting, passed) }
