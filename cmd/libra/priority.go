package main

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// politeness is how much a market gives way to the batch system beside it, as nice
// counts: where both want the processor, Slurm's controller has three parts of four.
const politeness = 5

// standBehind lets a market go behind the batch system that it is an add-on to: a
// quote may take longer, but slurmctld does not wait for it. It speaks for its own
// session alone, so a program that somebody has started in theirs goes on as it is.
func standBehind() {
	if session, err := unix.Getsid(0); err == nil && session == os.Getpid() {
		giveWay(politeness)
	}
}

// giveWay sets the priority of this process group, all threads of it, and of the
// group that the kernel shares processors by. Where it cannot be set, or there is
// no such group, nothing is lost.
func giveWay(nice int) {
	_ = unix.Setpriority(unix.PRIO_PGRP, 0, nice)
	_ = os.WriteFile("/proc/self/autogroup", []byte(strconv.Itoa(nice)), 0)
}
