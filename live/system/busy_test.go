package system_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

const busyWord = "_busy"

// busyProgram is a command that uses so much processor time and ends.
func busyProgram(cpu time.Duration) []string {
	return []string{filepath.Join(runDir(), "bin", "work"), busyWord, cpu.String()}
}

// beBusy uses up processor time, by the kernel's own account of it: what it
// took to start counts too.
func beBusy(text string) int {
	wanted, err := time.ParseDuration(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	sum := uint64(1)
	for processorTime() < wanted {
		for range 100_000 {
			sum ^= sum << 13
			sum ^= sum >> 7
			sum ^= sum << 17
		}
	}
	fmt.Fprintln(os.Stdout, "used", processorTime(), sum != 0)
	return 0
}

func processorTime() time.Duration {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		panic(err) // it has no reason to fail
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
