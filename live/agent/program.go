package agent

import (
	"fmt"
	"os"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// program is what a shepherd tells an init, through a pipe: all that has to be
// so when the user's program begins.
type program struct {
	Parent  int              `json:"parent"` // the shepherd
	Enter   cgroup.EnterSpec `json:"enter"`
	Account account          `json:"account"`
	Become  bool             `json:"become"` // the account; otherwise it is that already
	Dir     string           `json:"dir"`
	Output  target           `json:"output"`
	Error   target           `json:"error"`
	Script  string           `json:"script,omitempty"` // a file; Argv are its arguments
	Argv    []string         `json:"argv"`
	Env     []string         `json:"env"`
	Says    bool             `json:"says,omitempty"` // when its mandatory part is done
	Private privacy          `json:"private"`
	First   int              `json:"first,omitempty"` // how much sooner than others it is killed when the memory of all is full
}

// target is a file that the program writes to.
type target struct {
	Path   string `json:"path"` // empty: nowhere
	Append bool   `json:"append,omitempty"`
	Note   string `json:"note,omitempty"` // a line to begin with
}

// programOf is the program of one element of an array, or of a task that is no
// array (nil): of the part that is next, where it has two.
func (h *handover) programOf(element *int, part task.Part) program {
	spec := h.Record.Spec
	p := program{
		Parent: os.Getpid(), Enter: h.Enter, Account: h.Record.Account, Become: os.Geteuid() == 0,
		Dir: spec.Dir, Argv: spec.Argv, Private: h.Private,
		Env: append(environ(h.Record, h.Node, element, part), h.Enter.Env...),
	}
	if spec.Memory == 0 {
		p.First = askedForNone
	}
	p.Output = h.target(spec.Output, element)
	p.Error = h.target(spec.Error, element)
	if spec.Error == spec.Output {
		p.Error = p.Output
	}
	if part == task.OptionalPart {
		p.Argv = spec.Optional.Argv
		p.Output.Append, p.Output.Note, p.Error.Append, p.Error.Note = true, "", true, ""
		return p
	}
	p.Says = goesOn(spec)
	if _, err := os.Stat(h.Folder.script()); err == nil {
		p.Script = h.Folder.script()
	}
	return p
}

func (h *handover) target(pattern string, element *int) target {
	spec := h.Record.Spec
	t := target{Path: expand(pattern, spec.Key, element)}
	t.Append, t.Note = appends(pattern, spec, element)
	return t
}

// trouble is why a program could not be started, and the code that a shell would
// end with for that reason.
type trouble struct {
	Code   int    `json:"code"`
	Reason string `json:"reason"`
}

func (t trouble) Error() string { return t.Reason }

// Codes of shells: a program that is there but does not start, and one that is
// not there.
const (
	codeNotStarted = 126
	codeNotFound   = 127
)

func troubled(code int, format string, args ...any) *trouble {
	return &trouble{Code: code, Reason: fmt.Sprintf(format, args...)}
}
