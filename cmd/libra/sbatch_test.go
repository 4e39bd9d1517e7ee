package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
)

func TestSbatchTakesAScriptAsSlurmDoes(t *testing.T) {
	f := newFloor()
	open(t, f, v1.RoleUser)
	t.Setenv("MINE", "kept")
	script := file(t, "job.sh", `#!/bin/sh
#SBATCH -J weather -n 4 --mem=2G
#SBATCH -t 10
#SBATCH -o %x-%j.out
#LIBRA budget=5 name=other
echo "$1"
`)
	r := libra(t, "sbatch", "-J", "storm", "-n2", "--deadline=now+1hour", "--dependency=afterok:3", "--penalty=0.1", "--quiet", script, "-x", "--two")
	if r.code != exitOK || r.out != "" || r.err != "" {
		t.Fatalf("%+v", r)
	}
	got := f.last(t).Submit.Request
	dir, _ := os.Getwd()
	if got.Name != "storm" || got.Processors != 2 || got.MemoryMB != 1024 || got.EstimateMS != 600_000 || got.DeadlineMS != 3_600_000 ||
		got.Output != "%x-%b.out" || *got.Budget != 5e6 || got.PenaltyMicros != 100_000 || !slices.Equal(got.After, []int64{3}) ||
		!slices.Equal(got.Argv, []string{"-x", "--two"}) || got.Dir != dir || !slices.Contains(got.Env, "MINE=kept") {
		t.Errorf("the market was asked for %+v", got)
	}
}

func TestSbatchWithoutAFile(t *testing.T) {
	f := newFloor()
	open(t, f, v1.RoleUser)
	r := libra(t, "sbatch", "-t", "1", "--parsable", "--export=NONE", "--array=1-4%2", "--wrap", "echo it's here")
	if r.code != exitOK || strings.Trim(r.out, "0123456789") != "\n" {
		t.Fatalf("%+v", r)
	}
	got := f.last(t).Submit.Request
	if !strings.HasPrefix(got.Script, "#!/bin/sh\n") || !strings.HasSuffix(got.Script, "\necho it's here\n") || slices.ContainsFunc(got.Env, func(e string) bool { return !strings.HasPrefix(e, "SLURM_") }) ||
		got.Output != "slurm-%b_%a.out" || got.Array == nil || got.Array.Limit != 2 || got.Name != "wrap" {
		t.Errorf("the market was asked for %+v", got)
	}
	r = libra(t, "sbatch", "-t", "1", "--parsable", "--quiet", "--wrap", "")
	if got = f.last(t).Submit.Request; r.code != exitOK || r.out != "" || got.Name != "wrap" || !strings.HasSuffix(got.Script, "--wrap.\n\n\n") {
		t.Errorf("an empty one, quietly: %+v: %+v", r, got)
	}
	r = libraIn(t, "#!/bin/sh\n#SBATCH -t 2\ntrue\n", "sbatch", "-Q")
	if got = f.last(t).Submit.Request; r.code != exitOK || got.EstimateMS != 120_000 || got.Output != "slurm-%b.out" {
		t.Errorf("%+v: %+v", r, got)
	}
}

func TestSbatchTestOnlyIsAQuote(t *testing.T) {
	f := newFloor()
	open(t, f, v1.RoleUser)
	f.preview = func(r v1.Request) api.Outcome { return api.Outcome{Quote: &v1.Quote{Request: r, Price: 1_250_000}} }
	r := libra(t, "sbatch", "-t", "1", "--test-only", "--wrap", "true")
	if r.code != exitOK || !strings.Contains(r.out, "price") || strings.Contains(r.out, "Submitted") {
		t.Errorf("%+v", r)
	}
}

// Who waits, by the command or by a line of the script, ends as the job does.
func TestSbatchWaits(t *testing.T) {
	f := newFloor()
	f.answer = accept(func(j *v1.Job) {
		j.State, j.Tasks = v1.Failed, []v1.TaskStatus{{State: v1.TaskEnded, Exit: 4}}
		f.Put(*j)
	})
	open(t, f, v1.RoleUser)
	for line, c := range map[string]struct {
		options []string
		code    int
	}{"": {nil, exitOK}, "#SBATCH --wait": {nil, 4}, "#SBATCH -n 1": {[]string{"-W"}, 4}} {
		script := file(t, "job.sh", "#!/bin/sh\n#SBATCH -t 1\n"+line+"\n")
		if r := libra(t, append(append([]string{"sbatch"}, c.options...), script)...); r.code != c.code {
			t.Errorf("%q, %v: %+v, want %d", line, c.options, r, c.code)
		}
	}
}

