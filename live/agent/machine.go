package agent

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
)

// Machine is what an agent asks of the machine that it runs on, besides files and
// groups: clocks, users, processes. In a Config nil is this one; a test that has
// all nodes of a cluster in one process, and a clock for each, brings others.
type Machine interface {
	// SinceBoot is a clock that nobody can set and that goes on while the machine
	// sleeps; Awake one that does not; UnixMicros is the time of day.
	SinceBoot() time.Duration
	Awake() time.Duration
	UnixMicros() int64
	// Boot names this run of the machine.
	Boot() (string, error)
	// Chance is a seed for what should differ from agent to agent.
	Chance() (uint64, uint64)
	// User is the only one that tasks can run as; empty: any.
	User() (string, error)
	// Account finds a user that tasks may run as: one of the system only if it is
	// among those named.
	Account(name string, named []string) (Account, error)
	// Idle tells what processors of the host did not do for anybody here.
	Idle() map[int]Idle
	// Adopt makes this process the parent of orphans, and Bury waits for them until
	// ctx ends.
	Adopt() error
	Bury(ctx context.Context)
	// Tend starts the shepherd of a task. Its news are closed, or end with ctx.
	Tend(ctx context.Context, e *Errand) (pid int, news <-chan string, err error)
	// Process is a handle of a process; nil if there are none here.
	Process(pid int) Process
}

// Process is a handle of a process, whose number may be given to another one.
type Process interface {
	Signal(sig unix.Signal) error
	// Await returns when the process has ended, or ctx.
	Await(ctx context.Context)
	Close() error
}

// Errand is what a shepherd is to do.
type Errand struct {
	Folder string   // of the task, see doc.go
	Lock   *os.File // of the folder: whoever has it lives
	Log    *os.File // for what it has to complain about
	Spec   task.Spec
	Group  string // of the task
	Lease  string // the file that says how long it may go on

	program string // this binary
	order   handover
}

// News of a shepherd. Others are numbers of processes that are to be adopted into
// the group.
const (
	BegunNews    = begunNews
	OptionalNews = optionalNews
)

// Account is a user of the machine.
type Account = account

// Idle is what a processor did not do for anybody on this machine.
type Idle = passed

// thisMachine is the one that this process runs on.
type thisMachine struct{}

func (thisMachine) SinceBoot() time.Duration { return sinceBoot() }
func (thisMachine) Awake() time.Duration     { return awake() }
func (thisMachine) UnixMicros() int64        { return unixMicros() }
func (thisMachine) Boot() (string, error)    { return bootID() }
func (thisMachine) Idle() map[int]Idle       { return readSteal() }
func (thisMachine) Adopt() error             { return adoptOrphans() }
func (thisMachine) Bury(ctx context.Context) { reapOrphans(ctx) }

func (thisMachine) Chance() (uint64, uint64) {
	return market.Bits(os.Getpid()), market.Bits(sinceBoot())
}

func (thisMachine) User() (string, error) {
	if os.Geteuid() == 0 {
		return "", nil
	}
	own, err := user.Current()
	if err != nil {
		return "", fmt.Errorf("own user: %w", err)
	}
	return own.Username, nil
}

func (thisMachine) Account(name string, named []string) (Account, error) {
	return lookupAccount(name, named)
}

func (thisMachine) Process(pid int) Process {
	if handle := processHandle(pid); handle != nil {
		return pidfd{handle}
	}
	return nil
}

// Tend starts this binary as a shepherd, with a pipe for its news.
func (thisMachine) Tend(ctx context.Context, e *Errand) (int, <-chan string, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return 0, nil, err
	}
	defer writer.Close() // it is the shepherd's
	pid, err := start(e.program, shepherdWord, nil, e.Log, []*os.File{e.Lock, writer}, e.order)
	if err != nil {
		return 0, nil, errors.Join(err, reader.Close())
	}
	news := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(reader)
		for lines.Scan() {
			select {
			case news <- lines.Text():
			case <-ctx.Done():
			}
		}
		_ = reader.Close() // it was only read
	}()
	return pid, news, nil
}

// pidfd is a handle that the kernel gives out.
type pidfd struct{ file *os.File }

func (p pidfd) Signal(sig unix.Signal) error { return signalHandle(p.file, sig) }
func (p pidfd) Close() error                 { return p.file.Close() }

func (p pidfd) Await(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() { _ = p.file.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	awaitExit(p.file)
}

// errand is what the shepherd of a task is told.
func (r *runner) errand(rec *record, hold grip, log *os.File) *Errand {
	c := r.agent.config
	return &Errand{
		Folder: string(r.folder), Lock: hold.file, Log: log, Spec: rec.Spec, Group: r.key.String(), Lease: r.agent.lease.path,
		program: c.Self,
		order: handover{
			Folder: r.folder, Record: *rec, Node: c.Node, Tree: c.Tree, Kind: r.agent.groups.Kind(), Lease: r.agent.lease.path,
			Enter: r.group.Enter(), Private: c.privacyOf(r.applied.Memory),
		},
	}
}

var (
	_ Machine = thisMachine{}
	_ Process = pidfd{}
)
