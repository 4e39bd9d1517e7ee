package agent

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/task"
)

// ErrBusy says that another agent uses the state directory.
var ErrBusy = errors.New("another agent is at work here")

// Agent runs a node for a controller.
type Agent struct {
	config     Config
	controller Controller
	groups     Groups
	machine    Machine
	log        *slog.Logger
	hello      task.Hello
	tasks      string // directory of the tasks' folders
	lease      *leaseFile
	leaders    *leaders
	steal      steal
	starts     chan struct{} // as many tasks are started at a time as it holds
	readers    chan struct{} // likewise for pieces of output
	urgent     chan struct{} // holds one: a task has ended
	registered chan struct{} // closed after the first time
	running    sync.WaitGroup
	devices    devices
	control    *control // nil: the agent runs the tasks itself
	chance     [2]uint64

	mu          sync.Mutex
	runners     map[task.Key]*runner
	follows     map[task.Key]func() // begins another task of the same name when that one is gone
	version     int64               // of what is wanted
	leaseTime   time.Duration
	reportEvery time.Duration
	asked       map[string]bool    // tails that are being answered, or have been
	again       context.CancelFunc // makes the agent ask again what is wanted
	behind      time.Duration      // since when something newer is known to be wanted, by sinceBoot; 0: not
	stuckAt     int64              // the version that was known then
}

// Each start takes memory and processor time from tasks that run.
const startsAtOnce = 8

// A file on a server that does not answer holds up only so many.
const readersAtOnce = 8

// New makes an agent that limits its tasks by groups.
func New(config Config, controller Controller, groups Groups, log *slog.Logger) (*Agent, error) {
	config, err := config.Default()
	if err != nil {
		return nil, err
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	machine := config.Machine
	a := &Agent{
		config: config, controller: controller, groups: groups, machine: machine, log: log.With("node", config.Node),
		steal:      steal{machine: machine},
		tasks:      filepath.Join(config.StateDir, "tasks"),
		starts:     make(chan struct{}, startsAtOnce),
		readers:    make(chan struct{}, readersAtOnce),
		urgent:     make(chan struct{}, 1),
		registered: make(chan struct{}),
		runners:    map[task.Key]*runner{},
		follows:    map[task.Key]func(){},
		asked:      map[string]bool{},
	}
	a.devices.have(config.GPUs)
	a.chance[0], a.chance[1] = machine.Chance()
	if config.Control != "" {
		a.control = newControl(a)
	}
	return a, nil
}

// Run works until ctx ends. Tasks go on when it has ended: the next agent with
// the same state directory finds them.
func (a *Agent) Run(ctx context.Context) error {
	// 1. Nobody else may run this node.
	unlock, err := a.occupy()
	if err != nil {
		return err
	}
	defer unlock()

	// 2. What there is to offer.
	if a.hello, err = measure(a.config, a.groups); err != nil {
		return err
	}
	if a.hello.Seat, err = seatOf(a.config.StateDir); err != nil {
		return fmt.Errorf("name of the state directory: %w", err)
	}
	if a.has("weight") {
		if err = a.groups.SetWeight(a.config.Weight); err != nil {
			return fmt.Errorf("weight of the node: %w", err)
		}
	}
	if a.control == nil {
		a.limitAll()
		if err = a.machine.Adopt(); err != nil {
			return fmt.Errorf("become the parent of orphans: %w", err)
		}
	}

	// 3. What an agent before this one has left.
	sameBoot, err := a.rememberBoot()
	if err != nil {
		return err
	}
	if a.lease, err = openLease(filepath.Join(a.config.StateDir, "lease"), sameBoot); err != nil {
		return fmt.Errorf("lease: %w", err)
	}
	a.lease.now = a.machine.SinceBoot
	if a.leaders, err = readLeaders(filepath.Join(a.config.StateDir, "leader"), a.machine.SinceBoot); err != nil {
		return fmt.Errorf("who leads: %w", err)
	}
	defer func() { _ = a.lease.close() }() // it is written at once, not when closed
	takeOver, cleanUp := a.takeOver, a.machine.Bury
	if a.control != nil {
		takeOver, cleanUp = a.control.takeOver, a.control.tidy
	}
	if err = takeOver(ctx); err != nil {
		return err
	}

	// 4. What the controller wants.
	for _, work := range []func(context.Context){a.orderLoop, a.reportLoop, cleanUp} {
		a.running.Go(func() { work(ctx) })
	}
	a.running.Wait()
	return nil
}

// occupy makes the state directory this agent's own.
func (a *Agent) occupy() (release func(), err error) {
	// Other users pass through to their scripts, and see nothing else.
	if err = os.MkdirAll(a.tasks, 0o711); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(a.config.StateDir, "agent.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for range lockTries {
		if err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = fmt.Errorf("%s: %w", a.config.StateDir, ErrBusy)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() {
		_ = unix.Flock(int(file.Fd()), unix.LOCK_UN) // a process that is being born may have the file, too
		_ = file.Close()
	}, nil
}

// lockTries is how often the lock is tried: a process that the last agent was about
// to start when it was killed has its lock until it has become another program.
const lockTries = 100

// rememberBoot writes down which run of the machine this is, and reports
// whether it is the one of before.
func (a *Agent) rememberBoot() (same bool, err error) {
	path := filepath.Join(a.config.StateDir, "boot")
	before, err := os.ReadFile(path)
	if err == nil && string(before) == a.hello.Boot {
		return true, nil
	}
	return false, os.WriteFile(path, []byte(a.hello.Boot), 0o600)
}

// jitter draws numbers in [0, 1), not the same for all agents, and for each that draws
// its own: what comes of two at the same time must not depend on who is first.
func (a *Agent) jitter(who string) func() float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(who)) // it never fails
	return rand.New(rand.NewPCG(a.chance[0], a.chance[1]^h.Sum64())).Float64
}
