package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// lockWatch is how often it is checked that the lock file is still the one that
// is locked: whoever removes it lets another controller in.
const lockWatch = time.Second

// fileLock competes for the lock on a file beside the database. The system drops
// it when the process ends, however it ends.
type fileLock struct{ file *os.File }

func (s *sqlite) claim(context.Context) (claim, error) {
	file, err := os.OpenFile(s.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, explainFile(err)
	}
	return &fileLock{file}, nil
}

func (l *fileLock) try(context.Context) error {
	err := unix.Flock(int(l.file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return &Taken{PID: l.holder(), Where: l.file.Name()}
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", l.file.Name(), err)
	}
	if !l.current() { // it was removed and made again before it was locked
		file, err := os.OpenFile(l.file.Name(), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return explainFile(err)
		}
		l.release()
		l.file = file
		return l.try(context.Background())
	}
	// For people only: the lock holds without it, on a full disk too.
	if l.file.Truncate(0) == nil {
		l.file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0) // see above
	}
	return nil
}

// holder is the process that the file names, 0 if none.
func (l *fileLock) holder() int {
	text, err := io.ReadAll(io.NewSectionReader(l.file, 0, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

// current reports whether the file is still found under its name.
func (l *fileLock) current() bool {
	mine, err := l.file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(l.file.Name())
	return err == nil && os.SameFile(mine, named)
}

func (l *fileLock) watch(ctx context.Context) {
	tick := time.NewTicker(lockWatch)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if !l.current() {
				return
			}
		}
	}
}

func (l *fileLock) release() { l.file.Close() } // closing drops the lock whatever it says
