package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/plugin"
)

// What a job has of where it was handed in, beside its variables, it gets from Slurm as by
// sbatch: Slurm sets the umask and, as far as its own settings let it, the limits, and asks for
// what a login would set where that is wanted.

// surroundings is the environment that Slurm starts the script of a job in. What its programs
// get is in the script.
func (b *Backend) surroundings(specs []task.Spec, l *layout) []string {
	s := &specs[0]
	env := []string{"PATH=" + b.cfg.Path}
	alone := len(specs) == 1 || s.Once // else srun starts it, which is looked for there
	if alone && valueOf(s.Env, task.Login) != "" && !l.bare(s) {
		env = []string{"SLURM_GET_USER_ENV=1"}
	}
	if mask := valueOf(s.Env, task.Umask); mask != "" {
		if n, err := strconv.ParseUint(mask, 8, 16); err == nil && n <= 0o777 {
			env = append(env, fmt.Sprintf("SLURM_UMASK=%04o", n))
		}
	}
	for _, setting := range s.Env {
		limit, is := strings.CutPrefix(setting, task.Limits)
		name, value, _ := strings.Cut(limit, "=")
		if !is || !slices.Contains(task.LimitNames, name) {
			continue
		}
		if _, err := strconv.ParseUint(strings.TrimPrefix(value, "U"), 10, 64); err == nil {
			env = append(env, "SLURM_RLIMIT_"+limit)
		}
	}
	if l.guides(s) {
		env = append(env, plugin.StepsVariable+"=no") // the plugin says otherwise, where there is one
	}
	return env
}

// bare reports whether a job gets nothing of an environment but what Slurm tells it, not even what
// a login would set: as by --export=NIL of newer releases, to which it is NONE otherwise.
func (l *layout) bare(s *task.Spec) bool {
	return l.perTaskToo && bySbatch(s) && strings.EqualFold(valueOf(s.Env, "SLURM_EXPORT_ENV"), "nil")
}

// login is what a program has of a login, in words for env(1).
func (l *layout) login(s *task.Spec) []string {
	if l.bare(s) {
		return []string{"-u PATH", "-u HOME", "-u USER", "-u LOGNAME", "-u SHELL"}
	}
	if bySbatch(s) && valueOf(s.Env, task.Login) == "" { // the rest as it was where it was handed in, or not at all
		return []string{`"PATH=$PATH"`}
	}
	return []string{`"PATH=$PATH"`, `"HOME=${libra_home:-/}"`, quote("USER=" + s.User), quote("LOGNAME=" + s.User), `"SHELL=${libra_shell:-/bin/sh}"`}
}

// temporary is how the setting begins that says where a program has its temporary files.
const temporary = "TMPDIR="

// writeTemporary makes the directory for temporary files, as Slurm does for sbatch, or says that
// it is another one: on the node of a job there may be none of that name.
func writeTemporary(b *strings.Builder, s *task.Spec) {
	dir := valueOf(s.Env, strings.TrimSuffix(temporary, "="))
	if dir == "" {
		fmt.Fprint(b, "\tlibra_temporary=\n")
		return
	}
	fmt.Fprintf(b, "\tlibra_temporary=%s\n", quote(dir))
	b.WriteString("\tif [ ! -d \"$libra_temporary\" ] && ! mkdir -m 700 \"$libra_temporary\" 2>/dev/null; then\n")
	b.WriteString("\t\techo \"libra: TMPDIR $libra_temporary is not there and cannot be made: it is /tmp\" >&2\n\t\tlibra_temporary=/tmp\n\tfi\n")
}
