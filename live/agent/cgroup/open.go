package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Options choose what a tree is made of; the zero value is the best that works.
type Options struct {
	// Kind asks for V1, V2 or Signals and nothing else. Empty is what Detect
	// finds, or Signals where that may not be written to.
	Kind string
	// Now is the clock that signals measure by; nil is the clock of the host.
	Now func() time.Time
	// SharesOnly leaves everything but processor time to somebody else, who has
	// groups of its own for it: a group is a directory of cpu and of cpuacct
	// (v1), or has only the cpu controller (v2). In v1 nothing can be frozen
	// then, and Kill has no means to keep processes from forking on.
	SharesOnly bool
}

// Open opens the tree of a node, say "libra/node7", and makes it if there is
// none; groups that are in it already are found by List.
//
// The name is a path below the mount points. With cgroup v2 it is below the
// own group of the process where the mount point may not be written to: the
// process then needs a group of its own that has been delegated to it
// (Delegate=yes in a unit of systemd), and moves itself into a leaf of that,
// because a group that has children with limits can have no processes.
func Open(name string, opts Options) (Tree, error) {
	for part := range strings.SplitSeq(name, "/") {
		if err := checkName(part); err != nil {
			return nil, err
		}
	}
	kind, mounts, err := detectHere()
	if err != nil {
		return nil, err
	}
	if opts.Kind != "" && opts.Kind != Signals && opts.Kind != kind {
		return nil, fmt.Errorf("%s: %w", opts.Kind, ErrMissing)
	}
	if opts.Kind != "" {
		kind = opts.Kind
	}
	tree, err := openKind(kind, name, mounts, opts)
	if err != nil && opts.Kind == "" && kind != Signals && notAllowed(err) {
		tree, err = openKind(Signals, name, mounts, opts)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s as %s: %w", name, kind, err)
	}
	return tree, nil
}

// detectHere is Detect for this process.
func detectHere() (kind string, m Mounts, err error) {
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "", Mounts{}, err
	}
	defer file.Close()
	return Detect(file)
}

func openKind(kind, name string, mounts Mounts, opts Options) (Tree, error) {
	switch kind {
	case V1:
		l, err := newV1(mounts, name, opts.SharesOnly)
		if err != nil {
			return nil, err
		}
		return newKernelTree(name, l)
	case V2:
		l, err := newV2(mounts, opts.SharesOnly)
		if err != nil {
			return nil, err
		}
		return newKernelTree(name, l)
	case Signals:
		return newSignalTree(name, opts.Now)
	default:
		return nil, fmt.Errorf("kind %q: %w", kind, ErrMissing)
	}
}

// notAllowed reports whether the kernel's groups are there but not for us.
func notAllowed(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) || errors.Is(err, ErrMissing)
}
