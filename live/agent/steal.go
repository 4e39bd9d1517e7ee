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
	total map[int]time.Duration
}

// Many tasks ask at about the same time, and the kernel's file is long.
const stealAge = 250 * time.Millisecond

// of is the time stolen from a processor of the host so far.
func (s *steal) of(cpu int) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := awake(); s.total == nil || now-s.read > stealAge {
		s.total, s.read = readSteal(), now
	}
	return s.total[cpu]
}

func readSteal() map[int]time.Duration {
	total := map[int]time.Duration{}
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
		ticks, err2 := strconv.ParseInt(fields[8], 10, 64)
		if err == nil && err2 == nil {
			total[cpu] = time.Duration(ticks) * (time.Second / 100) // USER_HZ is 100 on every machine
		}
	}
	return total
}
