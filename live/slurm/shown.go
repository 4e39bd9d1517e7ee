package slurm

import (
	"strings"

	"github.com/libra-market/libra/core/estimate"
	"github.com/libra-market/libra/core/task"
)

// What Slurm is told of a job's files and its command is what it shows of them (scontrol
// show job). It opens the files too, and writes what it has to say of the job itself into
// them, as it does for sbatch; the script then opens them as the market's agents would.

// knownToSlurm are the patterns that Slurm fills in, too: the number of the job, and the node.
const knownToSlurm = string(task.BatchLetter) + "N"

// knownOfArrays are those of an element of an array of Slurm's.
const knownOfArrays = knownToSlurm + "a"

// shownFile is a file as Slurm is told it: nowhere, where each rank or element has its own,
// or Slurm could not be told its name.
func (l *layout) shownFile(specs []task.Spec, name string) string {
	s := &specs[0]
	apart := len(specs) > 1 && !s.Once || s.Len() > 0 && task.HasPattern(name, 'a')
	if name = fileOf(s, name); name == "" || apart || strings.Contains(name, `\`) {
		return nowhere
	}
	var b strings.Builder
	plain := func(text string) { b.WriteString(strings.ReplaceAll(text, "%", "%%")) }
	known, number := knownToSlurm, "j"
	if l.array {
		known, number = knownOfArrays, "A"
	}
	for {
		before, digits, letter, after, found := task.CutPattern(name, known)
		plain(before)
		switch {
		case !found:
			return b.String()
		case letter == task.BatchLetter:
			b.WriteString("%" + digits + number)
		case letter == 'a':
			b.WriteString("%" + digits + "a")
		default:
			b.WriteString("%N")
		}
		name = after
	}
}

// shownCommand is the file that a script was handed in as, and its arguments; nothing, as
// for sbatch, of one that was not in a file.
func shownCommand(s *task.Spec) []string {
	if len(s.Script) == 0 {
		return nil
	}
	for _, setting := range s.Env {
		if path, is := strings.CutPrefix(setting, estimate.ScriptFile); is && path != "" {
			return append([]string{path}, s.Argv...)
		}
	}
	return nil
}