// What it ends with is what sbatch does: the highest status of all elements, and 1 for a signal.
func TestSbatchWaitsForTheHighestStatus(t *testing.T) {
	f := newFloor()
	open(t, f, v1.RoleUser)
	ended := func(exit int, signal string) v1.TaskStatus {
		return v1.TaskStatus{State: v1.TaskEnded, Exit: exit, Signal: signal}
	}
	elements := ended(3, "")
	elements.Elements = []v1.TaskElement{{Exit: 3}, {Exit: 0}, {Exit: 9}}
	for name, c := range map[string]struct {
		tasks []v1.TaskStatus
		code  int
	}{
		"a status that looks like a signal": {[]v1.TaskStatus{ended(130, "")}, 130},
		"a signal":                          {[]v1.TaskStatus{ended(0, "SIGKILL")}, 1},
		"elements on several processors":    {[]v1.TaskStatus{ended(2, ""), ended(7, ""), ended(0, "SIGTERM")}, 7},
		"elements of one":                   {[]v1.TaskStatus{elements}, 9},
		"nothing of its own":                {nil, 1},
	} {
		f.answer = accept(func(j *v1.Job) {
			j.State, j.Tasks = v1.Failed, c.tasks
			f.Put(*j)
		})
		if r := libra(t, "sbatch", "-t", "1", "-W", "--wrap", "true"); r.code != c.code {
			t.Errorf("%s: %+v, want %d", name, r, c.code)
		}
	}
}

// Who asks for the version is told Slurm's, as by sbatch, and nobody is asked for a script.
func TestSbatchSaysItsVersion(t *testing.T) {
	noContext(t)
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	for _, option := range []string{"-V", "--version", "--vers"} {
		if r := libra(t, "sbatch", option); r.code != exitOK || !strings.HasPrefix(r.out, "libra ") {
			t.Errorf("%s without Slurm: %+v", option, r)
		}
	}
	if err := os.WriteFile(filepath.Join(bin, "scontrol"), []byte("#!/bin/sh\necho slurm-wlm 22.05.8 $@\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if r := libra(t, "sbatch", "-V"); r.code != exitOK || r.out != "slurm-wlm 22.05.8 --version\n" {
		t.Errorf("%+v", r)
	}
	if r := libra(t, "sbatch", "--usage"); r.code != exitOK || !strings.HasPrefix(r.out, "Usage: libra sbatch [") {
		t.Errorf("%+v", r)
	}
}

func TestSbatchMistakes(t *testing.T) {
	noContext(t)
	script := file(t, "job.sh", "#!/bin/sh\ntrue\n")
	for _, c := range []struct {
		args []string
		code int // sbatch's
		want string
	}{
		{[]string{"--tmie=5", script}, exitUnread, "--tmie: unknown; did you mean --time?"},
		{[]string{"--gres=nic:1", script}, exitFailure, "GPUs alone"},
		{[]string{"-t"}, exitUnread, "its value is missing"},
		{[]string{"-t", "5", "--wrap", "true", script}, exitFailure, "--wrap"},
		{[]string{script}, exitFailure, "-t is missing"},
		{[]string{"-t", "5", "--budget", "much", script}, exitFailure, "--budget"},
		{[]string{"-t", "5", "-n", "none", script}, exitFailure, "-n"},
		{[]string{"-t", "5", file(t, "time.sh", "#!/bin/sh\n#SBATCH -t 5m\n")}, exitUnread, "not a length of time"},
		{[]string{"-t", "5", file(t, "dos.sh", "#!/bin/sh\r\ntrue\r\n")}, exitFailure, "line breaks of DOS"},
		{[]string{"-t", "5", file(t, "null.sh", "#!/bin/sh\necho a\x00b\n")}, exitFailure, "not a script"},
		{[]string{"-t", "5", "-"}, exitFailure, "open ./-: no such file"},
		{[]string{"-t", "5", "--mem=5", "--mem-per-cpu=5", script}, exitFailure, "mutually exclusive"},
		{[]string{"--cpus=2", script}, exitUnread, "--cpus: unknown"},
	} {
		r := libra(t, append([]string{"sbatch"}, c.args...)...)
		if r.code != c.code || r.out != "" || !strings.Contains(r.err, c.want) {
			t.Errorf("libra sbatch %v: %+v, want %q", c.args, r, c.want)
		}
	}
	if out := mustLibra(t, "sbatch", "--help"); !strings.Contains(out, "Examples:") || !strings.Contains(out, "--server") || !strings.Contains(out, "--budget") {
		t.Errorf("help:\n%s", out)
	}
}

func TestSlurmPluginIsWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "libra")
	out := mustLibra(t, "slurm", "plugin", "--out", dir, "--partition", "priced")
	if !strings.Contains(out, dir) || !strings.Contains(read(t, filepath.Join(dir, "job_submit.lua")), `["priced"] = true`) {
		t.Errorf("it said %s", out)
	}
	key := read(t, filepath.Join(dir, "libra-door.key"))
	mustLibra(t, "slurm", "plugin", "--out", dir)
	if read(t, filepath.Join(dir, "libra-door.key")) != key {
		t.Error("the key was replaced")
	}
	if r := libra(t, "slurm", "plugin"); r.code != exitUsage || !strings.Contains(r.err, "--out") {
		t.Errorf("without a directory: %+v", r)
	}
}
