package world

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/agent"
)

// process is a shepherd of the world: the parent of one task, which lives on when
// the agent is gone, and writes down how the task ended as the real one does.
type process struct {
	pid     int
	signals chan unix.Signal
	ended   chan struct{}
}

func (p *process) Signal(sig unix.Signal) error {
	select {
	case <-p.ended:
		return unix.ESRCH
	default:
	}
	select {
	case p.signals <- sig:
	default: // it has many to read
	}
	return nil
}

func (p *process) Await(ctx context.Context) {
	select {
	case <-p.ended:
	case <-ctx.Done():
	}
}

func (p *process) Close() error { return nil }

// Tend starts a shepherd.
func (n *node) Tend(_ context.Context, e *agent.Errand) (int, <-chan string, error) {
	fd, err := unix.Dup(int(e.Lock.Fd()))
	if err != nil {
		return 0, nil, err
	}
	lock := os.NewFile(uintptr(fd), "lock")
	n.mu.Lock()
	n.pids++
	p := &process{pid: firstPID + n.pids, signals: make(chan unix.Signal, 16), ended: make(chan struct{})}
	n.procs[p.pid] = p
	g, on := n.groups[e.Group], n.on
	n.mu.Unlock()
	if _, err = lock.WriteAt([]byte(strconv.Itoa(p.pid)+"\n"), 0); err != nil {
		return 0, nil, err
	}
	s := &shepherd{node: n, process: p, group: g, folder: e.Folder, spec: e.Spec, lease: e.Lease, news: make(chan string, 4)}
	n.w.running.Go(func() {
		s.run(on)
		_ = lock.Close() // whoever waits for the lock sees that it has ended
		n.mu.Lock()
		delete(n.procs, p.pid)
		n.mu.Unlock()
		close(p.ended)
	})
	return p.pid, s.news, nil
}

type shepherd struct {
	*process

	node   *node
	group  *group
	folder string
	spec   task.Spec
	lease  string
	news   chan string
	status task.Status
	began  time.Duration // by SinceBoot
	ran    *run
}

// run is the life of a task.
func (s *shepherd) run(on context.Context) {
	w := s.node.w
	lots := w.chance("task "+s.spec.Key.String(), int64(s.node.index))
	if !sleep(on, between(lots, 2*time.Millisecond, 30*time.Millisecond)) {
		return
	}
	s.began = s.node.SinceBoot()
	s.status = task.Status{Key: s.spec.Key, State: task.Ended, StartedUS: s.node.UnixMicros()}
	begun := filepath.Join(s.folder, "started")
	if _, err := os.Stat(begun); err == nil {
		return // it has run before, and must not again
	}
	if s.write("started", map[string]int64{"started_us": s.status.StartedUS, "boot": int64(s.began)}) != nil {
		return
	}
	what := w.program(&s.spec)
	if what.refuse {
		s.status.State, s.status.Error = task.Refused, "no such program"
		s.finish()
		return
	}
	var over func(time.Duration)
	s.ran, over = w.begins(s.node.name, &s.spec)
	if s.spec.Optional != nil {
		s.status.Part = task.MandatoryPart
	}
	s.group.change(func() { s.group.runs, s.group.hungry, s.group.left = true, what.hungry, what.seconds/s.node.spec.Speed })
	s.tell(agent.BegunNews)
	killed := s.await(on, &what, lots)
	s.group.change(func() { s.group.runs = false })
	s.group.mu.Lock()
	used := s.group.used
	s.group.mu.Unlock()
	over(time.Duration(used * 1e9))
	if on.Err() != nil || killed {
		return
	}
	s.status.CPUUS = time.Duration(used * 1e9).Microseconds()
	s.finish()
}

func (s *shepherd) tell(word string) {
	select {
	case s.news <- word:
	default:
	}
}

// leaseLook is how often a shepherd looks whether there is a lease.
const leaseLook = time.Second

