package agent

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// steal tells how much of each processor the host of a virtual machine has kept
// for others. Such time was nobody's here: a busy task neither used it nor
// waited for it, and must not look as if it had not wanted it.
type steal struct {
	mu    sync.Mutex
	read  time.Duration // by awake
	total map[int]passed

	machine Machine
}

// passed is what a processor did not do for anybody here.
type passed struct{ stolen, idle time.Duration }

// Many tasks ask at about the same time, and the kernel's file is long. But what is
// read too late of one second is taken for the next one's.
const stealAge = 50 * time.Millisecond

// renew makes the next answer one of now.
func (s *steal) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total = nil
}

// of is the time stolen from a processor of the host so far.
func (s *steal) of(cpu int) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	return s.total[cpu].stolen
}

// idle is how long processors of the host had nothing to do so far, all together.
func (s *steal) idle(cpus []int) (sum time.Duration) {
	if len(cpus) == 0 {
		return 0 // nobody knows which
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	for _, cpu := range cpus {
		sum += s.total[cpu].idle
	}
	return sum
}

func (s *steal) refresh() {
	if now := s.machine.Awake(); s.total == nil || now-s.read > stealAge {
		s.total, s.read = s.machine.Idle(), now
	}
}

func readSteal() map[int]passed {
	total := map[int]passed{}
	file, err := os.Open("/proc/stat")
	if err != nil {
		return total
	}
	defer file.Close() // it was only read
	lines := bufio.NewScanner(file)
	for lines.Scan() && strings.HasPrefix(lines.Text(), "cpu") {
		fields := strings.Fields(lines.Text()) // cpuN user nice system idle iowait irq softirq steal
		if len(fields) < 9 {
			continue
		}
		cpu, err := strconv.Atoi(strings.TrimPrefix(fields[0], "cpu"))
		if err != nil {
			continue // the sum of all
		}
		total[cpu] = passed{stolen: ticks(fields[8]), idle: ticks(fields[4]) + ticks(fields[5])}
	}
	return total
}

// tick is what the kernel's file counts in; USER_HZ is 100 on every machine.
const tick = time.Second / 100

// ticks reads a time as the kernel's file has it.
func ticks(text string) time.Duration {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return time.Duration(n) * tick
}
