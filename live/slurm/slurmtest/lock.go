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

// lockFile is what clusters of one host wait for each other at.
func lockFile() string { return filepath.Join(os.TempDir(), "libra-slurm.lock") }

// lock takes the host for one cluster. In the file stands what the holder has
// made outside of its directory, so that the next can clear it away.
func lock(ctx context.Context) (*os.File, error) {
	file, err := os.OpenFile(lockFile(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the host for slurm: %w", err)
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(fmt.Errorf("lock the host for slurm: %w", err), file.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("another slurm runs on this host: %w", ctx.Err()), file.Close())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// claim writes down whose host it is now, and unclaim that it is nobody's.
func claim(file *os.File, dir, prefix string) error {
	return errors.Join(file.Truncate(0), writeAt(file, dir+"\n"+prefix+"\n"), file.Sync())
}

func unclaim(file *os.File) error { return errors.Join(file.Truncate(0), file.Close()) }

func writeAt(file *os.File, text string) error {
	_, err := file.WriteAt([]byte(text), 0)
	return err
}

// claimed says what an earlier holder of the lock left.
func claimed(file *os.File) (dir, prefix string, ok bool) {
	text := make([]byte, 4096)
	n, _ := file.ReadAt(text, 0) // an empty file is one that nobody left
	fields := strings.Fields(string(text[:n]))
	if len(fields) != 2 || !strings.HasPrefix(filepath.Base(fields[0]), dirPrefix) {
		return "", "", false
	}
	return fields[0], fields[1], true
}
