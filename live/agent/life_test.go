package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/libra-market/libra/core/task"
)

func TestHowATaskEnded(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	if err := os.WriteFile(filepath.Join(n.dir, "plain"), []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(*task.Spec)
		state  task.State
		exit   int
		signal string
		reason string
	}{
		{"success", func(s *task.Spec) { s.Argv = []string{"true"} }, task.Ended, 0, "", ""},
		{"exit code", func(s *task.Spec) { s.Argv = []string{"/bin/sh", "-c", "exit 7"} }, task.Ended, 7, "", ""},
		{"killed", func(s *task.Spec) { s.Argv[2] = "kill -9 $$" }, task.Ended, 0, "SIGKILL", ""},
		{"crashed", func(s *task.Spec) { s.Argv[2] = "kill -SEGV $$" }, task.Ended, 0, "SIGSEGV", ""},
		{"real-time signal", func(s *task.Spec) { s.Argv[2] = "kill -40 $$" }, task.Ended, 0, "SIG40", ""},
		{"no such program", func(s *task.Spec) { s.Argv = []string{"no-such-program"} }, task.Refused, 0, "", "no such program: no-such-program"},
		{"no such file", func(s *task.Spec) { s.Argv = []string{"./no-such-program"} }, task.Refused, 0, "", "no such program: ./no-such-program"},
		{"no such interpreter", func(s *task.Spec) { s.Argv, s.Script = nil, []byte("#!/no/such/sh\n") }, task.Refused, 0, "", "no such program: the interpreter that the script names"},
		{"no place for its output", func(s *task.Spec) { s.Output = "/no/such/file" }, task.Refused, 0, "", "output /no/such/file: no such file"},
		{"no program", func(s *task.Spec) { s.Argv = []string{"./plain"} }, task.Refused, 0, "", "permission denied"},
		{"empty", func(s *task.Spec) { s.Argv = nil }, task.Refused, 0, "", "no program"},
		{"no such directory", func(s *task.Spec) { s.Dir = "/no/such/directory" }, task.Refused, 0, "", "no such directory: /no/such/directory"},
		{"not absolute", func(s *task.Spec) { s.Dir = "work" }, task.Refused, 0, "", "not an absolute path"},
		{"unwritable output", func(s *task.Spec) { s.Output = "/etc/libra-test" }, task.Refused, 0, "", "permission denied"},
		{"zero byte", func(s *task.Spec) { s.Argv[2] = "a\x00b" }, task.Refused, 0, "", "zero byte"},
		{"bad environment", func(s *task.Spec) { s.Env = []string{"=x"} }, task.Refused, 0, "", "NAME=value"},
		{"unknown user", func(s *task.Spec) { s.User = "libra-nobody-at-all" }, task.Refused, 0, "", "there is no user"},
		{"no user", func(s *task.Spec) { s.User = "" }, task.Refused, 0, "", "not the name of a user"},
		{"number as user", func(s *task.Spec) { s.User = "0" }, task.Refused, 0, "", "there is no user"},
	}
	for i, test := range tests {
		order := n.shell(int64(i), "true")
		order.Spec.Output, order.Spec.Error = "", ""
		test.change(&order.Spec)
		n.order(order)
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := n.end(t, task.Key{Job: int64(i)})
			if got.State != test.state || got.Exit != test.exit || got.Signal != test.signal || !strings.Contains(got.Error, test.reason) ||
				(test.reason == "" && got.Error != "") {
				t.Errorf("ended as %s, want %s, exit %d, signal %q, reason %q", show(got), test.state, test.exit, test.signal, test.reason)
			}
		})
	}
	bad := n.shell(100, "true")
	bad.Processor = 1000
	n.order(bad)
	if got := n.end(t, task.Key{Job: 100}); got.State != task.Refused || !strings.Contains(got.Error, "no processor 1000") {
		t.Errorf("on a processor that is not there: %s", show(got))
	}
	n.empty()
}

