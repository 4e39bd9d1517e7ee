package cgroup

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/market"
)

// clockTick is the unit of times in /proc/PID/stat: the kernel tells all
// programs hundredths of a second, whatever it counts in itself.
const clockTick = 10 * time.Millisecond

// stat is what /proc/PID/stat says of a process.
type stat struct {
	pid, parent, pgrp, session int
	state                      byte
	threads                    int
	children                   time.Duration // processor time of children it waited for
	start                      uint64        // tells a process from a later one of the same number
	resident                   int64         // bytes
}

// zombie reports whether the process has ended and only waits to be noticed.
// The state is that of its first thread, which may end before the others.
func (s stat) zombie() bool { return (s.state == 'Z' || s.state == 'X') && s.threads <= 1 }

// stopped reports whether a signal (or a debugger) has stopped it.
func (s stat) stopped() bool { return s.state == 'T' || s.state == 't' }

func readStat(pid int) (stat, error) {
	var buf [512]byte
	path := "/proc/" + strconv.Itoa(pid) + "/stat"
	b, err := readInto(path, buf[:])
	if err != nil {
		return stat{}, err
	}
	s, ok := parseStat(b)
	if !ok {
		return stat{}, fmt.Errorf("%s: cannot read %q", path, b)
	}
	return s, nil
}

// parseStat reads the fields by their place after the name, which stands in
// brackets and may contain anything.
func parseStat(b []byte) (stat, bool) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 1 || end < open {
		return stat{}, false
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(b[:open])))
	fields := bytes.Fields(b[end+1:])
	if err != nil || len(fields) < 22 || len(fields[0]) != 1 {
		return stat{}, false
	}
	ok := true
	number := func(i int) int64 { // i as proc(5) counts
		n, err := strconv.ParseInt(string(fields[i-3]), 10, 64)
		ok = ok && err == nil
		return n
	}
	s := stat{
		pid: pid, state: fields[0][0],
		parent: int(number(4)), pgrp: int(number(5)), session: int(number(6)),
		children: time.Duration(number(16)+number(17)) * clockTick,
		threads:  int(number(20)),
		start:    market.Bits(number(22)),
		resident: number(24) * int64(os.Getpagesize()),
	}
	return s, ok
}

// alive reports whether a process exists and is not a zombie.
func alive(pid int) bool {
	s, err := readStat(pid)
	return err == nil && !s.zombie()
}

// cpuClock is the processor time of a process, its ended threads included, to
// the nanosecond. It can still be read from a zombie.
func cpuClock(pid int) (time.Duration, error) {
	const schedClock = 2 // CPUCLOCK_SCHED
	var ts unix.Timespec
	if err := unix.ClockGettime(^market.Int32(pid)<<3|schedClock, &ts); err != nil {
		return 0, fmt.Errorf("processor time of process %d: %w", pid, err)
	}
	return time.Duration(ts.Nano()), nil
}

// noProcess reports whether an error says that the process is no more.
func noProcess(err error) bool {
	return errors.Is(err, unix.ESRCH) || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrProcessDone)
}
