package directive

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/libra-market/libra/core/task"
)

// jobLetter is what stands for the number of a job in the name of a file, after a percent sign: as
// sbatch prints it that of the batch system, where one runs the jobs, and else Libra's.
func (o *occurrence) jobLetter() string {
	if o.sbatch {
		return string(task.BatchLetter)
	}
	return "j"
}

// ownNumber is the letter of %j until it is known whether there is an array: of that each element
// has a number of its own, which the market does not know.
const ownNumber = '\x01'

// slurmFile turns Slurm's patterns in a file name into Libra's: %j or %b the job, %a the
// element of an array, %r the rank, %x the name. Own: that the job's own number is another thing
// than that of its array is seen to later (once).
func (o *occurrence) slurmFile(name string, own bool) (string, error) {
	if o.sbatch && strings.EqualFold(name, none) {
		return os.DevNull, nil
	}
	if o.sbatch && strings.Contains(name, `\`) { // as by sbatch: what is in it is no pattern
		name = strings.ReplaceAll(strings.ReplaceAll(name, `\`, ""), "%", "%%")
	}
	var b strings.Builder
	for rest := name; ; {
		before, after, found := strings.Cut(rest, "%")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		letter := strings.TrimLeft(after, "0123456789")
		if letter == "" {
			return "", fmt.Errorf("%q ends in the middle of a pattern", name)
		}
		digits := after[:len(after)-len(letter)] // that a number has at least; of a text they mean nothing
		rest = letter[1:]
		switch letter[0] {
		case '%':
			if text := strings.TrimLeft(rest, "0123456789"); text != "" && strings.ContainsRune(ourPatterns, rune(text[0])) {
				return "", fmt.Errorf("%q: %%%c is a pattern here and cannot be a text", name, text[0])
			}
			b.WriteByte('%')
		case 'j', 'J':
			if o.sbatch && own {
				b.WriteString("%" + digits + string(ownNumber))
				break
			}
			b.WriteString("%" + digits + o.jobLetter())
		case 'A':
			b.WriteString("%" + digits + o.jobLetter())
		case 'a':
			b.WriteString("%" + digits + "a")
		case 't':
			b.WriteString("%" + digits + "r")
		case 'N', 'n':
			if o.sbatch && letter[0] == 'N' {
				b.WriteString(task.NodePattern)
				break
			}
			b.WriteString("%" + digits + "r")
			if !o.sbatch {
				o.note(fmt.Sprintf("%%%c, the node, becomes %%r, the rank", letter[0]))
			}
		case 'x':
			b.WriteString("%x")
		case 'u':
			if o.at.User == "" {
				return "", fmt.Errorf("%%u in %q: it is not known who hands in the job", name)
			}
			b.WriteString(o.at.User)
		case 's':
			if o.sbatch {
				b.WriteString("batch")
				break
			}
			fallthrough
		default:
			if o.sbatch && !strings.ContainsRune(ourPatterns, rune(letter[0])) { // to sbatch it is a text like any other
				b.WriteString("%" + letter[:1])
				break
			}
			return "", fmt.Errorf("%%%c in %q: want %%j %%A %%a %%x %%N %%t or %%u", letter[0], name)
		}
	}
}

// ourPatterns are the letters that mean something after a % in a request.
const ourPatterns = "jbraxN"

// noElement is what %a is to sbatch where there is no array: the largest number but one.
const noElement = "4294967294"

// once fills in what a script that starts once, as by sbatch, is among its like: the first. In the
// place of an element's own number is that of the array with the element behind it: as many files,
// of which the market knows the names.
func (h *Head) once(name string) string {
	if h.Request.Array == nil {
		return task.FillPattern(task.RenamePattern(name, ownNumber, task.BatchLetter), 'a', noElement)
	}
	element := "_%a"
	if task.HasPattern(name, 'a') {
		element = ""
	}
	name = task.EachPattern(name, string(ownNumber), func(digits string, _ byte) string {
		return "%" + digits + string(task.BatchLetter) + element
	})
	return task.FillPattern(name, 'r', "0")
}

// pbsFile turns a path of PBS, which may name a host, into a file name.
func (o *occurrence) pbsFile(path string) (string, error) {
	if host, rest, found := strings.Cut(path, ":"); found && !strings.Contains(host, "/") {
		path = rest
		o.note("files are written where the job runs, not on " + host)
	}
	if path == "" {
		return "", errors.New("want a path")
	}
	for i := range len(path) - 1 {
		if path[i] == '%' && strings.IndexByte(ourPatterns, path[i+1]) >= 0 {
			return "", fmt.Errorf("%q: %%%c is a pattern here and cannot be a text", path, path[i+1])
		}
	}
	for _, known := range []struct{ theirs, ours string }{
		{"^array_index^", "%a"},
		{"${PBS_ARRAY_INDEX}", "%a"},
		{"$PBS_ARRAY_INDEX", "%a"},
		{"${PBS_ARRAYID}", "%a"},
		{"$PBS_ARRAYID", "%a"},
		{"${PBS_JOBID}", "%j"},
		{"$PBS_JOBID", "%j"},
		{"${PBS_JOBNAME}", "%x"},
		{"$PBS_JOBNAME", "%x"},
	} {
		path = strings.ReplaceAll(path, known.theirs, known.ours)
	}
	if strings.HasSuffix(path, "/") {
		path += "libra-%j.out"
	}
	return path, nil
}
