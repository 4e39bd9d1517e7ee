package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/task"
)

// shepherd is the parent of one task, and lives as long as that.
type shepherd struct {
	handover

	news     *os.File // to the agent that started it, as long as that lives
	children chan os.Signal
	orders   chan os.Signal
	lease    *time.Timer
	grace    *time.Timer // runs from SIGTERM on

	program int           // the process, while there is one
	stopped task.Stop     // how the task was told to end
	expired bool          // the lease has run out
	began   time.Duration // by sinceBoot
	over    time.Duration // when the last program had ended, by awake; 0: none has
	used    time.Duration
	largest int64 // resident set of a process, in bytes
	status  task.Status
}

// Shepherd runs one task: it is what this binary does when it is called as
// "_shepherd". It returns an exit code.
func Shepherd() int {
	// The kernel ties the life of a child to that of the thread that made it.
	runtime.LockOSThread()
	s := &shepherd{news: os.NewFile(newsFD, "news")}
	if err := s.run(); err != nil {
		fmt.Fprintln(os.Stderr, err) // the folder's log
		return 1
	}
	return 0
}

func (s *shepherd) run() error {
	if err := errors.Join(closeOnExec(lockFD, newsFD), receive(&s.handover), s.identify()); err != nil {
		return err
	}
	s.listen()
	begin := beginning{StartedUS: unixMicros(), Boot: sinceBoot()}
	s.began = begin.Boot
	s.status = task.Status{Key: s.Record.Spec.Key, State: task.Ended, StartedUS: begin.StartedUS}

	// From here on the program may have run, and must never be started again.
	content, err := json.Marshal(begin)
	if err != nil {
		return err
	}
	if err = writeDurably(s.Folder.started(), content); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return err
		}
		return s.refuse(fmt.Errorf("write the start down: %w", err))
	}
	switch spec := s.Record.Spec; {
	case spec.Len() > 0:
		s.runArray(&spec)
	case spec.Optional != nil:
		s.runParts()
	default:
		s.runSingle()
	}
	s.clear()
	s.measure()
	return s.writeStatus()
}

// identify makes sure that this is the one shepherd of the task, and says who
// that is: the lock was taken by the agent and has come with the open file.
func (s *shepherd) identify() error {
	if err := unix.Flock(lockFD, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fmt.Errorf("lock of %s: %w", s.Folder, err)
	}
	err := uninterrupted(func() error {
		_, err := unix.Pwrite(lockFD, []byte(strconv.Itoa(os.Getpid())+"\n"), 0)
		return err
	})
	if err != nil {
		return fmt.Errorf("lock of %s: %w", s.Folder, err)
	}
	if err := adoptOrphans(); err != nil {
		return fmt.Errorf("become the parent of orphans: %w", err)
	}
	return nil
}

// listen makes signals wait to be looked at. Those that come from a terminal or
// a session are not for a shepherd, but to ignore them would be inherited.
func (s *shepherd) listen() {
	s.children = make(chan os.Signal, 1)
	signal.Notify(s.children, syscall.SIGCHLD)
	s.orders = make(chan os.Signal, 16)
	signal.Notify(s.orders, terminateSignal, killSignal)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGUSR2, syscall.SIGPIPE)
	s.lease = time.NewTimer(0)
	s.grace = time.NewTimer(time.Hour)
	s.grace.Stop()
}

// notify sends news to the agent; one that is gone does not need them.
func (s *shepherd) notify(word string) {
	_, _ = s.news.WriteString(word + "\n")
}

// refuse writes down that the task could not be started.
func (s *shepherd) refuse(reason error) error {
	s.status = task.Status{Key: s.Record.Spec.Key, State: task.Refused, Error: reason.Error()}
	return s.writeStatus()
}

// runSingle runs a task that is no array.
func (s *shepherd) runSingle() {
	end := s.runProgram(s.programOf(nil, s.status.Part))
	s.status.Exit, s.status.Signal = end.Exit, end.Signal
	if end.trouble != nil {
		s.status.State, s.status.Error = task.Refused, end.trouble.Reason
		s.status.Exit = 0
	}
}

// runArray runs the elements one after the other, whether they succeed or not.
// The task ends like the first element that did not succeed.
func (s *shepherd) runArray(spec *task.Spec) {
	started := false
	for i := range spec.Len() {
		index := spec.Element(i)
		if i > 0 && !s.clearBetween() {
			s.status.Error = fmt.Sprintf("element %d left processes that do not end", spec.Element(i-1))
			return
		}
		if s.stopped != task.GoOn {
			break
		}
		began := unixMicros()
		s.tell(task.Element{Index: index, StartedUS: began})
		end := s.runProgram(s.programOf(&index, ""))
		started = started || end.trouble == nil
		if end.trouble != nil && s.status.Error == "" {
			s.status.Error = end.trouble.Reason
		}
		element := task.Element{Index: index, Exit: end.Exit, Signal: end.Signal, StartedUS: began, EndedUS: unixMicros()}
		if end.trouble != nil {
			element.Error = end.trouble.Reason
		}
		s.tell(element)
		s.status.Elements = append(s.status.Elements, element)
		if s.status.Exit == 0 && s.status.Signal == "" {
			s.status.Exit, s.status.Signal = end.Exit, end.Signal
		}
	}
	if !started {
		s.status.State, s.status.Exit, s.status.Signal = task.Refused, 0, ""
		if s.status.Error == "" {
			s.status.Error = errStopped.Error()
		}
		return
	}
	if s.stopped != task.GoOn && s.status.Exit == 0 && s.status.Signal == "" && len(s.status.Elements) < spec.Len() {
		s.status.Signal = stopSignal[s.stopped]
	}
}

// stopSignal is what a task is said to have ended by that was stopped between
// two elements.
var stopSignal = map[task.Stop]string{task.Terminate: "SIGTERM", task.Kill: "SIGKILL"}

// writeStatus writes down how the task ended, and does not give up while the
// disk might recover: without it, the work of the task is lost.
func (s *shepherd) writeStatus() error {
	const tries, wait = 600, time.Second
	end := sinceBoot()
	if s.status.EndedUS = unixMicros(); s.status.StartedUS != 0 {
		s.status.RanUS = max(1, (end - s.began).Microseconds())
	}
	if s.expired {
		s.status.State, s.status.Signal, s.status.Error = task.Ended, "SIGKILL", task.LeaseRanOut
	}
	var err error
	for range tries {
		if err = writeReserved(s.Folder.room(), s.Folder.status(), verdict{s.status, end, s.over}); err == nil {
			return nil
		}
		fmt.Fprintln(os.Stderr, err)
		time.Sleep(wait)
	}
	return err
}