// await lets the program run until it ends, one way or another. It reports whether
// the shepherd was killed.
func (s *shepherd) await(on context.Context, what *program, lots *rand.Rand) (killed bool) {
	lease := time.NewTimer(0)
	defer lease.Stop()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var last <-chan time.Time // when the program obeys, or its grace is over
	how := "SIGTERM"
	for {
		wait, changed := s.group.next()
		var end <-chan time.Time
		if wait >= 0 {
			timer.Reset(wait)
			end = timer.C
		}
		select {
		case <-on.Done():
			return true
		case <-end:
			if left, _ := s.group.next(); left == 0 && !s.refine(what) {
				s.status.Exit = what.exit
				return false
			}
		case <-changed:
			if procs, _ := s.group.Procs(); len(procs) == 0 { // the agent has killed it
				s.status.Signal = "SIGKILL"
				return false
			}
		case <-last:
			s.status.Signal = how
			return false
		case sig := <-s.signals:
			switch sig {
			case unix.SIGKILL:
				return true
			case unix.SIGUSR1:
				s.status.Signal = "SIGKILL"
				return false
			default:
				grace := time.Duration(s.spec.GraceMS) * time.Millisecond
				if what.obeys >= 0 && what.obeys < grace {
					grace = what.obeys
				} else {
					how = "SIGKILL"
				}
				// Never a round time after the order: the agent looks again after one.
				last = time.After(grace + between(lots, time.Microsecond, time.Millisecond))
				s.group.change(func() { s.group.frozen = false })
			}
		case <-lease.C:
			left, bound := s.leaseLeft()
			if bound && left < 0 {
				s.status.Signal, s.status.Error = "SIGKILL", task.LeaseRanOut
				return false
			}
			if !bound {
				left = leaseLook
			}
			lease.Reset(max(left, 20*time.Millisecond)) // it is renewed meanwhile, and never made shorter
		}
	}
}

// refine goes on with the optional part of a task when the mandatory one is done, and
// well; false: there is none, or it is done too.
func (s *shepherd) refine(what *program) bool {
	if s.spec.Optional == nil || s.status.Part == task.OptionalPart || what.exit != 0 {
		return false
	}
	s.group.mu.Lock()
	used := time.Duration(s.group.used * 1e9)
	s.group.mu.Unlock()
	if err := s.write("optional", map[string]int64{"at_us": s.node.UnixMicros(), "cpu_us": used.Microseconds(), "boot": int64(s.node.SinceBoot())}); err != nil {
		s.node.w.fail("the end of the mandatory part of %v is not written down: %v", s.spec.Key, err)
		return false
	}
	s.status.Part, s.status.MandatoryCPUUS = task.OptionalPart, used.Microseconds()
	s.ran.done, s.ran.optional = s.node.w.at(), -used
	s.node.w.note("%s refines %v", s.node.name, s.spec.Key)
	s.tell(agent.OptionalNews)
	s.group.change(func() { s.group.left = what.refines / s.node.spec.Speed })
	return true
}

func (s *shepherd) leaseLeft() (time.Duration, bool) {
	content, err := os.ReadFile(s.lease)
	if err != nil {
		return 0, false
	}
	deadline, err := strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64)
	if err != nil || deadline == 0 {
		return 0, false
	}
	return time.Duration(deadline) - s.node.SinceBoot(), true
}

// verdict is how a task ended, and when by a clock that nobody can set.
type verdict struct {
	task.Status

	Boot time.Duration `json:"boot"`
}

// finish writes down how the task ended.
func (s *shepherd) finish() {
	end := s.node.SinceBoot()
	s.status.EndedUS = s.node.UnixMicros()
	if s.status.State == task.Ended {
		s.status.RanUS = max(1, (end - s.began).Microseconds())
	}
	for i := range s.spec.Len() {
		s.status.Elements = append(s.status.Elements, task.Element{Index: s.spec.Element(i), Exit: s.status.Exit, Signal: s.status.Signal})
	}
	if err := s.write("status.json", verdict{s.status, end}); err != nil {
		s.node.w.fail("the end of %v is not written down: %v", s.spec.Key, err)
	}
}

// write makes a file whole or not at all.
func (s *shepherd) write(name string, value any) error {
	content, err := json.Marshal(value)
	if err != nil {
		return err
	}
	path := filepath.Join(s.folder, name)
	if err = os.WriteFile(path+".tmp", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}
