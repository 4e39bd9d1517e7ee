package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/libra-market/libra/live/agent/cgroup"
)

// meter counts the processor time that was a task's for the taking and that it
// did not want: it slept, or waited for a disk, and no fault of the node's.
type meter struct {
	share    float64 // granted since the last look
	declined time.Duration
	last     *reading      // nil before the first one
	open     *reading      // the last look at a program that nobody was left of at the next; nil: there was none
	most     time.Duration // that the task may have, used and declined; 0: any

	switched bool          // the mandatory part of the task is done
	before   time.Duration // declined until then
}

// mandatory is what was declined until the mandatory part of a task was done,
// as far as somebody looked.
func (m *meter) mandatory() time.Duration {
	if !m.switched {
		m.switched, m.before = true, m.declined
	}
	return m.before
}

// reading is one look at all that the meter compares.
type reading struct {
	at     time.Duration // when it was begun, by awake
	done   time.Duration // and when it was taken: on a busy machine that can be long after
	stolen time.Duration // from the processor, by the host of this machine
	usage  cgroup.Usage

	processors int           // that the task may run on; 0: nobody knows which
	idle       time.Duration // so far nobody wanted them, all together
}

// excused is what a task waited for that others had: never more than they had, on its
// processors. A task whose threads wait for each other waits for itself, and one that
// its own quota holds back has had what it was granted: the kernel counts that as
// waiting too (6.1 and 6.18 do, to the millisecond).
func (now *reading) excused(before *reading) time.Duration {
	waited := max(now.usage.Waited-before.usage.Waited-(now.usage.Throttled-before.usage.Throttled), 0)
	if now.processors == 0 || now.processors != before.processors {
		return waited
	}
	return min(waited, now.others(before))
}

// others is what others had of the task's processors since a reading before.
func (now *reading) others(before *reading) time.Duration {
	return max(0, time.Duration(now.processors)*(now.at-before.done)-(now.idle-before.idle)-(now.usage.CPU-before.usage.CPU))
}

// read takes a reading, and counts the time since the one before: from the end of
// that to the beginning of this, for all that was used meanwhile is between them.
func (m *meter) read(now reading) {
	if m.last != nil {
		before := *m.last
		m.declined += declined(m.share, now.processors, now.at-before.done-(now.stolen-before.stolen),
			now.usage.CPU-before.usage.CPU,
			now.excused(&before),
			now.usage.Throttled-before.usage.Throttled)
	}
	m.last, m.open = &now, nil
}

// pause notes that nobody is there who could decline anything.
func (m *meter) pause() {
	if m.last != nil {
		m.last, m.open = nil, m.last
	}
}

// keptFrom is how many times as long as it ran a program may have been kept from
// running: one that wants to run and gets less than a tenth of a processor is rare.
const keptFrom = 9

// close counts what a program declined between the last look at it and its end, at,
// by a reading of after that. What its threads waited for is gone with them: it is
// excused what others had of its processors, as the kernel counts it, and not more
// than one waits that runs so much.
func (m *meter) close(at time.Duration, now reading) {
	before := m.open
	if m.open = nil; before == nil || now.processors == 0 || now.processors != before.processors {
		return
	}
	used := now.usage.CPU - before.usage.CPU
	excused := min(now.others(before), keptFrom*used) + time.Duration(now.processors)*tick
	m.declined += declined(m.share, now.processors, at-before.done-(now.stolen-before.stolen), used, excused, now.usage.Throttled-before.usage.Throttled)
}

// declined is the part of a granted share that was not wanted over some time: what was
// neither used nor waited for while others had it, and no more than the share of the
// time in which it wanted nothing. The second is for who wanted all of it: when a quota
// is given out, and how much of it is lost between two processors, is the kernel's
// doing. Who is held back by its quota for a while and then sleeps declines what it
// sleeps through: within a period of the kernel's it has all that it was granted, and
// what it could not have then it is not owed in another.
func declined(share float64, processors int, elapsed, used, waited, throttled time.Duration) time.Duration {
	elapsed, waited, throttled = max(elapsed, 0), max(waited, 0), max(throttled, 0)
	width := max(float64(processors), math.Ceil(share), 1)
	granted := time.Duration(share * float64(elapsed))
	asleep := width*float64(elapsed) - float64(used) - float64(waited) - float64(throttled)
	return max(0, min(granted-used-waited, time.Duration(share/width*asleep)))
}

// meterRecord is what of the meter is on disk, so that a new agent goes on
// counting where the last one ended.
type meterRecord struct {
	DeclinedUS int64   `json:"declined_us"`
	Share      float64 `json:"share"`
	MostUS     int64   `json:"most_us,omitempty"`
	BeforeUS   *int64  `json:"before_us,omitempty"` // until the mandatory part was done
}

// meterWidth is fixed, for the same reason as leaseWidth.
const meterWidth = 160

func (r meterRecord) bytes() []byte {
	content, err := json.Marshal(r)
	if err != nil { // a share that is no number
		content = fmt.Appendf(nil, `{"declined_us":%d}`, r.DeclinedUS)
	}
	return fmt.Appendf(nil, "%-*s\n", meterWidth-1, content)
}

// save writes the record in place.
func (m *meter) save(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	record := meterRecord{DeclinedUS: m.declined.Microseconds(), Share: m.share, MostUS: m.most.Microseconds()}
	if m.switched {
		record.BeforeUS = new(m.before.Microseconds())
	}
	_, err = file.WriteAt(record.bytes(), 0)
	return errors.Join(err, file.Close())
}

// loadMeter reads what was saved; nothing readable is nothing declined.
func loadMeter(path string) *meter {
	var saved meterRecord
	if readJSON(path, &saved) != nil {
		return &meter{}
	}
	m := &meter{share: saved.Share, most: time.Duration(saved.MostUS) * time.Microsecond, declined: time.Duration(saved.DeclinedUS) * time.Microsecond}
	if saved.BeforeUS != nil {
		m.switched, m.before = true, time.Duration(*saved.BeforeUS)*time.Microsecond
	}
	return m
}
