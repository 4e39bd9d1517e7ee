package directive

import (
	"strings"
)

// Command is a command line of sbatch, taken apart.
type Command struct {
	Options []string // of sbatch, as they are written
	Own     []string // of whoever reads it, as they are written
	Args    []string // the script and its arguments
}

// commandLine is where options stand that are in no file.
var commandLine = line{prefix: "sbatch"}

// SplitSbatch takes a command line apart: options up to the first word that is
// none, which is the script. Own says of an option whether it is the caller's, and
// whether it has a value; what is neither its nor sbatch's is an error.
func SplitSbatch(args []string, own func(name string) (mine, value bool)) (Command, error) {
	var c Command
	for len(args) > 0 {
		word := args[0]
		if word == "--" {
			c.Args = args[1:]
			return c, nil
		}
		if len(word) < 2 || word[0] != '-' {
			break
		}
		name, given := word, false
		if strings.HasPrefix(word, "--") {
			name, _, given = strings.Cut(word, "=")
		} else if len(word) > 2 {
			name, given = word[:2], true
		}
		mine, value := own(name)
		if full := fullName(sbatchOptions, name); full != name && !mine {
			word = full + strings.TrimPrefix(word, name)
			args = append([]string{word}, args[1:]...)
			name = full
			mine, value = own(name)
		}
		known, found := findOption(sbatchOptions, name)
		switch {
		case mine:
		case !found:
			return c, &Error{Directive: commandLine.prefix + " " + name, Err: unknown(name, optionNames(sbatchOptions)), unread: true}
		default:
			value = known.takes == aValue
		}
		n := 1
		if value && !given {
			if n = 2; len(args) < n {
				return c, &Error{Directive: commandLine.prefix + " " + name, Err: errNoValue, unread: true}
			}
		}
		if mine {
			c.Own = append(c.Own, args[:n]...)
		} else {
			c.Options = append(c.Options, args[:n]...)
		}
		args = args[n:]
	}
	c.Args = args
	return c, nil
}

// ReadSbatch takes in the head of a script as it would be read for sbatch with
// these options, which beat what the script says. What sbatch does where nothing is
// said holds here too: the job gets all of the environment, and its output is in
// slurm-JOB.out.
func (h *Head) ReadSbatch(file, script string, options []string) error {
	h.Export.All, h.sbatch = true, true
	if err := h.read(file, script, options); err != nil {
		return err
	}
	switch {
	case h.Request.Output != "":
	case h.Request.Array != nil:
		h.Request.Output = "slurm-%b_%a.out"
	default:
		h.Request.Output = "slurm-%b.out"
	}
	h.Request.Output, h.Request.Error = h.once(h.Request.Output), h.once(h.Request.Error)
	return nil
}

// insist says again what the command line says, because the lines of the script
// that are Libra's own have been read since; without telling twice of the same. Beside those its
// size may not do any more, as that of an element of an array.
func (h *Head) insist(r *reader, options []string, said width) (err error) {
	notes := h.Notes
	_ = r.readWords(commandLine, options, sbatchOptions) // they were good a moment ago
	if sized := h.width != (width{}); sized {
		err = said.apply(h)
	}
	h.width, h.Notes = width{}, notes
	return err
}
