package slurm

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/plugin"
)

// defaultPath is where programs are looked for unless the task says otherwise.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// PathWith is that with the directory of Slurm's own programs before it, where a site has
// them elsewhere: a script that says srun means the srun of the Slurm that it runs in.
func PathWith(slurms string) string {
	if dir := filepath.Dir(slurms); filepath.IsAbs(slurms) && !slices.Contains(filepath.SplitList(defaultPath), dir) {
		return dir + ":" + defaultPath
	}
	return defaultPath
}

// Script is what Slurm runs for the tasks of a job, given by rank. One task
// becomes the user's program; several are started by srun, each on the node that
// was sold for it. Everything that comes from the user stands in quotes or in a
// document that the shell does not look into.
func Script(specs []task.Spec) (string, error) { return script(specs, layoutOf(specs, 0)) }

func script(specs []task.Spec, l layout) (string, error) {
	if len(specs) == 0 {
		return "", errors.New("a job without tasks")
	}
	first := &specs[0]
	for i := range specs {
		if specs[i].Optional != nil {
			return "", errors.New("a job with an optional part does not run on Slurm")
		}
		if s := &specs[i]; s.Rank != i || len(s.Nodes) != len(specs) || len(s.Argv) == 0 && len(s.Script) == 0 {
			return "", fmt.Errorf("task %s: it says nothing that can be run", s.Key)
		}
	}
	head := fmt.Sprintf("#!/bin/sh\n# libra: job %d, attempt %d\n", first.Job, first.Attempt)
	if len(specs) == 1 || first.Once {
		return asOne(head, guard(first, l.array)+taskScript(specs, l)), nil
	}
	return head + outer + rankScript(specs, l), nil
}

// outer is how the script begins that Slurm itself starts.
var outer = "libra_inner=\n" + finders

// asOne is a script that a shell has read to its end before it begins: from then on the file
// that it is in can become another. It is put together once: there is one of every job.
func asOne(head, text string) string {
	return head + "libra_main() {\n" + outer + text + "}\nlibra_main\n"
}

// rankScript starts the tasks of a job where they belong: srun takes the nodes of
// the ranks from a file, in their order. What srun has to say goes to where the
// first rank's errors go.
func rankScript(specs []task.Spec, l layout) string {
	first := &specs[0]
	var b strings.Builder
	b.WriteString("trap : TERM\n")
	writeHosts(&b, first.Nodes)
	errors := nowhere
	if name := fileOf(first, first.Error); name != "" && !task.HasPattern(name, 'a') {
		errors = l.fileWord(first, first.Error)
	}
	fmt.Fprintf(&b, "%scd %s || cd /\nlibra_errors=%s\n", hostOf(first), quote(first.Dir), errors)
	b.WriteString("[ ! -h \"$libra_errors\" ] && [ -f \"$libra_errors\" -o ! -e \"$libra_errors\" ] && true >>\"$libra_errors\" || libra_errors=/dev/null\n")
	b.WriteString("export SLURM_HOSTFILE=\"$libra_hosts\"\n")
	fmt.Fprintf(&b, "srun --ntasks=%d --distribution=arbitrary --overcommit --overlap --kill-on-bad-exit=0 --chdir=/ /bin/sh -s 2>>\"$libra_errors\" %s",
		len(specs), hereDocument("libra_inner=yes\n"+finders+taskScript(specs, l)))
	fmt.Fprintf(&b, "libra_status=$?\nrm -f \"$libra_hosts\"\n%sexit $libra_status\n", passOn("libra_status"))
	return b.String()
}

// writeHosts makes the file that srun takes the nodes of the ranks from.
func writeHosts(b *strings.Builder, nodes []string) {
	fmt.Fprintf(b, "%scat >\"$libra_hosts\" %s", newHosts(), hereDocument(strings.Join(nodes, "\n")))
}

// newHosts makes it, empty.
func newHosts() string {
	return fmt.Sprintf("libra_hosts=$(mktemp \"${TMPDIR:-/tmp}/libra-XXXXXX\") || %s\n", never(noStart))
}

const nowhere = "/dev/null"

