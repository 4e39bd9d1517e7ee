package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/task"
)

// folder is the place on disk of one task: the claim that it is this node's to
// run, and all that is known about it.
type folder string

// The files of a folder.
func (f folder) record() string   { return filepath.Join(string(f), "spec.json") }
func (f folder) script() string   { return filepath.Join(string(f), "script") }
func (f folder) lock() string     { return filepath.Join(string(f), "lock") }
func (f folder) log() string      { return filepath.Join(string(f), "shepherd.log") }
func (f folder) started() string  { return filepath.Join(string(f), "started") }
func (f folder) room() string     { return filepath.Join(string(f), "status.room") }
func (f folder) status() string   { return filepath.Join(string(f), "status.json") }
func (f folder) meter() string    { return filepath.Join(string(f), "meter") }
func (f folder) limit() string    { return filepath.Join(string(f), "limit") }
func (f folder) optional() string { return filepath.Join(string(f), "optional") }
func (f folder) elements() string { return filepath.Join(string(f), "elements") }

// record is what was claimed.
type record struct {
	Spec    task.Spec `json:"spec"`
	Account account   `json:"account"`
	Boot    string    `json:"boot"`
	GPUs    []int     `json:"gpus"` // that are its own; nil: the node has none
}

// errClaimed says that a folder of this name exists.
var errClaimed = errors.New("this task has been claimed before")

// Prefixes of folders under way: into being, and out of it.
const (
	incoming = ".new-"
	outgoing = ".old-"
)

// claim makes the folder of a task in the directory dir, whole or not at all.
func claim(dir string, rec record) (folder, error) {
	name := rec.Spec.Key.String()
	work := folder(filepath.Join(dir, incoming+name))
	if err := os.RemoveAll(string(work)); err != nil {
		return "", err
	}
	if err := fill(work, rec); err != nil {
		return "", errors.Join(err, os.RemoveAll(string(work)))
	}
	claimed := folder(filepath.Join(dir, name))
	err := os.Rename(string(work), string(claimed))
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s: %w", claimed, errClaimed)
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(string(work)))
	}
	return claimed, syncDir(dir)
}

// fill writes a folder's first files, and takes the room that later ones need.
func fill(f folder, rec record) error {
	// Other users pass through, to their scripts, and see nothing else.
	if err := os.Mkdir(string(f), 0o711); err != nil {
		return err
	}
	script := rec.Spec.Script
	rec.Spec.Script = nil
	content, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	if err = os.WriteFile(f.record(), content, 0o600); err != nil {
		return err
	}
	if script != nil {
		err = fillScript(f.script(), script, rec.Account)
	}
	return errors.Join(err,
		os.WriteFile(f.lock(), nil, 0o600),
		os.WriteFile(f.log(), nil, 0o600),
		os.WriteFile(f.meter(), meterRecord{}.bytes(), 0o600),
		reserve(f.room(), int64(4096+64*rec.Spec.Len())))
}

// fillScript writes a file that its user can read and execute.
func fillScript(path string, content []byte, owner account) error {
	// A process forked meanwhile would have the file open for writing, and
	// such a file cannot be executed.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return errors.Join(os.WriteFile(path, content, 0o500), os.Chmod(path, 0o500), os.Lchown(path, owner.UID, owner.GID))
}

// discard takes the folder away, with all it knows.
func (f folder) discard() error {
	old := filepath.Join(filepath.Dir(string(f)), outgoing+filepath.Base(string(f)))
	if err := os.RemoveAll(old); err != nil {
		return err
	}
	if err := os.Rename(string(f), old); err != nil {
		return err
	}
	return os.RemoveAll(old)
}

// folders lists the folders in dir by the tasks they are of, and clears away
// what was left half done.
func folders(dir string) (map[task.Key]folder, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	found := map[task.Key]folder{}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if strings.HasPrefix(entry.Name(), incoming) || strings.HasPrefix(entry.Name(), outgoing) {
			err = errors.Join(err, os.RemoveAll(path))
			continue
		}
		if key, bad := task.ParseKey(entry.Name()); bad == nil {
			found[key] = folder(path)
		}
	}
	return found, err
}

// beginning is what a shepherd writes before it lets the program run.
type beginning struct {
	StartedUS int64         `json:"started_us"`
	Boot      time.Duration `json:"boot,omitempty"` // sinceBoot then
}

// verdict is what is written down when a task has ended.
type verdict struct {
	task.Status

	Boot time.Duration `json:"boot,omitempty"` // sinceBoot then
	Over time.Duration `json:"over,omitempty"` // when the last program had ended, by awake: to clear up and write that down takes time
}

// switchover is what a shepherd writes when the mandatory part of the task is
// done, before it lets a program of the optional part run.
type switchover struct {
	AtUS  int64 `json:"at_us"`
	CPUUS int64 `json:"cpu_us"` // used by the mandatory part

	Over time.Duration `json:"over,omitempty"` // as in a verdict; 0: the program goes on
	Boot time.Duration `json:"boot,omitempty"` // sinceBoot then; shepherds of before do not say
}

// grip is a hold on the lock of a folder. It passes to a shepherd when that is
// started, and lasts until the last process that has it is gone.
type grip struct{ file *os.File }

// tryLock takes the lock if no shepherd lives.
func (f folder) tryLock() (grip, bool, error) {
	file, err := os.OpenFile(f.lock(), os.O_RDWR, 0)
	if err != nil {
		return grip{}, false, err
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return grip{}, false, file.Close()
	}
	if err != nil {
		return grip{}, false, errors.Join(err, file.Close())
	}
	return grip{file}, true, nil
}

func (g grip) release() {
	_ = g.file.Close() // nothing was written
}

// shepherd is the process that holds the lock; 0 if it has not said so yet.
func (f folder) shepherd() int {
	content, err := os.ReadFile(f.lock())
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0
	}
	return pid
}

// alive reports whether a shepherd lives.
func (f folder) alive() bool {
	hold, free, err := f.tryLock()
	if free {
		hold.release()
	}
	return err == nil && !free
}
