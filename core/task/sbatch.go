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
	Comment  = passed + "COMMENT"   // what its user says of it, which nobody reads but people

	Input     = passed + "INPUT"      // a file that its script reads as its standard input, with patterns as its output has
	OpenMode  = passed + "OPEN_MODE"  // "append": its files are added to; otherwise they are begun anew
	Umask     = passed + "UMASK"      // of who handed it in, in octal digits
	Limits    = passed + "RLIMIT_"    // a limit of theirs, as of ulimit: LIBRA_SBATCH_RLIMIT_NOFILE=1024
	AllMemory = passed + "ALL_MEMORY" // "yes": the memory that it has is all of its nodes', and it asked for that
	Spare     = passed + "SPARE"      // "yes": it has as many processors on each node as on the fullest, and did not ask for them
	Login     = passed + "LOGIN"      // "yes": what a login would set is in its environment
	Requeue   = passed + "REQUEUE"    // "yes": its user may put it back into the queue, which is handing it in anew
	PutBack   = passed + "PUT_BACK"   // of one that was put back: the number that it has, how often it was restarted, and its deadline in milliseconds
	Array     = passed + "ARRAY"      // how many elements were asked for, the first, the last and the step, where others may run

	passed = "LIBRA_SBATCH_"
)

// LimitNames are the limits of a process that go along with a job, as Slurm calls them.
var LimitNames = []string{"AS", "CORE", "CPU", "DATA", "FSIZE", "MEMLOCK", "NOFILE", "NPROC", "RSS", "STACK"}

// Asked reports whether variables have an option among them that somebody asked for and that
// nothing but the batch system can follow: mail, and signals.
func Asked(env []string) bool {
	return slices.ContainsFunc(env, func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return name == MailType || name == MailUser || name == Signal
	})
}

// WithoutPassed are variables without those.
func WithoutPassed(env []string) []string {
	if !slices.ContainsFunc(env, isPassed) {
		return env
	}
	return slices.DeleteFunc(slices.Clone(env), isPassed)
}

func isPassed(setting string) bool { return strings.HasPrefix(setting, passed) }
