package agent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// goesOn reports whether the program of a task goes on with the optional part
// by itself, and says when it begins it.
func goesOn(spec task.Spec) bool { return spec.Optional != nil && len(spec.Optional.Argv) == 0 }

// runParts runs a task of two parts. The mandatory one must end well; how the
// optional one ends does not matter: it may be cut short at any time.
func (s *shepherd) runParts() {
	s.status.Part = task.MandatoryPart
	s.runSingle()
	failed := s.status.State != task.Ended || s.status.Exit != 0 || s.status.Signal != ""
	if goesOn(s.Record.Spec) || failed || s.stopped != task.GoOn {
		return
	}
	if !s.clearBetween() {
		s.status.Error = "the mandatory part left processes that do not end"
		return
	}
	// What is not written down must not begin: after it, nobody would know how
	// much of the processor time was for which part.
	if err := s.refine(); err != nil {
		s.status.Error = fmt.Sprintf("optional part not started: %v", err)
		return
	}
	end := s.runProgram(s.programOf(nil, task.OptionalPart))
	s.status.Exit, s.status.Signal = end.Exit, end.Signal
	if end.trouble != nil {
		s.status.Error = end.trouble.Reason
	}
}

// refine writes down that the mandatory part is done, and what it has used.
func (s *shepherd) refine() error {
	used := s.used
	s.do(func(group cgroup.Group) error {
		usage, err := group.Usage()
		used = max(used, usage.CPU)
		return err
	})
	content, err := json.Marshal(switchover{AtUS: unixMicros(), CPUUS: used.Microseconds(), Over: s.over, Boot: sinceBoot()})
	if err != nil {
		return err
	}
	if err = writeDurably(s.Folder.optional(), content); err != nil {
		return fmt.Errorf("write the end of the mandatory part down: %w", err)
	}
	s.status.Part, s.status.MandatoryCPUUS = task.OptionalPart, used.Microseconds()
	s.notify(optionalNews)
	return nil
}

// listenTo gives a program a line to say on that its mandatory part is done, if
// it is one that says so; the line is nil otherwise.
func listenTo(p *program) (said <-chan struct{}, line *os.File, err error) {
	if !p.Says {
		return nil, nil, nil
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	heard := make(chan struct{}, 1)
	go func() {
		// It goes on to the end of the last process that has the other end: who
		// writes to a line that nobody reads is killed for it.
		lines := bufio.NewReader(reader)
		for first := true; ; {
			b, err := lines.ReadByte()
			if err != nil {
				break
			}
			if b == '\n' && first {
				heard <- struct{}{}
				first = false
			}
		}
		_ = reader.Close() // it was only read
	}()
	return heard, writer, nil
}