// taskScript becomes the program of one task. The names of its variables are its
// own: the program gets its environment at the very end, as one list.
func taskScript(specs []task.Spec, l layout) string {
	first := &specs[0]
	var b strings.Builder
	b.Grow(2048 + len(first.Script))
	if valueOf(first.Env, task.Umask) == "" {
		b.WriteString("umask 022\nulimit -c 0\n") // as the agents do; else Slurm has set what its user has
	}
	if n, err := strconv.ParseUint(valueOf(first.Env, task.Umask), 8, 16); err == nil && n <= 0o777 {
		fmt.Fprintf(&b, "umask %04o\n", n) // sbatch, where the market hands in by it, has told Slurm its own
	}
	b.WriteString("libra_rank=${SLURM_PROCID:-0}\n")
	b.WriteString(hostOf(first))
	b.WriteString("libra_entry=$(getent passwd \"$(id -u)\")\n")
	b.WriteString("libra_shell=${libra_entry##*:}\nlibra_entry=${libra_entry%:*}\nlibra_home=${libra_entry##*:}\n")
	writeRanks(&b, specs, &l)
	l.writeSteps(&b, specs)
	writeGPUs(&b, specs)
	if len(first.Script) > 0 {
		writeScript(&b, string(first.Script), len(specs) == 1 || first.Once)
	}
	fmt.Fprintf(&b, "cd %s 2>/dev/null || %s\n", quote(first.Dir), never(noDirectory))
	b.WriteString(openFile)
	writeRun(&b, specs, l)
	if first.Len() == 0 {
		b.WriteString(find(first) + "libra_run\n")
	} else {
		b.WriteString(find(first))
		writeLane(&b)
	}
	return b.String()
}

// writeScript puts the user's script where its interpreter finds it. Where our own is all that
// is in the file that Slurm has made for the job, its user's takes its place: so it is called
// what sbatch would have called it, in messages, in $0, and to whoever copies it from there.
// Otherwise it is in a file that is gone as soon as it is open: nothing is left behind however
// the job ends.
func writeScript(b *strings.Builder, text string, alone bool) {
	fmt.Fprintf(b, "libra_text() {\n%s}\n", writes(text))
	if alone {
		b.WriteString("libra_script=$0\n")
		b.WriteString("if [ \"${libra_script##*/}\" = slurm_script ] && [ -n \"$SLURM_JOB_ID\" ] && [ -f \"$libra_script\" ] && [ ! -h \"$libra_script\" ] && [ -w \"$libra_script\" ]; then\n")
		fmt.Fprintf(b, "\tlibra_text >\"$libra_script\" || %s\nelse\n", never(noStart))
	}
	fmt.Fprintf(b, "libra_dir=$(mktemp -d \"${TMPDIR:-/tmp}/libra-XXXXXX\") || %[1]s\nlibra_text >\"$libra_dir/script\" || %[1]s\n", never(noStart))
	fmt.Fprintf(b, "exec 3<\"$libra_dir/script\"\nrm -rf \"$libra_dir\"\nlibra_script=%s\n", scriptFile)
	if alone {
		b.WriteString("fi\n")
	}
}

// writeRanks writes what differs from rank to rank.
func writeRanks(b *strings.Builder, specs []task.Spec, l *layout) {
	b.WriteString("case $libra_rank in\n")
	for i := range specs {
		s := &specs[i]
		node := quote(s.Nodes[i])
		if l.later {
			node = "$SLURMD_NODENAME"
		}
		fmt.Fprintf(b, "%d)\n\tlibra_node=%s\n", i, node)
		if s.Len() > 0 {
			elements := make([]string, s.Len())
			for k := range elements {
				elements[k] = strconv.Itoa(s.Element(k))
			}
			fmt.Fprintf(b, "\tlibra_elements=%s\n", quote(strings.Join(elements, " ")))
		}
		fmt.Fprintf(b, "\tlibra_files() {\n\t\tlibra_out=%s\n\t\tlibra_err=%s\n\t}\n\t;;\n", l.fileWord(s, s.Output), l.fileWord(s, s.Error))
	}
	fmt.Fprintf(b, "*) %s ;;\nesac\n", never(noStart))
}

// fileOf is a file's name, but for the element of an array and the number in Slurm.
func fileOf(s *task.Spec, name string) string {
	if !strings.Contains(name, "%") {
		return name
	}
	return task.FillPattern(task.FillPattern(name, 'j', strconv.FormatInt(s.Job, 10)), 'r', strconv.Itoa(s.Rank))
}

