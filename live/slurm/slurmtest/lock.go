package slurmtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// atOnce is how many clusters a host has at most. They wait more than they compute, but
// each has some ten daemons.
const atOnce = 3

// place is one of them: a lock on a file. In the file stands what its holder has made
// outside of its directory, so that the next can clear it away.
type place struct {
	number int
	file   *os.File
}

func placeFile(number int) string {
	name := "libra-slurm.lock"
	if number > 0 {
		name = fmt.Sprintf("libra-slurm-%d.lock", number)
	}
	return filepath.Join(os.TempDir(), name)
}

// takePlace waits for a place to be free, and clears away what is left at all that are.
func takePlace(ctx context.Context) (*place, error) {
	for {
		p, err := freePlace()
		if p != nil || err != nil {
			return p, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("as many slurms run on this host as it may have: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// freePlace is the first place that nobody holds; nil: there is none. What cannot be
// cleared away elsewhere is left to whoever has no better place.
func freePlace() (mine *place, err error) {
	for number := range atOnce {
		p, wrong := tryPlace(number)
		if p != nil {
			wrong = p.tidy()
		}
		if p != nil && (mine != nil || wrong != nil) {
			wrong = errors.Join(wrong, p.file.Close())
		} else if p != nil {
			mine = p
		}
		err = errors.Join(err, wrong)
	}
	if mine != nil {
		return mine, nil
	}
	return nil, err
}

// tryPlace takes a place; nil: somebody else has it.
func tryPlace(number int) (*place, error) {
	file, err := os.OpenFile(placeFile(number), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the host for slurm: %w", err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return &place{number, file}, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, file.Close()
	}
	return nil, errors.Join(fmt.Errorf("lock the host for slurm: %w", err), file.Close())
}

// tidy clears away what an earlier holder left that was killed.
func (p *place) tidy() error {
	dir, prefix, left := p.claimed()
	if !left {
		return nil
	}
	if err := clearAway(dir, prefix); err != nil {
		return fmt.Errorf("clear away an earlier slurm: %w", err)
	}
	return p.file.Truncate(0)
}

// claim writes down whose place it is now, and unclaim that it is nobody's.
func (p *place) claim(dir, prefix string) error {
	_, err := p.file.WriteAt([]byte(dir+"\n"+prefix+"\n"), 0) // tidy left it empty
	return errors.Join(err, p.file.Sync())
}

func (p *place) unclaim() error { return errors.Join(p.file.Truncate(0), p.file.Close()) }

// claimed says what an earlier holder of the place left.
func (p *place) claimed() (dir, prefix string, ok bool) {
	text := make([]byte, 4096)
	n, _ := p.file.ReadAt(text, 0) // an empty file is one that nobody left
	fields := strings.Fields(string(text[:n]))
	if len(fields) != 2 || !strings.HasPrefix(filepath.Base(fields[0]), dirPrefix) {
		return "", "", false
	}
	return fields[0], fields[1], true
}
