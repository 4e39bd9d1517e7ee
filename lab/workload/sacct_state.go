package workload

import (
	"fmt"
	"strings"
)

// sacctState is what a state of Slurm's means to who replays a job.
type sacctState uint8

const (
	sacctEnded     sacctState = iota + 1 // of itself, or at a limit that it had
	sacctCancelled                       // by somebody, perhaps before it began
	sacctLost                            // with its node, or for another job: it may be begun again
	sacctRequeued                        // it is begun again
	sacctResized                         // it went on with other processors
	sacctMissed                          // ended because its deadline could not be met any more
	sacctWaits                           // it has not begun
	sacctUnderway                        // it has not ended
)

// sacctStates are those of the manual of sacct.
var sacctStates = map[string]sacctState{
	"COMPLETED": sacctEnded, "FAILED": sacctEnded, "TIMEOUT": sacctEnded, "OUT_OF_MEMORY": sacctEnded,
	"CANCELLED": sacctCancelled, "DEADLINE": sacctMissed,
	"NODE_FAIL": sacctLost, "BOOT_FAIL": sacctLost, "LAUNCH_FAILED": sacctLost, "PREEMPTED": sacctLost,
	"REQUEUED": sacctRequeued, "REQUEUE_FED": sacctRequeued, "REQUEUE_HOLD": sacctRequeued, "SPECIAL_EXIT": sacctRequeued,
	"RESIZING": sacctResized,
	"PENDING":  sacctWaits, "REVOKED": sacctWaits, "CONFIGURING": sacctWaits, "RESV_DEL_HOLD": sacctWaits,
	"RUNNING": sacctUnderway, "SUSPENDED": sacctUnderway, "COMPLETING": sacctUnderway, "STOPPED": sacctUnderway,
	"SIGNALING": sacctUnderway, "STAGE_OUT": sacctUnderway,
}

// begunAgain reports whether a later record of the same number is of the same job.
func (s sacctState) begunAgain() bool {
	return s == sacctLost || s == sacctRequeued || s == sacctResized
}

// parseSacctState reads a state: CANCELLED by 1000 is who did it, too, and a + is what a
// narrow column leaves of it.
func parseSacctState(text string) (sacctState, error) {
	word, _, _ := strings.Cut(text, " ")
	if s, known := sacctStates[strings.TrimSuffix(strings.ToUpper(word), "+")]; known {
		return s, nil
	}
	return 0, fmt.Errorf("%q is no state of a job", text)
}