func (l *layout) fileWord(s *task.Spec, name string) string {
	if name = fileOf(s, name); name == "" {
		return nowhere
	}
	variables := map[byte]string{task.BatchLetter: "SLURM_JOB_ID", 'N': "libra_host"}
	switch {
	case l.array:
		variables['a'], variables[task.BatchLetter] = "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_JOB_ID"
	case s.Len() > 0:
		variables['a'] = "libra_element"
	}
	return quoteWith(name, variables)
}

// inputWord is the file that a program reads as its standard input.
func (l *layout) inputWord(s *task.Spec) string {
	return l.fileWord(s, strings.ReplaceAll(valueOf(s.Env, task.Input), "%x", s.Name))
}

// hostOf finds out how this host is called, where the name of a file asks for it.
func hostOf(s *task.Spec) string {
	if !slices.ContainsFunc([]string{s.Output, s.Error, valueOf(s.Env, task.Input)}, func(name string) bool { return task.HasPattern(name, 'N') }) {
		return ""
	}
	return "libra_host=$(uname -n)\nlibra_host=${libra_host%%.*}\n"
}

// openFile is the function that makes a file ready to be added to: a file, or a
// device such as /dev/null, and nothing that would make the job wait.
var openFile = fmt.Sprintf(`libra_open() {
	if [ -h "$1" ] || [ -e "$1" ] && [ ! -f "$1" ] && [ ! -c "$1" ]; then libra_never %[1]d; fi
	case $2 in
	anew) true >"$1" || libra_never %[1]d ;;
	*) printf '%%s' "$3" >>"$1" || libra_never %[1]d ;;
	esac
}
`, noOutput)

// writeRun writes the function that becomes the program.
func writeRun(b *strings.Builder, specs []task.Spec, l layout) {
	s := &specs[0]
	output := func(s *task.Spec) string { return s.Output }
	b.WriteString("libra_run() {\n\tlibra_files\n")
	fmt.Fprintf(b, "\tlibra_open \"$libra_out\" %s\n", beginning(specs, output))
	if s.Error == s.Output {
		b.WriteString("\texec >>\"$libra_out\" 2>&1\n")
	} else {
		fmt.Fprintf(b, "\tlibra_open \"$libra_err\" %s\n", beginning(specs, func(s *task.Spec) string { return s.Error }))
		b.WriteString("\texec >>\"$libra_out\" 2>>\"$libra_err\"\n")
	}
	fmt.Fprintf(b, "\texec <%s\n", l.inputWord(s)) // a shell that cannot open it says so, and ends
	writeTemporary(b, s)
	fmt.Fprintf(b, "\texec %s\n}\n", environment(specs, l)+command(s))
}

// beginning says how a file is opened: anew, or going on where somebody else has
// begun (a former attempt, the element before, another rank), with a line that
// says so. The agents do the same.
func beginning(specs []task.Spec, pattern func(*task.Spec) string) string {
	s := &specs[0]
	among := len(specs) > 1 && pattern(s) == pattern(&specs[1]) || valueOf(s.Env, task.OpenMode) == "append"
	attempt := ""
	if s.Attempt > 0 {
		attempt = fmt.Sprintf(", attempt %d", s.Attempt)
	}
	switch {
	case s.Len() > 0 && !task.HasPattern(pattern(s), 'a'):
		how := "$libra_how" // the shell knows which element is the first
		if among || s.Attempt > 0 {
			how = "on"
		}
		line := fmt.Sprintf("libra: job %d%s${libra_follows:+, element $libra_element}\n", s.Job, attempt)
		if s.Attempt == 0 {
			line = fmt.Sprintf("${libra_follows:+libra: job %d, element $libra_element\n}", s.Job)
		}
		return fmt.Sprintf("\"%s\" \"%s\"", how, line)
	case s.Attempt > 0 && !bySbatch(s): // Slurm begins the files of a job anew that it begins again
		return "on " + quote(fmt.Sprintf("libra: job %d%s\n", s.Job, attempt))
	case among:
		return "on ''"
	default:
		return "anew"
	}
}

// writeLane runs the elements of an array one after the other, whether they
// succeed or not, and ends like the first that did not.
func writeLane(b *strings.Builder) {
	fmt.Fprintf(b, `libra_bad=0
libra_began=
libra_how=anew
libra_follows=
libra_stop=
trap 'libra_stop=yes' TERM
for libra_element in $libra_elements; do
	if [ -n "$libra_stop" ]; then
		[ "$libra_bad" -ne 0 ] || libra_bad=143
		break
	fi
	(libra_inner=yes; libra_run)
	libra_code=$?
	case $libra_code in
	%s) ;;
	*) libra_began=yes ;;
	esac
	[ "$libra_bad" -ne 0 ] || libra_bad=$libra_code
	libra_how=on
	libra_follows=yes
done
[ -n "$libra_began" ] || [ "$libra_bad" -eq 0 ] || [ -n "$libra_stop" ] || libra_never $((libra_bad - 128))
exit "$libra_bad"
`, causeCodes)
}

