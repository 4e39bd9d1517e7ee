package spec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	yaml "go.yaml.in/yaml/v3"
)

// reader collects what is wrong with a file, so that its writer learns of
// everything at once, and remembers where each field stands.
type reader struct {
	file  string
	now   time.Time         // when the jobs are handed in; zero: nobody said
	homes map[string]string // the table in which each field belongs
	lines map[string]int
	wrong Errors
}

// maxErrors is how many mistakes are worth listing at once.
const maxErrors = 20

func (r *reader) fail(n *yaml.Node, path, format string, args ...any) {
	r.add(&Error{File: r.file, Line: n.Line, Field: path, Problem: fmt.Sprintf(format, args...)})
}

func (r *reader) add(e *Error) {
	if len(r.wrong) < maxErrors {
		r.wrong = append(r.wrong, e)
	}
}

func (r *reader) seen(path string, n *yaml.Node) {
	if r.lines == nil {
		r.lines = map[string]int{}
	}
	r.lines[path] = n.Line
}

// nearest is the place to blame for something at path: where it stands if it
// does, or else the mapping that should have held it.
func (r *reader) nearest(path string, otherwise *yaml.Node) *yaml.Node {
	if line, ok := r.lines[path]; ok {
		return &yaml.Node{Line: line}
	}
	return otherwise
}

// check gives an error of a Validate method its place.
func (r *reader) check(err error, doc *yaml.Node) {
	var wrong *Error
	if !errors.As(err, &wrong) {
		return // nothing is wrong
	}
	line := doc.Line
	for path := wrong.Field; path != ""; path = parent(path) {
		if at, ok := r.lines[path]; ok {
			line = at
			break
		}
	}
	r.add(&Error{File: r.file, Line: line, Field: wrong.Field, Problem: wrong.Problem})
}

// done returns what is wrong, in the order of the file.
func (r *reader) done() error {
	if len(r.wrong) == 0 {
		return nil
	}
	slices.SortStableFunc(r.wrong, func(a, b *Error) int { return cmp.Compare(a.Line, b.Line) })
	return r.wrong
}

// full reports whether reading on would add nothing.
func (r *reader) full() bool { return len(r.wrong) == maxErrors }

// parent is the path of what holds the thing at path.
func parent(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '.' || path[i] == '[' {
			return path[:i]
		}
	}
	return ""
}
