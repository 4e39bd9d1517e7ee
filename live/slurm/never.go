package slurm

import (
	"fmt"
	"strings"
	"time"

	"github.com/libra-market/libra/core/task"
)

// cause is why a program never began, said by the script that Slurm runs in its
// place: the number of the real-time signal that it ends itself by. No program ends
// by one of them by chance; ranks and elements, which are programs of their own to
// the script, end with the code that a shell has for it.
type cause int

// The causes.
const (
	noStart     cause = 40 + iota // there is no room for what it needs
	noDirectory                   // to run in
	noOutput                      // can be opened
	noProgram                     // of that name
	notRunnable                   // what has that name
)

// slurmNoOutput is what Slurm itself says in the script's place where it cannot open an
// output, as in a directory that is not there: ExitCode=0:53.
const slurmNoOutput cause = 53

// causeOf is what a signal says; 0: nothing.
func causeOf(signal int) cause {
	if c := cause(signal); c >= noStart && c <= notRunnable || c == slurmNoOutput {
		return c
	}
	return 0
}

// code is what a rank or an element ends with.
func (c cause) code() int { return 128 + int(c) }

// of names the cause for one of the tasks of a job.
func (c cause) of(s *task.Spec) string {
	switch c {
	case noDirectory:
		return "no such directory: " + s.Dir
	case noOutput:
		return "output cannot be opened: " + outputs(s)
	case slurmNoOutput:
		if strings.HasPrefix(s.Output, "/") && strings.HasPrefix(s.Error, "/") {
			return noOutput.of(s)
		}
		return "directory " + s.Dir + ", or output in it, cannot be opened: " + outputs(s)
	case noProgram:
		return "no such program: " + programName(s)
	case notRunnable:
		return "program " + programName(s) + ": it cannot be executed"
	default:
		return "no room for temporary files on its node"
	}
}

// outputs are the files that a task writes.
func outputs(s *task.Spec) string {
	var files []string
	for _, name := range []string{s.Output, s.Error} {
		if name = fileOf(s, name); name != "" && (len(files) == 0 || files[0] != name) {
			files = append(files, name)
		}
	}
	return strings.Join(files, " or ")
}

// programName is what the user calls the program.
func programName(s *task.Spec) string {
	if len(s.Script) == 0 {
		return s.Argv[0]
	}
	return interpreter(string(s.Script))[0]
}

// A program could say of itself that it never began. It is believed where it can
// have had no more than what our script takes to find out: so much processor time
// for each task where agents measure, and so much more that it declined: who only sleeps keeps
// nodes, their memory and GPUs from others too. Where only Slurm looks at its watch, it is as
// long as its user is believed (claim.go).
const (
	littleTime = 250 * time.Millisecond
	littleMore = time.Minute // of each processor
	littleWait = 1           // second, of those that Slurm counts
)

// hadLittle reports whether a run had no more than our script needs.
func (r *run) hadLittle(control Control) bool {
	if control == None {
		return r.end.started == 0 || r.end.ended <= r.end.started || r.end.believed
	}
	size := time.Duration(max(1, r.size))
	return r.cpuTime() <= littleTime*size && (r.end.cause == 0 || r.declined() <= littleMore*size)
}

// declined is the time that the tasks of a run did not want, on all processors of each.
func (r *run) declined() time.Duration {
	var us int64
	for rank, s := range r.statuses {
		o := r.orders[rank]
		us += s.DeclinedUS / int64(max(1, o.Spec.Processors()))
	}
	return time.Duration(us) * time.Microsecond
}

// checkBegan holds what a script or Slurm says of a task that never began against
// what it has had, and names the cause.
func (r *run) checkBegan(s *task.Status, control Control) {
	if c := r.end.cause; c != 0 {
		o := r.orders[s.Rank]
		s.State, s.Exit, s.Signal, s.Error = task.Refused, 0, "", c.of(&o.Spec)
	}
	switch {
	case !s.NeverBegan():
	case r.hadLittle(control):
		s.StartedUS = 0
	default:
		s.State, s.Signal, s.Error = task.Ended, "SIGTERM", "it ran, and ended as if it never had: "+s.Error
	}
}

// Shell functions that find out, before the user's program begins, that it cannot.
// libra_unable says what is wrong where Slurm writes what it has to say of the job, too.
// libra_never ends the script; in a rank or an element it leaves that to whoever
// started it. libra_find looks for a program as a shell does, $2 being the PATH,
// and at the interpreter that it names.
const findShell = `libra_never() {
	[ -z "$libra_inner" ] || exit $((128 + $1))
	kill -"$1" $$
	exit $((128 + $1))
}
libra_unable() {
	libra_said='there is no such program'
	[ "$2" = %[1]d ] || libra_said='it cannot be executed'
	printf 'libra: %%s: %%s\n' "$1" "$libra_said" >&2
	libra_never "$2"
}
libra_find() {
	libra_found=
	libra_why=%[1]d
	case $1 in
	*/*)
		[ ! -e "$1" ] || libra_why=%[2]d
		[ ! -f "$1" ] || [ ! -x "$1" ] || libra_found=$1
		;;
	*)
		set -f
		libra_ifs=$IFS
		IFS=:
		for libra_place in $2; do
			libra_place=${libra_place:-.}
			[ -z "$libra_found" ] && [ -f "$libra_place/$1" ] || continue
			libra_why=%[2]d
			[ ! -x "$libra_place/$1" ] || libra_found=$libra_place/$1
		done
		IFS=$libra_ifs
		set +f
		;;
	esac
	[ -n "$libra_found" ] || libra_unable "$1" $libra_why
	[ -r "$libra_found" ] && [ "$(head -c 2 "$libra_found" 2>/dev/null | tr -d '\000')" = '#!' ] || return 0
	read -r libra_line <"$libra_found" || :
	libra_line=$(printf '%%s\n' "${libra_line#??}" | tr '\t\r' '  ')
	libra_line=${libra_line#"${libra_line%%%%[! ]*}"}
	[ -z "$libra_line" ] || [ -e "${libra_line%%%% *}" ] || libra_unable "${libra_line%%%% *}" %[1]d
}
`

// finders is the same with the causes in it.
var finders = fmt.Sprintf(findShell, noProgram, notRunnable)

// causeCodes is the pattern of a shell for the codes of all causes.
var causeCodes = fmt.Sprintf("%d|%d|%d|%d|%d", noStart.code(), noDirectory.code(), noOutput.code(), noProgram.code(), notRunnable.code())

// passOn ends a script as what it started did, if that never began.
func passOn(variable string) string {
	return fmt.Sprintf("case $%[1]s in\n%[2]s) libra_never $((%[1]s - 128)) ;;\nesac\n", variable, causeCodes)
}

// pathOf is where the programs of a task are looked for, as a word of a shell's.
func pathOf(s *task.Spec) string {
	path := `"$PATH"`
	for _, set := range s.Env {
		if value, is := strings.CutPrefix(set, "PATH="); is {
			path = quote(value)
		}
	}
	return path
}

// never is the command of a script that ends it for a cause.
func never(c cause) string { return fmt.Sprintf("libra_never %d", c) }

// find is the command of a script that looks for its program.
func find(s *task.Spec) string {
	return fmt.Sprintf("libra_find %s %s\n", quote(programName(s)), pathOf(s))
}
