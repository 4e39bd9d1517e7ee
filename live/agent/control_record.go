package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// holding is what is known of a job of the batch system, as it is on disk. The
// kernel keeps the quota and counts what is used; this is what it cannot know.
type holding struct {
	Boot      string `json:"boot"`
	Ranks     tally  `json:"ranks"`
	CounterNS int64  `json:"counter_ns"` // of the group, when last read
	StartedUS int64  `json:"started_us"` // when a process was first seen
	EndedUS   int64  `json:"ended_us"`   // when none was left
	GoneUS    int64  `json:"gone_us"`    // when the group was removed; 0: it may be there

	LeaseRanOut bool `json:"lease_ran_out"` // its processes were killed for that reason
}

const recordSuffix = ".json"

func (h *holder) path() string { return filepath.Join(h.control.dir, h.id+recordSuffix) }

// since is what was used since the counter was last read. A counter that has
// fallen is that of a new group.
func (held *holding) since(counter time.Duration) time.Duration {
	if before := time.Duration(held.CounterNS); counter >= before {
		return counter - before
	}
	return counter
}

// loadHolding reads what an agent before has written down, and how long that is;
// nothing readable is nothing known.
func loadHolding(path, boot string) (held holding, width int) {
	content, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(content, &held) != nil {
		return holding{Boot: boot}, len(content)
	}
	if held.Boot != boot { // every group is a new one
		held.Boot, held.CounterNS = boot, 0
	}
	return held, len(content)
}

// save writes it down. It has to outlive the agent, not the machine: a job does
// not outlive that either. So nobody waits for the disk, and the file is written
// in place, in one piece, with blanks where it was longer before.
func (h *holder) save() {
	if len(h.held.Ranks) == 0 {
		return // nobody's job
	}
	h.mu.Lock()
	content, err := json.Marshal(&h.held)
	h.mu.Unlock()
	if err == nil {
		h.width = max(h.width, len(content)+1)
		err = overwrite(h.path(), fmt.Appendf(nil, "%-*s\n", h.width-1, content))
	}
	if err != nil {
		h.logOnce("not written down", err)
	}
}

func overwrite(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(content, 0)
	return errors.Join(err, file.Close())
}
