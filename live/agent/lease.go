package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// leaseFile is how long tasks may go on without a word from the controller. The
// agent renews it; every shepherd watches it by itself, so that the lease ends
// also where the agent has died.
type leaseFile struct {
	path string
	now  func() time.Duration // since boot

	mu       sync.Mutex
	file     *os.File
	deadline time.Duration
}

// leaseWidth is fixed: the file is written in place, in one piece and without
// asking the disk for room. A full disk must not cost a task its lease.
const leaseWidth = 21

// openLease opens the file, and makes one that never runs out if there is none
// of this boot of the machine: the clock it is counted on begins with the boot.
func openLease(path string, sameBoot bool) (*leaseFile, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := &leaseFile{path: path, now: sinceBoot, file: file}
	if l.deadline, err = readLease(path); err == nil && sameBoot {
		return l, nil
	}
	if err = l.write(0); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

// renew lets the tasks go on for so long after since, a time of sinceBoot. No
// time at all means for ever.
func (l *leaseFile) renew(since, length time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	deadline := since + length
	switch {
	case length <= 0:
		deadline = 0
	case l.deadline != 0 && deadline <= l.deadline:
		return nil // an answer that took long: a later one is here already
	}
	return l.write(deadline)
}

func (l *leaseFile) write(deadline time.Duration) error {
	l.deadline = deadline
	_, err := l.file.WriteAt(fmt.Appendf(nil, "%0*d\n", leaseWidth-1, int64(deadline)), 0)
	return err
}

// out reports whether the lease has run out.
func (l *leaseFile) out() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.deadline != 0 && l.now() > l.deadline
}

func (l *leaseFile) close() error { return l.file.Close() }

// readLease returns when the lease ends, by sinceBoot; 0: never.
func readLease(path string) (time.Duration, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	if len(content) != leaseWidth {
		return 0, fmt.Errorf("lease %q: %w", content, fs.ErrInvalid)
	}
	deadline, err := strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64)
	return time.Duration(deadline), err
}
