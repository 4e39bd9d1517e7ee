package slurm

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/task"
)

// aTask is a task of a job of one, in a directory of its own.
func aTask(t *testing.T) task.Spec {
	t.Helper()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return task.Spec{
		Key: task.Key{Job: 12}, Size: 1, Nodes: []string{"n1"}, Name: "a job", User: me.Username, Dir: t.TempDir(), Output: "out", Error: "out",
	}
}

// inShell runs what Slurm would run, and says how it ended. A stand-in for srun
// runs the ranks one after the other.
func inShell(t *testing.T, specs []task.Spec, env ...string) int {
	t.Helper()
	text, err := Script(specs)
	if err != nil {
		t.Fatal(err)
	}
	tools := t.TempDir()
	srun := `#!/bin/sh
input=$(mktemp); cat >"$input"; code=0; rank=0
while read -r host; do
	[ -n "$host" ] || exit 99
	SLURM_PROCID=$rank /bin/sh -s <"$input" || code=$?
	rank=$((rank + 1))
done <"$SLURM_HOSTFILE"
rm -f "$input"; exit $code
`
	if err := os.WriteFile(filepath.Join(tools, "srun"), []byte(srun), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(tools, "job")
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	temporary := t.TempDir()
	cmd := exec.CommandContext(t.Context(), file)
	cmd.Env = []string{"PATH=" + tools + ":" + defaultPath, "LIBRA_SEAL=secret", "LIBRA_JOB_ID=99", "TMPDIR=" + temporary}
	cmd.Env = append(cmd.Env, env...)
	cmd.Dir = "/"
	said, err := cmd.CombinedOutput()
	if len(said) > 0 {
		t.Logf("the shell says: %s", said)
	}
	if left, _ := os.ReadDir(temporary); len(left) > 0 {
		t.Errorf("%s is left behind", left[0].Name())
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if status, is := cmd.ProcessState.Sys().(syscall.WaitStatus); is && status.Signaled() {
		return -int(status.Signal())
	}
	return cmd.ProcessState.ExitCode()
}

func content(t *testing.T, spec *task.Spec, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(spec.Dir, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAProgramGetsItsArgumentsAsTheyAre(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := aTask(t)
		word := rapid.StringOfN(rapid.RuneFrom([]rune("ab \t\n'\"$`\\*?~!#&;|<>(){}[]=%éñ-/0")), 0, 12, -1)
		args := rapid.SliceOfN(word, 0, 5).Draw(rt, "arguments")
		value := word.Draw(rt, "value")
		s.Argv = append([]string{"sh", "-c", `printf '%s\0' "$VALUE" "$@"`, "sh"}, args...)
		s.Env = []string{"VALUE=" + value}
		if code := inShell(t, []task.Spec{s}); code != 0 {
			rt.Fatalf("exit code %d", code)
		}
		if got, want := content(t, &s, "out"), strings.Join(append([]string{value}, args...), "\x00")+"\x00"; got != want {
			rt.Fatalf("it got %q, want %q", got, want)
		}
	})
}

func TestAScriptIsNotLookedInto(t *testing.T) {
	for name, text := range map[string]string{
		"shell":         "#!/bin/sh\necho \"$1 $#\" '$HOME' `echo x`\n",
		"no end":        "#!/bin/sh\necho \"$1 $#\" '$HOME' x",
		"no first line": "echo \"$1 $#\" '$HOME' x\n",
		"quotes":        "#!/bin/sh -e\n# ' \" ` $( \\\ncat <<'EOF'\na b 2 $HOME x\nEOF\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := aTask(t)
			s.Script, s.Argv = []byte(text), []string{"a b", "c"}
			if code := inShell(t, []task.Spec{s}); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if got := content(t, &s, "out"); got != "a b 2 $HOME x\n" {
				t.Errorf("it said %q", got)
			}
		})
	}
}

