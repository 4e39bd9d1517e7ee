package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
)

func TestExpand(t *testing.T) {
	key, five := task.Key{Job: 12, Rank: 3, Attempt: 4}, 5
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	tests := []struct {
		pattern string
		element *int
		want    string
	}{
		{"out", nil, "out"},
		{"%j/%r-%a.txt", &five, "12/3-5.txt"},
		{"%j/%r-%a.txt", nil, "12/3-%a.txt"},
		{"%4j/%2r-%3a.txt", &five, "0012/03-005.txt"},
		{"100%%j %x %", &five, "100%12 %x %"},
		{"", &five, ""},
		{"%5N-%N", nil, host + "-" + host},
	}
	for _, test := range tests {
		if got := expand(test.pattern, key, test.element); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.pattern, got, test.want)
		}
	}
}

func TestAppends(t *testing.T) {
	one, two := 1, 2
	array := task.Spec{Key: task.Key{Job: 8}, Size: 1, Elements: []int{1, 2}}
	again := array
	again.Attempt = 1
	wide := task.Spec{Key: task.Key{Job: 8}, Size: 4}
	tests := []struct {
		pattern string
		spec    task.Spec
		element *int
		want    bool
		note    string
	}{
		{"out", task.Spec{Size: 1}, nil, false, ""},
		{"out", wide, nil, true, ""},
		{"out-%r", wide, nil, false, ""},
		{"out", array, &one, false, ""},
		{"out", array, &two, true, "libra: job 8, element 2\n"},
		{"out-%a", array, &two, false, ""},
		{"out-%a", again, &two, true, "libra: job 8, attempt 1\n"},
		{"out", again, &two, true, "libra: job 8, attempt 1, element 2\n"},
	}
	for _, test := range tests {
		got, note := appends(test.pattern, test.spec, test.element)
		if got != test.want || note != test.note {
			t.Errorf("%q, attempt %d, element %v: %v %q, want %v %q", test.pattern, test.spec.Attempt, test.element, got, note, test.want, test.note)
		}
	}
}

