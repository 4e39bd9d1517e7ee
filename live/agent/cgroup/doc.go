// Package cgroup holds a group of processes to a share of processor time.
//
// A [Tree] is the part of a host that one node of the market owns; a [Group] in
// it is one job: its processes, their limits, and what they have used. The
// kernel does the work where it can (cgroup v2, or the older cgroup v1, each
// controller in its own hierarchy); where it may not be asked, signals do, and
// only approximately. [Open] takes the best that works, and [Tree.Kind] and
// [Tree.Missing] say what that is.
//
// The package decides nothing about who gets how much. It starts no process
// either: a starter puts a process in by [EnterSpec] before it becomes the job,
// and tells [Group.Adopt].
//
// By hand: the libraries know one version of the kernel's groups or want systemd to
// own them, and a limit is a few writes to files; v1, v2 and no right to either are
// one interface here.
//
// Read cgroup.go first: it is the whole of what others use. kernel.go and
// group.go are what v1.go and v2.go have in common; signals.go is the fallback,
// and says what it cannot do.
package cgroup
