package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/live/agent/cgroup"
)

// handover is what an agent tells a shepherd, through a pipe: arguments and
// environments can be read by other users.
type handover struct {
	Folder folder `json:"folder"`
	Record record `json:"record"` // without the script, which is in the folder
	Node   string `json:"node"`
	Tree   string `json:"tree"`
	Kind   string `json:"kind"`
	Lease  string `json:"lease"` // the file

	Enter   cgroup.EnterSpec `json:"enter"`
	Private privacy          `json:"private"`
}

// The files that a child of this binary is started with, after the usual three.
const (
	orderFD = 3 // a pipe with what to do
	lockFD  = 4 // shepherd: the lock of the folder
	newsFD  = 5 // shepherd: a pipe for what the agent wants to know at once
	errorFD = 4 // init: what went wrong; closed when the program has begun
	lineFD  = 5 // init: a pipe for a program that says when its mandatory part is done
)

// saidFD is the same for the program.
const saidFD = 3

// enteredNews is the news that a program is about to be started, by a process that is
// its user's; begunNews that it runs, optionalNews that the mandatory part of the task
// is done. Other news are the numbers of processes that are to be
// adopted into the group.
const (
	enteredNews  = "entered"
	begunNews    = "begun"
	optionalNews = "optional"
)

// Words by which this binary knows what it has been started as.
const (
	shepherdWord = "_shepherd"
	initWord     = "_init"
)

// Reexec does the work of a shepherd or of an init if that is what the command
// line (without the program's name) asks for. A program that runs an agent has
// to call it before anything else, and to end with the code.
func Reexec(args []string) (code int, done bool) {
	if len(args) != 1 {
		return 0, false
	}
	switch args[0] {
	case shepherdWord:
		return Shepherd(), true
	case initWord:
		return Init(), true
	}
	return 0, false
}

// receive reads an order from the pipe it comes by.
func receive(order any) error {
	pipe := os.NewFile(orderFD, "orders")
	err := json.NewDecoder(pipe).Decode(order)
	if err = errors.Join(err, pipe.Close()); err != nil {
		return fmt.Errorf("read the order: %w", err)
	}
	return nil
}

// start starts this binary as something else, in a session of its own, with
// the given files from orderFD+1 on, and sends it an order. It returns before
// the other one has read all of it. An error means that nothing was started.
func start(program, word string, env []string, stderr *os.File, files []*os.File, order any) (pid int, err error) {
	content, err := json.Marshal(order)
	if err != nil {
		return 0, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close() // nothing was written
	reader, writer, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer reader.Close() // it is the other one's
	all := append([]*os.File{null, null, stderr, reader}, files...)
	pid, err = spawn(program, word, env, all)
	if err != nil {
		return 0, errors.Join(fmt.Errorf("start %s: %w", program, err), writer.Close())
	}
	// An order may be larger than what a pipe holds, and the other side may
	// die before it has read it: that is noticed elsewhere.
	go func() {
		_, _ = writer.Write(content)
		_ = writer.Close()
	}()
	return pid, nil
}

// closeOnExec keeps a file that was inherited from being inherited further.
func closeOnExec(fds ...int) error {
	for _, fd := range fds {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, unix.FD_CLOEXEC); err != nil {
			return fmt.Errorf("file %d: %w", fd, err)
		}
	}
	return nil
}