func TestADocumentCannotEndItself(t *testing.T) {
	text := "#!/bin/sh\necho begun\n"
	for range 3 { // a script that holds the end of the document made for it
		document := hereDocument(text)
		end, _, _ := strings.Cut(strings.TrimPrefix(document, "<<'"), "'")
		text += end + "\necho still here >&2\n"
	}
	s := aTask(t)
	s.Script = []byte(text)
	inShell(t, []task.Spec{s})
	if got := content(t, &s, "out"); strings.Count(got, "still here") != 3 {
		t.Errorf("it said %q", got)
	}
}

func TestHowATaskEnds(t *testing.T) {
	for name, c := range map[string]struct {
		argv []string
		dir  string
		want int
	}{
		"well":           {[]string{"true"}, "", 0},
		"with a code":    {[]string{"sh", "-c", "exit 7"}, "", 7},
		"like a shell":   {[]string{"sh", "-c", "exit 127"}, "", 127},
		"not found":      {[]string{"there-is-none"}, "", -int(noProgram)},
		"no such file":   {[]string{"./there-is-none"}, "", -int(noProgram)},
		"not a program":  {[]string{"/etc/passwd"}, "", -int(notRunnable)},
		"a directory":    {[]string{"/etc"}, "", -int(notRunnable)},
		"nowhere":        {[]string{"true"}, "/there/is/none", -int(noDirectory)},
		"an equals sign": {[]string{"a=b"}, "", -int(noProgram)},
	} {
		t.Run(name, func(t *testing.T) {
			s := aTask(t)
			s.Argv = c.argv
			if c.dir != "" {
				s.Dir = c.dir
			}
			if code := inShell(t, []task.Spec{s}); code != c.want {
				t.Errorf("exit code %d, want %d", code, c.want)
			}
		})
	}
}

