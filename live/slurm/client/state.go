package client

import "strings"

// stateOf is the state that words of Slurm amount to: one word from the commands, a
// state with flags from newer versions of slurmrestd.
func stateOf(words []string) State {
	state := Running // what nobody knows is not over
	known := false
	for _, word := range words {
		switch s := State(strings.ToUpper(word)); s {
		case Completing, "STAGE_OUT":
			return Completing
		case Requeued, "REQUEUE_HOLD", "REQUEUE_FED":
			return Requeued
		case Pending, Running, Suspended, Completed, Failed, Cancelled, Timeout, NoMemory, NodeFail, BootFail, Deadline, Preempted:
			if !known {
				state, known = s, true
			}
		case "CONFIGURING", "RESV_DEL_HOLD", "POWER_UP_NODE":
			state = Pending
		case "SPECIAL_EXIT": // it was put back by requeuehold, and stays that until somebody lets it go
			if !known {
				state = Pending
			}
		case "STOPPED":
			state = Suspended
		case "REVOKED":
			state = Cancelled
		}
	}
	return state
}

// exitOf takes the status of a process apart, as wait(2) tells it.
func exitOf(status int64) (exit, signal int) {
	return int(status >> 8 & 0xff), int(status & 0x7f)
}

// normalise takes out of a job what Slurm only expects, when it will start and when it
// will have to end, and what is left over from before it was released.
func (j *Job) normalise(held bool) {
	switch {
	case j.State == Pending || j.State == Requeued:
		j.Held = j.State == Pending && held
		j.Started, j.Ended = 0, 0
	case !j.State.Over():
		j.Ended = 0
	}
	if !j.State.Over() {
		j.Exit, j.Signal = 0, 0
	}
}

// pausedBut notes for how long a job was suspended that has run for so many seconds, as of
// now. Slurm counts whole seconds: one is no proof.
func (j *Job) pausedBut(ran, now int64) {
	end := now
	if j.Ended > 0 {
		end = j.Ended
	}
	if j.Paused = end - j.Started - ran; j.Started == 0 || j.Paused <= 1 && j.State != Suspended {
		j.Paused = 0
	}
	j.Paused = max(0, j.Paused)
}

// condition is how the words for a node's state amount to up, draining, reserved, or neither.
func condition(words []string) (up, draining, reserved bool) {
	up = len(words) > 0
	for _, word := range words {
		name := strings.TrimRight(strings.ToUpper(word), "*~#!%$@^-+")
		if name != strings.ToUpper(word) && strings.ContainsAny(word, "*~!%") {
			up = false // it does not answer, or has no power
		}
		switch name {
		case "DOWN", "UNKNOWN", "ERROR", "FUTURE", "NOT_RESPONDING", "NO_RESPOND", "POWERED_DOWN", "POWERING_DOWN", "POWER_DOWN", "POWERING_UP", "REBOOT_ISSUED", "INVALID", "INVALID_REG":
			up = false
		case "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING", "MAINT", "MAINTENANCE", "REBOOT_REQUESTED":
			draining = true
		case "RESERVED":
			reserved = true
		}
	}
	return up, draining, reserved
}
