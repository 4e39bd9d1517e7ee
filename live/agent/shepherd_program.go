package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent/cgroup"
)

// ending is how a program ended.
type ending struct {
	Exit    int
	Signal  string
	trouble *trouble // it was never started
}

// runProgram starts a program and waits for its end. Meanwhile it does what the
// agent and the lease ask for.
func (s *shepherd) runProgram(p program) ending {
	pid, begun, said, err := s.startProgram(p)
	if err != nil {
		return ending{Exit: codeNotStarted, trouble: troubled(codeNotStarted, "%v", err)}
	}
	s.program = pid
	defer func() { s.program = 0 }()
	s.notify(strconv.Itoa(pid))
	var problem *trouble
	for {
		select {
		case problem = <-begun:
			begun = nil
			if problem == nil {
				s.notify(begunNews)
			}
		case <-said:
			said = nil
			if err := s.refine(); err != nil {
				fmt.Fprintln(os.Stderr, err) // then the end of the program is that of its mandatory part
			}
		case <-s.children:
			status, ended := s.bury(pid)
			if !ended {
				continue
			}
			s.over = awake()
			if begun != nil {
				problem = <-begun
			}
			return s.conclude(status, problem)
		case sig := <-s.orders:
			s.obey(sig, pid, begun == nil)
		case <-s.grace.C:
			s.kill(pid)
		case <-s.lease.C:
			if s.checkLease() {
				s.kill(pid)
			}
		}
	}
}

// conclude reads the status of a program that has ended, or of an init that
// could not start one. Who kills the init of its own program has ended the program.
func (s *shepherd) conclude(status syscall.WaitStatus, problem *trouble) ending {
	switch {
	case problem == killed && status.Signaled() && s.stopped == task.GoOn:
		return ending{Signal: signalName(status.Signal())}
	case problem != nil:
		return ending{Exit: problem.Code, trouble: problem}
	case status.Signaled():
		return ending{Signal: signalName(status.Signal())}
	default:
		return ending{Exit: status.ExitStatus()}
	}
}

// signalName is never empty: a task with no signal and no exit code succeeded.
func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("SIG%d", int(sig))
}

// startProgram starts an init. The first channel gives why the program could not
// be started, nil if it was; the second something when the program has said that
// its mandatory part is done.
func (s *shepherd) startProgram(p program) (int, chan *trouble, <-chan struct{}, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return 0, nil, nil, err
	}
	files := []*os.File{writer}
	said, line, err := listenTo(&p)
	if err != nil {
		return 0, nil, nil, errors.Join(err, reader.Close(), writer.Close())
	}
	if line != nil {
		files = append(files, line)
	}
	// The file of this process and not its path: that may be a newer version
	// by now.
	pid, err := start("/proc/self/exe", initWord, p.Enter.Env, os.Stderr, files, p)
	for _, file := range files {
		_ = file.Close() // it is the init's
	}
	if err != nil {
		return 0, nil, nil, errors.Join(err, reader.Close())
	}
	result := make(chan *trouble, 1)
	go func() {
		words := bufio.NewReader(reader)
		first, _ := words.ReadString('\n')
		if first == entered {
			s.notify(enteredNews)
		}
		rest, _ := io.ReadAll(words) // ends when the program begins, or the init ends
		_ = reader.Close()
		result <- troubleIn(first + string(rest))
	}()
	return pid, result, said, nil
}

// killed is the trouble of an init that was its user's already, and ended without a word.
var killed = troubled(codeNotStarted, "%v", errStopped)

// troubleIn is why a program did not begin, by all that its init said; nil: it did.
func troubleIn(words string) *trouble {
	words, inside := strings.CutPrefix(words, entered)
	words, about := strings.CutPrefix(words, begins)
	switch {
	case words == "" && about:
		return nil
	case words == "" && inside:
		return killed
	case words == "":
		return troubled(codeNotStarted, "%v", errStopped)
	}
	problem := new(trouble)
	if err := json.Unmarshal([]byte(words), problem); err != nil {
		problem = troubled(codeNotStarted, "init said %q", words)
	}
	return problem
}

// bury takes the status of all children that have ended, orphans of the task
// among them, and reports that of the program.
func (s *shepherd) bury(pid int) (syscall.WaitStatus, bool) {
	var found syscall.WaitStatus
	ended := false
	if pid > 0 && errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		// Somebody else in this process has buried it: the keeper of a group
		// by signals, which only kills.
		found, ended = syscall.WaitStatus(syscall.SIGKILL), true
	}
	for {
		var status syscall.WaitStatus
		var usage syscall.Rusage
		child, err := syscall.Wait4(-1, &status, syscall.WNOHANG, &usage)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || child <= 0 {
			return found, ended
		}
		s.used += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		s.largest = max(s.largest, usage.Maxrss<<10)
		if child == pid {
			found, ended = status, true
		}
	}
}