// environment is the environment of a program, as the agents make it: what a
// login would set, then what the task asks for, then what it is told about itself.
func environment(specs []task.Spec, l layout) string {
	s := &specs[0]
	words := withdrawnFirst(slices.Concat([]string{"-u LIBRA_SEAL", "-u " + plugin.StepsVariable, "-u SLURM_HOSTFILE", "-u SLURM_OPEN_MODE", "-u OLDPWD"}, l.told(specs), l.login(s)))
	words = slices.Insert(words, 0, "/usr/bin/env")
	for _, setting := range l.withoutDevices(l.kept(task.WithoutPassed(s.Env))) {
		switch {
		case strings.HasPrefix(setting, temporary):
			words = append(words, `"TMPDIR=$libra_temporary"`)
			continue
		case bySbatch(s) && ofItsNode(setting):
			continue
		}
		words = append(words, quote(setting))
	}
	words = slices.Concat(words, l.toldSteps(s), toldGPUs(specs))
	if mode := valueOf(s.Env, task.OpenMode); mode != "" && bySbatch(s) {
		words = append(words, "SLURM_OPEN_MODE="+quote(mode[:1]))
	}
	words = append(words, restarts(s)...)
	nodes := quote("LIBRA_NODES=" + strings.Join(s.Nodes, ","))
	if l.later { // it is one
		nodes = `"LIBRA_NODES=$libra_node"`
	}
	words = append(words,
		jobWord(s), quote("LIBRA_JOB_NAME="+s.Name), `"LIBRA_RANK=$libra_rank"`,
		quote("LIBRA_SIZE="+strconv.Itoa(s.Size)), quote("LIBRA_THREADS="+strconv.Itoa(s.Processors())), nodes, `"LIBRA_NODE=$libra_node"`,
		quote("LIBRA_ATTEMPT="+strconv.Itoa(s.Attempt)))
	if l.array {
		words = append(words, `"LIBRA_ARRAY_INDEX=$SLURM_ARRAY_TASK_ID"`)
		words = append(words, sweepAsked(s)...)
	}
	if s.Len() > 0 {
		words = append(words, `"LIBRA_ARRAY_INDEX=$libra_element"`, `"SLURM_ARRAY_TASK_ID=$libra_element"`, `"SLURM_ARRAY_JOB_ID=$SLURM_JOB_ID"`)
		words = append(words, sweep(specs)...)
	}
	return strings.Join(words, " ") + " "
}

// ofItsNode reports whether Slurm tells a script another value of a variable, by sbatch, than it had where the script
// was handed in.
func ofItsNode(setting string) bool {
	name, _, _ := strings.Cut(setting, "=")
	return name == "HOSTNAME" || name == "ENVIRONMENT" || name == "SLURM_CONF"
}

// command is the program and its arguments. A name with an equals sign would be
// taken for a variable, so a shell stands in between.
func command(s *task.Spec) string {
	argv := s.Argv
	words := quoteAll(argv)
	if len(s.Script) > 0 {
		argv = interpreter(string(s.Script))
		words = quoteAll(argv) + ` "$libra_script" ` + quoteAll(s.Argv)
	}
	if strings.Contains(argv[0], "=") {
		return `/bin/sh -c 'exec "$@"' sh ` + words
	}
	return words
}

// scriptFile is the script of a task, open and without a name. What Slurm's own file has
// become is in $libra_script.
const scriptFile = "/proc/self/fd/3"

// interpreter is what the first line of a script asks for, read as the kernel
// reads it: a program, and all that follows as one argument.
func interpreter(text string) []string {
	line, _, _ := strings.Cut(text, "\n")
	asked, found := strings.CutPrefix(strings.TrimRight(line, "\r"), "#!")
	program, argument, _ := strings.Cut(strings.Trim(asked, " \t"), " ")
	switch argument = strings.Trim(argument, " \t"); {
	case !found || program == "":
		return []string{"/bin/sh"}
	case argument == "":
		return []string{program}
	default:
		return []string{program, argument}
	}
}
