package agent

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/task"
)

// Memory that a task has taken is gone with it, whatever it was taken as, and no other
// task sees it.
func TestMemoryDoesNotOutliveATask(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	if is, err := inMemory("/dev/shm"); err != nil || !is {
		t.Skip("this machine has no /dev/shm in memory")
	}
	mine := "/dev/shm/libra-" + n.config.Node
	t.Cleanup(func() { _ = os.Remove(mine) })
	segments := sysvSegments(t, n.user.UID)
	leaves := n.shell(1, `[ -e $F ] && echo "element $LIBRA_ARRAY_INDEX sees it"; head -c 3000000 /dev/zero >$F && ls -l $F; ipcmk -M 1000000 >/dev/null || echo no ipcmk`)
	leaves.Spec.Env = []string{"F=" + mine}
	leaves.Spec.Elements = []int{0, 1}
	n.order(leaves)
	if got := n.end(t, leaves.Spec.Key); !got.Good() {
		t.Fatalf("ended as %s", show(got))
	}
	if out := n.file("out"); strings.Count(out, "3000000") != 2 || strings.Contains(out, "sees it") {
		t.Errorf("it said:\n%s", out)
	}
	if _, err := os.Lstat(mine); err == nil {
		t.Errorf("%s is still there", mine)
	}
	until(t, "the segments to be gone", func() bool { return slices.Equal(sysvSegments(t, n.user.UID), segments) })
	n.empty()
}

// sysvSegments are those of a user, by number.
func sysvSegments(t *testing.T, uid int) []string {
	t.Helper()
	text, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		t.Skip("this machine has no shared memory of System V's")
	}
	var found []string
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 7 && f[7] == strconv.Itoa(uid) {
			found = append(found, f[1])
		}
	}
	return found
}

// Who writes too much into memory is told so, and lives; what is in memory and what
// was before is the machine's as ever to whoever is not allowed to have its own.
func TestPrivateDirectoriesAreSmall(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.config.Private = []string{"/dev/shm", "/no/such/directory", n.dir}
	n.start()
	if err := os.WriteFile(n.dir+"/kept", []byte("yes\n"), 0o644); err != nil { // on disk: it stays
		t.Fatal(err)
	}
	full := n.shell(1, `head -c 10000000 /dev/zero 2>/dev/null >/dev/shm/x && echo fits; stat -c %s /dev/shm/x; cat kept`)
	full.Spec.Memory = 16 << 20
	n.order(full)
	if got := n.end(t, full.Spec.Key); !got.Good() {
		t.Fatalf("ended as %s", show(got))
	}
	if out := n.file("out"); out != fmt.Sprintf("%d\nyes\n", 8<<20) {
		t.Errorf("it said:\n%s", out)
	}
	for memory, want := range map[int64]int64{0: 0, 1000: leastPrivate, 1 << 30: 1 << 29} {
		if got := n.config.privacyOf(memory); got.Bytes != want {
			t.Errorf("with %d bytes of memory %d are for files", memory, got.Bytes)
		}
	}
	for _, dir := range []string{"/", "relative", "//"} {
		if err := (Config{StateDir: "/none", OnLease: LeaseStop, Private: []string{dir}}).validate(); err == nil {
			t.Errorf("%s may be private", dir)
		}
	}
}

// keeps is a script that keeps processes with so many megabytes each, and says so.
func keeps(processes, megabytes int) string {
	return fmt.Sprintf(`i=0; while [ $i -lt %d ]; do
		sh -c 'x=$(head -c %d000000 /dev/zero | tr "\0" x); echo kept; sleep 1000' &
		i=$((i+1)); sleep 0.05; done; wait`, processes, megabytes)
}

// When the memory of all is full, it is not a neighbour that is killed for it that
// asked for memory and keeps to it, though it has the largest process of all.
func TestANeighbourIsNotKilledForAnothersMemory(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.config.MemoryMB, n.config.JobMemoryMB = 64, 64
	n.start()
	quiet := n.shell(1, `x=$(head -c 12000000 /dev/zero | tr "\0" x); echo kept; read line <go; exit 3`)
	quiet.Spec.Memory, quiet.Spec.Output, quiet.Spec.Error = 40<<20, "quiet", "quiet"
	if err := unix.Mkfifo(n.dir+"/go", 0o666); err != nil {
		t.Fatal(err)
	}
	n.order(quiet)
	until(t, "the neighbour to have its memory", func() bool { return n.has("quiet", "kept") })
	hog := n.shell(2, keeps(24, 2))
	n.order(hog)
	until(t, "the hog to begin", func() bool { return n.has("out", "kept") })
	n.killedForMemory(t, hog.Spec.Key, quiet.Spec.Key)
	n.reorder(hog.Spec.Key, func(o *task.Order) { o.Stop = task.Kill })
	if got := n.end(t, hog.Spec.Key); !got.OOM || got.Limit != task.LimitMemory || !strings.Contains(got.Error, "asked for none") {
		t.Errorf("the hog ended as %s", show(got))
	}
	line, err := os.OpenFile(n.dir+"/go", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer line.Close()
	if _, err = line.WriteString("now\n"); err != nil {
		t.Fatal(err)
	}
	if got := n.end(t, quiet.Spec.Key); got.Exit != 3 || got.OOM || got.Limit != "" {
		t.Errorf("the neighbour ended as %s", show(got))
	}
}

// killedForMemory waits until the kernel has killed a process of one of the tasks for
// want of memory.
func (n *node) killedForMemory(t *testing.T, keys ...task.Key) {
	t.Helper()
	until(t, "the memory to be full", func() bool {
		return slices.ContainsFunc(keys, func(key task.Key) bool {
			if group, ok := n.tree.Find(key.String()); ok {
				usage, err := group.Usage()
				return err == nil && usage.OOMKills > 0
			}
			return true // it has ended already
		})
	})
}

// Where only tasks are left that asked for memory and kept to it, the node has lost
// the one that is killed: it did nothing wrong.
func TestWhoKeepsToItsMemoryIsNotBlamed(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.config.MemoryMB = 64
	n.start()
	large := n.shell(1, `x=$(head -c 12000000 /dev/zero | tr "\0" x); echo kept; sleep 1000`)
	large.Spec.Memory, large.Spec.Output, large.Spec.Error = 60<<20, "large", "large"
	n.order(large)
	until(t, "it to have its memory", func() bool { return n.has("large", "kept") })
	other := n.shell(2, keeps(24, 2))
	other.Spec.Memory = 60 << 20
	n.order(other)
	if got := n.end(t, large.Spec.Key); got.State != task.Lost || got.OOM || got.Limit != "" || !strings.Contains(got.Error, "kept to what it asked for") {
		t.Errorf("ended as %s", show(got))
	}
}