// obey does what the agent asks for.
func (s *shepherd) obey(sig os.Signal, pid int, begun bool) {
	if sig == killSignal {
		s.stopped = task.Kill
		s.kill(pid)
		return
	}
	if s.stopped != task.GoOn {
		return
	}
	s.stopped = task.Terminate
	s.grace.Reset(time.Duration(s.Record.Spec.GraceMS) * time.Millisecond)
	if !begun {
		_ = unix.Kill(pid, unix.SIGTERM) // it may not be in the group yet
		return
	}
	s.do(func(group cgroup.Group) error {
		// One that is frozen could not even read the signal.
		return errors.Join(group.Signal(unix.SIGTERM), group.Thaw())
	})
}

// checkLease reports whether the lease has run out, and looks again later.
func (s *shepherd) checkLease() bool {
	const often, seldom = 20 * time.Millisecond, time.Second
	deadline, err := readLease(s.Lease)
	if err != nil || deadline == 0 { // a file being replaced is no reason to end a task
		s.lease.Reset(seldom)
		return false
	}
	left := deadline - sinceBoot()
	if left < 0 {
		s.expired, s.stopped = true, task.Kill
		return true
	}
	s.lease.Reset(min(max(left, often), seldom))
	return false
}

// killTime is how long the kernel may take to end the processes of a task: one
// that waits for a disk or a file server ends only when that answers.
const killTime = 30 * time.Second

// kill ends the task. The program may not be in the group yet.
func (s *shepherd) kill(pid int) {
	s.clear()
	_ = unix.Kill(pid, unix.SIGKILL) // our child, so the number is still its own
}

// clear ends every process that is left in the group.
func (s *shepherd) clear() {
	s.do(func(group cgroup.Group) error {
		ctx, cancel := context.WithTimeout(context.Background(), killTime)
		defer cancel()
		return group.Kill(ctx)
	})
}

// clearBetween ends what one element has left behind before the next one begins,
// and reports whether it did. It leaves the limits of the group as they are,
// which Kill does not: the agent that could set them again may be gone.
func (s *shepherd) clearBetween() bool {
	const often = 10 * time.Millisecond
	for waited := time.Duration(0); waited < killTime; waited += often {
		left := 0
		known := s.do(func(group cgroup.Group) error {
			err := group.Signal(unix.SIGKILL)
			procs, err2 := group.Procs()
			left = len(procs)
			return errors.Join(err, err2)
		})
		s.bury(0)
		if known && left == 0 {
			return true
		}
		time.Sleep(often)
	}
	return false
}

// measure adds what the task has used.
func (s *shepherd) measure() {
	s.status.CPUUS, s.status.PeakBytes = s.used.Microseconds(), s.largest
	s.do(func(group cgroup.Group) error {
		usage, err := group.Usage()
		if err != nil {
			return err
		}
		s.status.CPUUS = max(s.status.CPUUS, usage.CPU.Microseconds())
		if usage.PeakMemory > 0 {
			s.status.PeakBytes = usage.PeakMemory
		}
		s.outOfMemory(usage)
		return nil
	})
}

// outOfMemory notes whether processes of the task were killed for want of memory, and
// whose doing that was. One that asked for memory and kept to it has a right to it:
// where the memory of all was full, the node has lost it. One that asked for none has
// what others leave.
func (s *shepherd) outOfMemory(usage cgroup.Usage) {
	s.status.OOM = usage.OOMKills > 0
	if !s.status.OOM || usage.AtLimit {
		return
	}
	const full = "the memory of all tasks of the node was full"
	s.status.Limit, s.status.Error = task.LimitMemory, full
	switch {
	case s.Record.Spec.Memory == 0:
		s.status.Error += ", and it had asked for none (--memory)"
	case s.status.Part != task.OptionalPart: // otherwise what was promised is done
		s.status.State, s.status.OOM, s.status.Limit = task.Lost, false, ""
		s.status.Error += ", and it had kept to what it asked for"
	}
}

// askedForNone is added to a task's score (of a thousand) when the kernel looks for
// one to kill: it comes before all that asked for memory, however small it is.
const askedForNone = 1000

// do does something to the task's group, and reports whether it succeeded. What
// did not is logged: the end of the task has to be written down whatever
// happens.
func (s *shepherd) do(what func(cgroup.Group) error) bool {
	err := withGroup(s.Tree, s.Kind, s.Record.Spec.Key.String(), func(group cgroup.Group) error {
		if s.Kind == cgroup.Signals && s.program > 0 {
			// Who keeps a group by signals buries its processes, but for those
			// that somebody else has started.
			if err := group.Adopt(s.program); err != nil && !errors.Is(err, os.ErrProcessDone) {
				return err
			}
		}
		return what(group)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return err == nil
}
