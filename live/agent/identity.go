package agent

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/market"
)

// The kernel keeps an identity for each thread. The functions of package syscall
// change that of all threads of a process, for which they wait in a loop that
// yields; on a single processor that was seen to wait for ever (Linux 6.1). The
// thread that becomes the program is the only one that is left of an init, so
// its own identity is enough.

// assume makes the calling thread the account's, for good. Its goroutine must be
// locked to it.
func (a account) assume() error {
	if err := a.joinGroups(); err != nil {
		return err
	}
	gid, uid := uintptr(a.GID), uintptr(a.UID)
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESGID, gid, gid, gid); errno != 0 {
		return fmt.Errorf("group of %s: %w", a.Name, errno)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uid, uid, uid); errno != 0 {
		return fmt.Errorf("become %s: %w", a.Name, errno)
	}
	r, e, s := unix.Getresuid()
	rg, eg, sg := unix.Getresgid()
	if r != a.UID || e != a.UID || s != a.UID || rg != a.GID || eg != a.GID || sg != a.GID {
		return fmt.Errorf("become %s: still user %d and group %d", a.Name, e, eg)
	}
	return nil
}

// see makes the calling thread, and no other, look at files with the rights of
// the account.
func (a account) see() error {
	if err := a.joinGroups(); err != nil {
		return err
	}
	// These two calls report the old identity, never an error: asked again with
	// what cannot be set, they tell what is so now.
	_, _ = unix.SetfsgidRetGid(a.GID)
	_, _ = unix.SetfsuidRetUid(a.UID)
	gid, err := unix.SetfsgidRetGid(-1)
	uid, err2 := unix.SetfsuidRetUid(-1)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	if gid != a.GID || uid != a.UID {
		return fmt.Errorf("see files as %s: refused", a.Name)
	}
	return nil
}

// joinGroups gives the calling thread the account's groups.
func (a account) joinGroups() error {
	groups := make([]uint32, len(a.Groups)+1)
	for i, id := range a.Groups {
		groups[i] = market.Uint32(id)
	}
	_, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(a.Groups)), uintptr(unsafe.Pointer(&groups[0])), 0)
	if errno != 0 {
		return fmt.Errorf("groups of %s: %w", a.Name, errno)
	}
	return nil
}
