package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Init becomes the user's program: it joins the group of the task while it has
// the right to, becomes the user, and from there on does everything with the
// user's rights. It returns only if that did not succeed.
func Init() int {
	runtime.LockOSThread() // what is set for a thread must be so for the one that becomes the program
	if err := closeOnExec(errorFD); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return codeNotStarted
	}
	var p program
	err := receive(&p)
	if err == nil {
		err = p.become()
	}
	problem := &trouble{Code: codeNotStarted, Reason: err.Error()}
	errors.As(err, &problem)
	pipe := os.NewFile(errorFD, "trouble")
	if err = json.NewEncoder(pipe).Encode(problem); err != nil {
		fmt.Fprintln(os.Stderr, err) // the shepherd's log
	}
	return problem.Code
}

// become returns only with an error.
func (p *program) become() error {
	unignore()
	if p.Says { // before another file gets that number
		if err := unix.Dup3(lineFD, saidFD, unix.O_CLOEXEC); err != nil {
			return fmt.Errorf("line to the shepherd: %w", err)
		}
	}
	// 1. While this is still the agent's user.
	if err := p.Enter.Join(); err != nil {
		return fmt.Errorf("join the group: %w", err)
	}
	script, err := p.openScript()
	if err != nil {
		return err
	}
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(strconv.Itoa(p.First)), 0) // may be refused, and is so in most cases already
	if p.Become {
		if err = p.Private.hide(); err != nil {
			return err
		}
	}
	if err = say(entered); err != nil {
		return err
	}
	if p.Become {
		if err = p.Account.assume(); err != nil {
			return err
		}
	}
	// 2. As the user.
	if err = restrict(p.Parent); err != nil {
		return err
	}
	unix.Umask(0o022)
	if err = os.Chdir(p.Dir); err != nil {
		return noDirectory(p.Dir, err)
	}
	if err = p.connect(); err != nil {
		return err
	}
	// 3. As the program.
	path, argv, err := p.command(script)
	if err != nil {
		return err
	}
	if err = say(begins); err != nil {
		return err
	}
	return execute(p.name(), path, argv, p.Env)
}

// What an init says to its shepherd on the way: that it is in the group of the task and
// is about to become its user, who may stop it, kill it and make it wait from then on;
// and that it is about to become the program. One that ends without more was ended in
// between, and nothing of the program ran.
const (
	entered = "entered\n"
	begins  = "begins\n"
)

func say(word string) error {
	if _, err := unix.Write(errorFD, []byte(word)); err != nil {
		return fmt.Errorf("line to the shepherd: %w", err)
	}
	return nil
}

// unignore undoes what the agent was started with: a program expects that
// signals do what they do by default, and an ignored one stays ignored.
func unignore() {
	for sig := syscall.Signal(1); sig < 65; sig++ {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig) // a handler does not survive the exec
		}
	}
}

// restrict closes the ways back to more rights, and ties the program's life to
// that of its shepherd, without which nobody would know how it ended.
func restrict(parent int) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("no core dumps: %w", err)
	}
	// After the change of user, which undoes it.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("tie to the shepherd: %w", err)
	}
	if os.Getppid() != parent {
		return errors.New("the shepherd is gone")
	}
	return nil
}

// closeAllOnExec keeps from the program whatever else is open here.
func closeAllOnExec() error {
	err := unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC)
	if err == nil {
		return nil
	}
	// A kernel without close_range.
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("open files: %w", err)
	}
	for _, entry := range entries {
		var fd int
		if _, err := fmt.Sscan(entry.Name(), &fd); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}
