package agent

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Children that have ended and that nobody has waited for are looked for so
// often.
const orphansEvery = 5 * time.Second

// reapOrphans waits for processes of tasks whose shepherd has died: they have
// become this process's children. Other parts of the program have children of
// their own and wait for them at once, so only one that was seen dead twice is
// an orphan.
func reapOrphans(ctx context.Context) {
	before := map[int]bool{}
	for pause(ctx, orphansEvery) {
		now := map[int]bool{}
		for _, pid := range deadChildren() {
			if before[pid] {
				reap(pid)
				continue
			}
			now[pid] = true
		}
		before = now
	}
}

// deadChildren lists this process's children that have ended.
func deadChildren() []int {
	var one unix.Siginfo
	err := unix.Waitid(unix.P_ALL, 0, &one, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	if err != nil || one.Signo == 0 {
		return nil // there is none, which is what nearly always holds
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var dead []int
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil && deadChild(pid) {
			dead = append(dead, pid)
		}
	}
	return dead
}

func deadChild(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	// The state and the parent follow the name, which stands in brackets.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	return len(fields) > 1 && fields[0] == "Z" && fields[1] == strconv.Itoa(os.Getpid())
}