func TestATaskRunsAsItsUserAndWithNothingOfTheAgents(t *testing.T) {
	t.Setenv("LIBRA_SECRET", "the agent's own")
	n := newNode(t).start()
	order := n.shell(12, `
		env | grep -v '^\(PWD\|OLDPWD\|SHLVL\|_\)=' | sort
		for file in 3 4 5 6 7 8 9; do readlink /proc/self/fd/$file; done
		echo "user $(id -un) $(id -gn)"
		echo "groups $(id -G)"
		echo "umask $(umask) core $(ulimit -c)"
		grep NoNewPrivs /proc/self/status
		grep CapEff /proc/self/status
		cat /etc/shadow >/dev/null 2>&1 && echo "reads shadow"
		echo x 2>/dev/null >"$STATE/lease" && echo "writes state"
		ls "$STATE" >/dev/null 2>&1 && echo "lists state"
		pwd
		read line || echo "no input"`)
	order.Spec.Rank, order.Spec.Attempt, order.Spec.Size = 1, 0, 2
	order.Spec.Nodes = []string{"a", n.config.Node}
	order.Spec.Name = "a name"
	order.Spec.Env = []string{"MINE=yes", "HOME=/else where", "LIBRA_RANK=9", "STATE=" + n.config.StateDir, "EMPTY="}
	n.order(order)
	if got := n.end(t, order.Spec.Key); !got.Good() {
		t.Fatalf("ended as %s", show(got))
	}
	want := fmt.Sprintf(`EMPTY=
HOME=/else where
LIBRA_ATTEMPT=0
LIBRA_JOB_ID=12
LIBRA_JOB_NAME=a name
LIBRA_NODE=%[1]s
LIBRA_NODES=a,%[1]s
LIBRA_RANK=1
LIBRA_SIZE=2
LIBRA_THREADS=1
LOGNAME=libra-alice
MINE=yes
PATH=/usr/local/bin:/usr/bin:/bin
SHELL=/bin/sh
STATE=%[2]s
USER=libra-alice
user libra-alice libra-alice
groups %[4]d
umask 0022 core 0
NoNewPrivs:	1
CapEff:	0000000000000000
%[3]s
no input
`, n.config.Node, n.config.StateDir, n.dir, n.user.GID)
	if text := n.file("out"); text != want {
		t.Errorf("it saw\n%s\nwant\n%s", text, want)
	}
	if uid := owner(t, filepath.Join(n.dir, "out")); uid != n.user.UID {
		t.Errorf("output belongs to user %d, want %d", uid, n.user.UID)
	}
}

func TestThreadsHaveAProcessorEach(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	if len(n.config.CPUs) < 2 {
		t.Skip("this machine has one processor")
	}
	n.start()
	one := n.shell(1, `echo "$OMP_NUM_THREADS $LIBRA_THREADS" $(sed -n 's/Cpus_allowed_list://p' /proc/self/status)`)
	two := n.shell(2, one.Spec.Argv[2])
	one.Processor, one.Spec.Output, one.Spec.Error = 1, "one", "one"
	two.CPU, two.More, two.Spec.Threads, two.Spec.Output, two.Spec.Error = 2, []int{1}, 2, "two", "two"
	none := n.shell(3, "true")
	none.More = []int{len(n.config.CPUs)}
	n.order(one, two, none)
	for _, o := range []task.Order{one, two} {
		if got := n.end(t, o.Spec.Key); !got.Good() {
			t.Errorf("%s ended as %s", o.Spec.Key, show(got))
		}
	}
	if got := n.end(t, none.Spec.Key); got.State != task.Refused {
		t.Errorf("with a processor that is not there it ended as %s", show(got))
	}
	if got, want := n.file("one"), fmt.Sprintf(" 1 %d\n", n.config.CPUs[1]); got != want {
		t.Errorf("one processor: %q, want %q", got, want)
	}
	if got, want := n.file("two"), fmt.Sprintf("2 2 %d-%d\n", n.config.CPUs[0], n.config.CPUs[1]); got != want {
		t.Errorf("two threads: %q, want %q", got, want)
	}
}

