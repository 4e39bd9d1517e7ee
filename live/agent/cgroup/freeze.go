package cgroup

import (
	"errors"
	"time"
)

// errSlow: the order has been given but not carried out in time.
var errSlow = errors.New("processes do not stop")

// slowFreeze is how long processes may take to stop. One in the middle of a
// disk access must end that first.
const slowFreeze = 5 * time.Second

// stop freezes or thaws a group, and returns when it is so.
func (t *kernelTree) stop(path string, freeze bool) (err error) {
	lifted := noQuota
	defer func() {
		if lifted != noQuota {
			err = errors.Join(err, t.setQuota(path, lifted))
		}
	}()
	tries := 0
	return await(slowFreeze, func() (bool, error) {
		// The order is given again each time: that makes v1 look again at
		// processes that could not stop when it looked first.
		if err := t.freeze(path, freeze); err != nil {
			return false, err
		}
		frozen, thawed, err := t.frozen(path)
		if err != nil || freeze && frozen || !freeze && thawed {
			return true, err
		}
		// To stop takes processor time, which the group may have used up. It
		// gets some more: under that order it can do nothing else with it.
		if tries++; tries == 5 && freeze {
			if lifted, err = t.quota(path); err != nil || lifted == noQuota {
				return false, err
			}
			return false, t.setQuota(path, noQuota)
		}
		return false, nil
	})
}

// await asks, ever more slowly, until the answer is yes.
func await(most time.Duration, done func() (bool, error)) error {
	pause := 100 * time.Microsecond
	for waited := time.Duration(0); ; waited += pause {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if waited >= most {
			return errSlow
		}
		time.Sleep(pause)
		pause = min(2*pause, 10*time.Millisecond)
	}
}
