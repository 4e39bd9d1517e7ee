package directive

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// ErrUnknown says that a directive is none of those that are understood.
var ErrUnknown = errors.New("unknown")

// Error is a directive that cannot be followed.
type Error struct {
	File      string
	Line      int
	Directive string // as it is written: "#SBATCH --tmie"
	Err       error

	unread bool // it is no option, or has no such value
}

func (e *Error) Error() string {
	if e.Line == 0 { // on the command line
		return fmt.Sprintf("%s: %v", e.Directive, e.Err)
	}
	return fmt.Sprintf("%s:%d: %s: %v", e.File, e.Line, e.Directive, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Unread reports whether an error is of an option that could not be read, as sbatch tells such from
// others in how it ends: what is well said, and not to be had, is none.
func Unread(err error) bool {
	if several, is := err.(interface{ Unwrap() []error }); is { // of those that were joined, the first is what sbatch would have ended with
		all := several.Unwrap()
		return len(all) > 0 && Unread(all[0])
	}
	wrong, is := errors.AsType[*Error](err)
	return is && wrong.unread
}

// Note is a directive that is taken to mean less, or something else, than it
// says.
type Note struct {
	File      string
	Line      int
	Directive string
	Text      string

	// Agents says that it is so where agents of the market run the jobs, and not where Slurm does.
	Agents bool
}

func (n Note) String() string {
	if n.Line == 0 {
		return fmt.Sprintf("%s: %s", n.Directive, n.Text)
	}
	return fmt.Sprintf("%s:%d: %s: %s", n.File, n.Line, n.Directive, n.Text)
}

// Place is where and by whom a job is handed in.
type Place struct {
	Now  time.Time // deadlines at a time of day count from here, in its zone
	User string    // who hands it in, for %u in file names

	Nodefile func(name string) (string, error) // what is in a file of names of nodes; nil: nobody can open one
}

// Head is what is known of a job so far: from its script, then from whoever
// hands it in.
type Head struct {
	Request v1.Request
	Export  Export // what it gets of the environment, beside Request.Env
	Notes   []Note

	// Printed are jobs to wait for beside those of the request, by the numbers that sbatch
	// has printed for them: those of the batch system, where one runs the jobs.
	Printed Follows

	// Spreads are the numbers of nodes that a job may be on, as many of its tasks on each:
	// the most first, which is what the request says.
	Spreads []int

	// Packs are the numbers of nodes that its tasks may be packed on, as many on each, the fewest
	// first, where nothing is said but how many they are: Slurm packs them, where they have room.
	Packs []int

	step int // of its array, as sbatch tells its elements

	dueAt bool // its deadline is a point in time, or counts from when it is handed in, whenever it begins

	nodeMB  int64 // memory on each node, where it was said so
	tasks   int   // that Spreads are of
	oneEach bool  // of these it has as many as nodes
	perTask int   // processors of each

	Manner // of the command that hands it in

	Singleton bool // it waits for the end of the jobs of its user that have its name

	Asked     bool     // it was said which limits of who hands it in a job is to have:
	Propagate []string // these

	at     Place
	width  width    // what other systems' words say of the size
	all    width    // the same of a job that asks for all that nodes have
	joined string   // what PBS says of joining outputs: oe, eo, n
	sbatch bool     // it is handed in as sbatch would
	told   []string // what sbatch tells such a job of what it asked for
	steps  []string // and its srun
}

// New is a job of which nothing is known.
func New(at Place) *Head { return &Head{at: at} }

// Read takes in the head of a script. All mistakes are told at once.
func (h *Head) Read(file, script string) error { return h.read(file, script, nil) }

// read takes in the head of a script, and the options of the command that hands
// it in.
func (h *Head) read(file, script string, options []string) error {
	var own, foreign, mistakes []error
	r := &reader{head: h, file: file}
	lines := headLines(script)
	// What others' words say is applied first, so that #LIBRA beats it.
	for _, l := range lines {
		switch {
		case l.late:
			h.Notes = append(h.Notes, Note{File: file, Line: l.number, Directive: l.prefix, Text: "stands after the first command and is not read"})
		case l.prefix == sbatchPrefix:
			foreign = append(foreign, r.read(l, sbatchOptions))
		case l.prefix == pbsPrefix:
			foreign = append(foreign, r.read(l, pbsOptions))
		}
	}
	foreign = append(foreign, r.readWords(commandLine, options, sbatchOptions))
	if h.sbatch && bits.OnesCount8(uint8(h.width.memories)) > 1 && errors.Join(foreign...) == nil {
		return errMemories
	}
	if err := errors.Join(foreign...); err == nil {
		r.foresee(lines)
		if err = h.width.apply(h); err != nil {
			mistakes = append(mistakes, h.width.wrong(file, err))
		}
	}
	h.applyJoin()
	said := h.width
	h.width = width{}
	for _, l := range lines {
		if l.prefix == libraPrefix && !l.late {
			own = append(own, r.readLibra(l))
		}
	}
	if len(options) > 0 && errors.Join(foreign...) == nil {
		if err := h.insist(r, options, said); err != nil && len(mistakes) == 0 {
			mistakes = append(mistakes, said.wrong(file, err))
		}
	}
	r.noteVariables(script)
	return errors.Join(append(append(foreign, own...), mistakes...)...)
}

// Terms is the request without what is its program's: a name and an environment.
func (h *Head) Terms() v1.Request {
	request := h.Request
	if request.BeginMS > 0 && request.DeadlineMS > 0 && h.dueAt { // the market counts it from there
		request.DeadlineMS = max(1, request.DeadlineMS-request.BeginMS)
	}
	return request
}

// Finish completes the request: a name if it has none, and the environment.
func (h *Head) Finish(name string, environ []string) v1.Request {
	request := h.Terms()
	if request.Name == "" {
		request.Name = name
	}
	told := h.told
	if h.sbatch {
		environ = slices.DeleteFunc(slices.Clone(environ), ofAnotherJob)
		if h.Export.Said != "" && !h.Export.All { // these, and what a login sets
			h.Export.None = true
		}
		told = h.Export.tell(append(slices.Clone(told), hints(h.steps)...))
	}
	request.Env = h.Export.environment(environ, append(told, h.Request.Env...))
	return request
}

// How lines that are meant for a batch system start.
const (
	libraPrefix  = "#LIBRA"
	sbatchPrefix = "#SBATCH"
	pbsPrefix    = "#PBS"
)

// line is a directive line.
type line struct {
	number int
	prefix string
	text   string // after the prefix
	late   bool   // after the first command: nobody reads it there
}

// headLines finds the directive lines of a script.
func headLines(script string) []line {
	var found []line
	number, late := 0, false
	for text := range strings.Lines(script) {
		number++
		text = strings.TrimRight(text, "\r\n")
		for _, prefix := range []string{libraPrefix, sbatchPrefix, pbsPrefix} {
			rest, ok := strings.CutPrefix(text, prefix)
			if ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t' || prefix == sbatchPrefix) { // sbatch wants no blank after its own
				found = append(found, line{number, prefix, rest, late})
			}
		}
		if bare := strings.TrimSpace(text); bare != "" && bare[0] != '#' {
			late = true
		}
	}
	return found
}

// reader reads the lines of one file into a head.
type reader struct {
	head *Head
	file string
}

func (r *reader) wrong(l line, directive string, err error) error {
	return &Error{File: r.file, Line: l.number, Directive: strings.TrimSpace(l.prefix + " " + directive), Err: err}
}

// unread is a mistake that is in the words themselves, unless it is of something that is not to be had,
// or of what sbatch reads otherwise.
func (r *reader) unread(l line, directive string, err error) error {
	_, had := errors.AsType[notHad](err)
	_, one := errors.AsType[statusOneError](err)
	return &Error{File: r.file, Line: l.number, Directive: strings.TrimSpace(l.prefix + " " + directive), Err: err, unread: !had && !one}
}

// statusOneError is a mistake of a kind that sbatch ends with 1 for: in the numbers of tasks and their
// processors, and in what it leaves slurmctld to read.
type statusOneError struct{ error }

func (e statusOneError) Unwrap() error { return e.error }

// statusOne has the mistakes of an option be of that kind.
func statusOne(set func(o *occurrence) error) func(o *occurrence) error {
	return func(o *occurrence) error {
		if err := set(o); err != nil {
			return statusOneError{err}
		}
		return nil
	}
}

// notHad is what sbatch would take, and the market does not have: why, and what would do.
type notHad string

func (n notHad) Error() string { return string(n) }

func (r *reader) note(l line, directive, text string) {
	r.head.Notes = append(r.head.Notes, Note{File: r.file, Line: l.number, Directive: l.prefix + " " + directive, Text: text})
}