func TestWhatATaskIsTold(t *testing.T) {
	s := aTask(t)
	s.Argv = []string{"env"}
	s.Env = []string{"PATH=/usr/bin:/bin", "LIBRA_RANK=7", "odd.name=1", "UID=5"}
	inShell(t, []task.Spec{s})
	got := "\n" + content(t, &s, "out")
	for _, want := range []string{
		"PATH=/usr/bin:/bin", "LIBRA_JOB_ID=12", "LIBRA_JOB_NAME=a job", "LIBRA_RANK=0", "LIBRA_SIZE=1", "LIBRA_NODES=n1", "LIBRA_NODE=n1",
		"LIBRA_ATTEMPT=0", "USER=" + s.User, "LOGNAME=" + s.User, "odd.name=1", "UID=5",
	} {
		if !strings.Contains(got, "\n"+want+"\n") {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
	for _, never := range []string{"LIBRA_SEAL", "LIBRA_ARRAY_INDEX", "libra_", "SHELL=\n", "HOME=\n"} {
		if strings.Contains(got, "\n"+never) {
			t.Errorf("%s is in %s", never, got)
		}
	}
}

func TestOutputsGoOnWhereAnAttemptEnded(t *testing.T) {
	s := aTask(t)
	s.Argv, s.Error = []string{"sh", "-c", "echo out; echo err >&2"}, "err"
	inShell(t, []task.Spec{s})
	inShell(t, []task.Spec{s}) // the first attempt begins anew
	s.Attempt = 1
	inShell(t, []task.Spec{s})
	line := "libra: job 12, attempt 1\n"
	if out, errs := content(t, &s, "out"), content(t, &s, "err"); out != "out\n"+line+"out\n" || errs != "err\n"+line+"err\n" {
		t.Errorf("output %q, errors %q", out, errs)
	}
	if err := os.Symlink("/tmp/elsewhere", filepath.Join(s.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	s.Output, s.Error = "link", "link"
	if code := inShell(t, []task.Spec{s}); code != -int(noOutput) {
		t.Errorf("a link as the output: exit code %d", code)
	}
}

func TestRanksRunWhereTheyWerePut(t *testing.T) {
	first := aTask(t)
	first.Size, first.Nodes = 3, []string{"n1", "n1", "n2"}
	first.Argv = []string{"sh", "-c", `echo "$LIBRA_RANK $LIBRA_NODE $LIBRA_SIZE"; exit $((LIBRA_RANK * 2))`}
	specs := []task.Spec{first, first, first}
	for i := range specs {
		specs[i].Rank = i
	}
	if code := inShell(t, specs); code != 4 {
		t.Errorf("exit code %d", code)
	}
	if got := content(t, &first, "out"); got != "0 n1 3\n1 n1 3\n2 n2 3\n" {
		t.Errorf("together they said %q", got)
	}
	for i, name := range []string{"out-0", "out-1", "out-2"} {
		specs[i].Output, specs[i].Error = name, name
	}
	inShell(t, specs)
	inShell(t, specs)
	if got := content(t, &first, "out-2"); got != "2 n2 3\n" {
		t.Errorf("the last said %q", got)
	}
}

func TestAScriptThatStartsItsRanksRunsOnce(t *testing.T) {
	first := aTask(t)
	first.Size, first.Nodes, first.Once = 3, []string{"n1", "n1", "n2"}, true
	first.Script = []byte("#!/bin/sh\necho \"$LIBRA_RANK of $LIBRA_SIZE, $SLURM_NTASKS $SLURM_DISTRIBUTION\"\ncat \"$SLURM_HOSTFILE\" \"$SLURM_HOSTFILE\"\nexit 3\n")
	specs := []task.Spec{first, first, first}
	for i := range specs {
		specs[i].Rank = i
	}
	if code := inShell(t, specs); code != 3 {
		t.Errorf("exit code %d", code)
	}
	if got := content(t, &first, "out"); got != "0 of 3, 3 arbitrary\n"+strings.Repeat("n1\nn1\nn2\n", 2) {
		t.Errorf("it said %q", got)
	}
}

func TestALaneRunsItsElements(t *testing.T) {
	s := aTask(t)
	s.Script = []byte("#!/bin/sh\necho \"$LIBRA_ARRAY_INDEX\"\n[ \"$LIBRA_ARRAY_INDEX\" -ne 3 ] || exit 5\n[ \"$LIBRA_ARRAY_INDEX\" -ne 5 ] || exit 6\n")
	s.Elements = []int{1, 3, 5}
	if code := inShell(t, []task.Spec{s}); code != 5 {
		t.Errorf("exit code %d, want that of the first bad element", code)
	}
	if got, want := content(t, &s, "out"), "1\nlibra: job 12, element 3\n3\nlibra: job 12, element 5\n5\n"; got != want {
		t.Errorf("it said %q, want %q", got, want)
	}
	s.Output, s.Error = "%4a-%2j", "%4a-%2j"
	inShell(t, []task.Spec{s})
	if got := content(t, &s, "0003-12"); got != "3\n" {
		t.Errorf("in a file with more digits it said %q", got)
	}
	s.Output, s.Error = "it's %a", "it's %a"
	inShell(t, []task.Spec{s})
	if got := content(t, &s, "it's 3"); got != "3\n" {
		t.Errorf("element 3 said %q", got)
	}
}

func TestWhatCannotRunOnSlurmIsSaid(t *testing.T) {
	s := aTask(t)
	if _, err := Script([]task.Spec{s}); err == nil {
		t.Error("a task without a program: no error")
	}
	s.Argv, s.Optional = []string{"true"}, &task.Optional{}
	if _, err := Script([]task.Spec{s}); err == nil {
		t.Error("an optional part: no error")
	}
}

// The programs of a Slurm that is not in the usual places come first.
func TestWhereProgramsAre(t *testing.T) {
	for srun, want := range map[string]string{
		"":                    defaultPath,
		"/usr/bin/srun":       defaultPath,
		"srun":                defaultPath,
		"/opt/slurm/bin/srun": "/opt/slurm/bin:" + defaultPath,
	} {
		if got := PathWith(srun); got != want {
			t.Errorf("%q: %q, want %q", srun, got, want)
		}
	}
}