func TestEnvironmentNamesEachOnce(t *testing.T) {
	seven := 7
	rec := record{
		Spec:    task.Spec{Env: []string{"PATH=/mine", "A=1", "A=2", "LIBRA_ARRAY_INDEX=9", "X=a=b"}},
		Account: account{Name: "u", Home: "/h", Shell: "/s"},
	}
	env := environ(rec, "n", nil, "")
	names := map[string]int{}
	for _, setting := range env {
		name, _, _ := strings.Cut(setting, "=")
		names[name]++
		if names[name] > 1 {
			t.Errorf("%s is set twice in %v", name, env)
		}
	}
	if names["LIBRA_ARRAY_INDEX"] != 0 {
		t.Error("a task that is no array has an index")
	}
	for name, want := range map[string]string{"PATH": "/mine", "A": "2", "X": "a=b", "HOME": "/h", "LIBRA_NODE": "n"} {
		if got := variable(env, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := variable(environ(rec, "n", &seven, ""), "LIBRA_ARRAY_INDEX"); got != "7" {
		t.Errorf("the index is %q", got)
	}
}

func TestWhoMayRunAsWhom(t *testing.T) {
	tests := []struct {
		name  string
		uid   int
		euid  int
		named string
		ok    bool
	}{
		{"alice", 1000, 0, "", true},
		{"root", 0, 0, "", false},
		{"root", 0, 0, "daemon", false},
		{"root", 0, 0, "root", true},
		{"toor", 0, 0, "toor", false},
		{"daemon", 1, 0, "", false},
		{"daemon", 1, 0, "daemon", true},
		{"nobody", 65534, 0, "", false},
		{"nobody", 65534, 0, "nobody", true},
		{"alice", 1000, 1000, "", true},
		{"bob", 1001, 1000, "", false},
		{"bob", 1001, 1000, "bob", false},
		{"root", 0, 1000, "root", false},
		{"libra", 2, 2, "", false}, // an agent that runs as a user of the system
		{"libra", 2, 2, "libra", true},
	}
	for _, test := range tests {
		err := account{Name: test.name, UID: test.uid}.permit(test.name, test.euid, []string{test.named})
		if (err == nil) != test.ok || (err != nil && !errors.Is(err, ErrUser)) {
			t.Errorf("%s (%d) by %d, %q named: %v", test.name, test.uid, test.euid, test.named, err)
		}
	}
}

func TestParsePasswd(t *testing.T) {
	tests := []struct {
		line string
		want account
		ok   bool
	}{
		{"a:x:5:6:A, B:/home/a:/bin/zsh", account{Name: "a", UID: 5, GID: 6, Home: "/home/a", Shell: "/bin/zsh"}, true},
		{"a:x:5:6:::", account{Name: "a", UID: 5, GID: 6, Shell: "/bin/sh"}, true},
		{"a:x:-5:6:::", account{}, false},
		{"a:x:5", account{}, false},
		{"", account{}, false},
	}
	for _, test := range tests {
		got, ok := parsePasswd(test.line)
		if ok != test.ok || ok && (got.Name != test.want.Name || got.UID != test.want.UID || got.GID != test.want.GID || got.Home != test.want.Home || got.Shell != test.want.Shell) {
			t.Errorf("%q: %+v, %v", test.line, got, ok)
		}
	}
}

func TestConfig(t *testing.T) {
	c, err := Config{StateDir: "/var/lib/libra"}.Default()
	if err != nil {
		t.Fatal(err)
	}
	if c.Node == "" || c.Self == "" || len(c.CPUs) == 0 || c.Headroom != DefaultHeadroom || c.OnLease != LeaseStop || c.Tree != "libra/"+c.Node {
		t.Errorf("default %+v", c)
	}
	if none, err := (Config{StateDir: "/s", Headroom: -1}).Default(); err != nil || none.Headroom != 0 {
		t.Errorf("no headroom: %+v, %v", none, err)
	}
	for name, bad := range map[string]Config{
		"relative":  {StateDir: "state"},
		"lease":     {StateDir: "/s", OnLease: "perhaps"},
		"headroom":  {StateDir: "/s", Headroom: 1},
		"rating":    {StateDir: "/s", Rating: -1},
		"too slow":  {StateDir: "/s", Rating: 5e-324},
		"memory":    {StateDir: "/s", MemoryMB: -1},
		"twice":     {StateDir: "/s", CPUs: []int{1, 1}},
		"no such":   {StateDir: "/s", CPUs: []int{-1}},
		"no weight": {StateDir: "/s", Weight: -1},
	} {
		if _, err := bad.Default(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestBackoffGrowsToALimit(t *testing.T) {
	b := backoff{jitter: func() float64 { return 0 }}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var seen []time.Duration
	for range 9 {
		b.wait(ctx)
		seen = append(seen, b.next)
	}
	if !slices.IsSorted(seen) || seen[0] != backoffLow || seen[8] != backoffHigh {
		t.Errorf("waits %v", seen)
	}
	if b.reset(); b.next != 0 {
		t.Error("not reset")
	}
}

func TestSpeedIsRemembered(t *testing.T) {
	c := Config{StateDir: t.TempDir(), CPUs: []int{0}}
	first, err := speedOf(c)
	if err != nil || first < 0.05 || first > 20 {
		t.Fatalf("speed %v, %v", first, err)
	}
	if second, err := speedOf(c); err != nil || second != first {
		t.Errorf("speed %v, then %v, %v", first, second, err)
	}
	path := filepath.Join(c.StateDir, "speed.json")
	if err = os.WriteFile(path, []byte(`{"method":"another","speed":99}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if third, err := speedOf(c); err != nil || third == 99 {
		t.Errorf("what another method measured counts: %v, %v", third, err)
	}
}

func TestWhatTheNodeHas(t *testing.T) {
	c, err := Config{StateDir: t.TempDir(), Rating: 2, Headroom: 0.1, CPUs: []int{0}}.Default()
	if err != nil {
		t.Fatal(err)
	}
	hello, err := measure(c, newFakeGroups("pids"))
	if err != nil {
		t.Fatal(err)
	}
	if hello.Speed != 2 || hello.Rating != 1.8 || hello.Processors != 1 || hello.MemoryMB <= 0 || hello.DiskMB < 0 ||
		hello.Boot == "" || hello.Limits != "fake" || !slices.Equal(hello.Missing, []string{"pids"}) || (hello.User == "") != (os.Geteuid() == 0) {
		t.Errorf("it has %+v", hello)
	}
	// What is free changes; what is offered does not, from one start to the next.
	if err = os.WriteFile(filepath.Join(c.StateDir, "disk.json"), []byte("7"), 0o600); err != nil {
		t.Fatal(err)
	}
	if hello, err = measure(c, newFakeGroups()); err != nil || hello.DiskMB != 7 {
		t.Errorf("it has %+v, %v", hello, err)
	}
	c.MemoryMB, c.DiskMB = 5, 6
	if hello, err = measure(c, newFakeGroups()); err != nil || hello.MemoryMB != 5 || hello.DiskMB != 6 {
		t.Errorf("it has %+v, %v", hello, err)
	}
}

func TestSteal(t *testing.T) {
	s := steal{machine: thisMachine{}}
	if s.of(0) < 0 || s.of(1<<20) != 0 {
		t.Error("stolen time makes no sense")
	}
}

// A script that was handed in as with sbatch finds its name and numbers where it looks for them, and
// nothing by which a launcher of MPI would take this for Slurm.
func TestAScriptIsToldItsNumbers(t *testing.T) {
	seven := 7
	rec := record{Spec: task.Spec{Key: task.Key{Job: 12}, Name: "n", Env: []string{"SLURM_SUBMIT_DIR=/", "SLURM_JOB_ID=5"}}}
	env := environ(rec, "n", &seven, "")
	for name, want := range map[string]string{"SLURM_JOB_ID": "12", "SLURM_JOB_NAME": "n", "SLURM_ARRAY_JOB_ID": "12", "SLURM_ARRAY_TASK_ID": "7", "SLURM_JOBID": "", "SLURM_JOB_NODELIST": ""} {
		if got := variable(env, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := variable(environ(rec, "n", nil, ""), "SLURM_ARRAY_TASK_ID"); got != "" {
		t.Errorf("a job that is no array is element %q", got)
	}
	rec.Spec.Env = nil
	if got := variable(environ(rec, "n", &seven, ""), "SLURM_JOB_ID"); got != "" {
		t.Errorf("who knows nothing of sbatch is told %q", got)
	}
}
