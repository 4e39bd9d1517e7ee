package agent

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot is a clock that all processes of the machine share, that nobody can
// set, and that goes on while the machine sleeps: leases are counted on it.
func sinceBoot() time.Duration { return read(unix.CLOCK_BOOTTIME) }

// SinceBoot is that clock, for a controller.
func SinceBoot() time.Duration { return sinceBoot() }

// awake is like sinceBoot but stands still while the machine sleeps: processor
// time is measured against it.
func awake() time.Duration { return read(unix.CLOCK_MONOTONIC) }

// unixMicros is the time of day, as people are told it.
func unixMicros() int64 { return read(unix.CLOCK_REALTIME).Microseconds() }

func read(clock int32) time.Duration {
	var now unix.Timespec
	_ = unix.ClockGettime(clock, &now) // these clocks exist on every kernel we run on
	return time.Duration(now.Nano())
}