func TestOutputCannotBeAimedElsewhere(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	target := filepath.Join(n.dir, "target")
	if err := os.Symlink(target, filepath.Join(n.dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(n.dir, "pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	for job, output := range map[int64]string{1: "link", 2: "pipe", 3: "/etc/passwd", 4: "sub/../link"} {
		order := n.shell(job, "echo written")
		order.Spec.Output, order.Spec.Error = output, output
		n.order(order)
	}
	for job := int64(1); job <= 4; job++ {
		if got := n.end(t, task.Key{Job: job}); got.State != task.Refused || !strings.Contains(got.Error, "output") {
			t.Errorf("task %d ended as %s, want it refused for its output", job, show(got))
		}
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("the file behind the link was written")
	}
}

func TestLaterAttemptsGoOnWritingWhereFormerOnesBegan(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	for attempt := range 3 {
		order := n.shell(5, "echo ran; echo trouble >&2")
		order.Spec.Attempt, order.Spec.Error = attempt%2, "err"
		order.Spec.Key.Job = int64(5 + attempt/2)
		n.order(order)
		n.end(t, order.Spec.Key)
		want := map[int]string{0: "ran\n", 1: "ran\nlibra: job 5, attempt 1\nran\n", 2: "ran\n"}[attempt]
		if text := n.file("out"); text != want {
			t.Errorf("after run %d: %q, want %q", attempt, text, want)
		}
		if text := n.file("err"); text != strings.ReplaceAll(want, "ran", "trouble") {
			t.Errorf("errors after run %d: %q", attempt, text)
		}
	}
}

func TestScripts(t *testing.T) {
	for _, private := range []bool{false, true} {
		t.Run(map[bool]string{false: "open state", true: "private state"}[private], func(t *testing.T) {
			n := newNode(t)
			if private {
				if err := os.MkdirAll(n.config.StateDir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			n.start()
			testScripts(t, n)
		})
	}
}

func testScripts(t *testing.T, n *node) {
	scripts := map[int64]string{
		1: "#!/bin/sh\necho shell \"$1\" \"$2\"\n",
		2: "echo plain $1\n",
		3: "#!/usr/bin/env -S awk -f\nBEGIN { print \"awk\", ARGV[1] }\n",
		4: "#!/no/such/interpreter\n",
		5: "",
	}
	for job, script := range scripts {
		order := n.shell(job, "")
		order.Spec.Script, order.Spec.Argv = []byte(script), []string{"one", "two words"}
		order.Spec.Output = "out-%j-%r-%a"
		n.order(order)
	}
	for job, want := range map[int64]string{1: "shell one two words\n", 2: "plain one\n", 3: "awk one\n", 5: ""} {
		if got := n.end(t, task.Key{Job: job}); !got.Good() {
			t.Errorf("script %d ended as %s", job, show(got))
			continue
		}
		if text := n.file(fmt.Sprintf("out-%d-0-%%a", job)); text != want {
			t.Errorf("script %d wrote %q, want %q", job, text, want)
		}
	}
	if got := n.end(t, task.Key{Job: 4}); got.State != task.Refused || !strings.Contains(got.Error, "interpreter") {
		t.Errorf("script without interpreter ended as %s", show(got))
	}
}

// An agent is not root's hand because it runs as root: whoever says what runs here
// becomes a user of the system only if the agent was told so.
func TestTasksOfSystemUsersAreRefused(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	for i, name := range []string{"root", "daemon", "nobody"} {
		order := n.shell(int64(i+1), "id -u")
		order.Spec.User = name
		n.order(order)
		if got := n.end(t, order.Spec.Key); got.State != task.Refused || !strings.Contains(got.Error, "--system-users "+name) {
			t.Errorf("a task of %s ended as %s", name, show(got))
		}
	}
	secret := filepath.Join(n.dir, "secret")
	if err := os.WriteFile(secret, []byte("of root"), 0o600); err != nil {
		t.Fatal(err)
	}
	tail := task.Tail{User: "root", Dir: n.dir, File: "secret", Limit: 10}
	if chunk, err := readTail(tail, n.config.SystemUsers); err == nil || len(chunk.Data) > 0 {
		t.Errorf("a file of root's was read: %q", chunk.Data)
	}
	if chunk, err := readTail(tail, []string{"root"}); err != nil || string(chunk.Data) != "of root" {
		t.Errorf("a file of root's was not read where that is meant: %v", err)
	}
}

func TestRootIsRootWhereItIsNamed(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.config.SystemUsers = []string{"root"}
	n.start()
	order := n.shell(1, "id -u")
	order.Spec.User = "root"
	n.order(order)
	if got := n.end(t, task.Key{Job: 1}); !got.Good() || n.file("out") != "0\n" {
		t.Errorf("a task of root ended as %s", show(got))
	}
}

func TestArray(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	one := n.shell(1, `setsid sleep 1000 & echo "element $LIBRA_ARRAY_INDEX"; [ $LIBRA_ARRAY_INDEX != 7 ] || exit 4; [ $LIBRA_ARRAY_INDEX != 9 ] || kill -9 $$`)
	one.Spec.Elements = []int{3, 7, 9, 10}
	two := n.shell(2, "echo own")
	two.Spec.Span, two.Spec.Output, two.Spec.Error = &task.Span{First: 1, Step: 1, Count: 2}, "own-%a", "own-%a"
	none := n.shell(3, "")
	none.Spec.Elements, none.Spec.Argv = []int{1, 2}, []string{"no-such-program"}
	none.Spec.Output, none.Spec.Error = "none", "none"
	n.order(one, two, none)

	got := n.end(t, one.Spec.Key)
	before := int64(0)
	for i := range got.Elements {
		e := &got.Elements[i]
		if e.StartedUS < before || e.EndedUS < e.StartedUS {
			t.Errorf("element %d ran from %d to %d, after one that ended at %d", e.Index, e.StartedUS, e.EndedUS, before)
		}
		before, e.StartedUS, e.EndedUS = e.EndedUS, 0, 0
	}
	want := []task.Element{{Index: 3}, {Index: 7, Exit: 4}, {Index: 9, Signal: "SIGKILL"}, {Index: 10}}
	if fmt.Sprint(got.Elements) != fmt.Sprint(want) || got.State != task.Ended || got.Exit != 4 || got.Good() {
		t.Errorf("array ended as %s, want elements %v", show(got), want)
	}
	text := "element 3\nlibra: job 1, element 7\nelement 7\nlibra: job 1, element 9\nelement 9\nlibra: job 1, element 10\nelement 10\n"
	if n.file("out") != text {
		t.Errorf("array wrote %q", n.file("out"))
	}
	if got := n.end(t, two.Spec.Key); !got.Good() || n.file("own-1") != "own\n" || n.file("own-2") != "own\n" {
		t.Errorf("array with own files ended as %s", show(got))
	}
	got = n.end(t, none.Spec.Key)
	if got.State != task.Refused || len(got.Elements) != 2 || !strings.HasPrefix(got.Elements[1].Error, "no such program: no-such-program") {
		t.Errorf("array that never started ended as %s", show(got))
	}
	n.empty()
}

func TestMemoryLimitIsSeen(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	// The shell itself ends well.
	order := n.shell(1, `head -c 60000000 /dev/zero | tail -c 60000000 >/dev/null; exit 0`)
	order.Spec.Memory, order.CPU = 32<<20, 1
	n.order(order)
	got := n.end(t, order.Spec.Key)
	if !got.OOM || got.Good() || got.PeakBytes < 16<<20 || got.PeakBytes > 33<<20 {
		t.Errorf("ended as %s, want out of memory at 32 MiB", show(got))
	}
}

func TestNothingOutlivesItsTask(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	n.order(n.shell(1, `(setsid sh -c 'trap "" TERM HUP; sleep 1000 & sleep 1000' &) ; sleep 0.1; echo done`))
	if got := n.end(t, task.Key{Job: 1}); !got.Good() {
		t.Errorf("ended as %s", show(got))
	}
	n.empty()
}
