package slurm

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
	"github.com/libra-market/libra/live/slurm/model"
)

// asSlurm runs what Slurm would run, from the file that Slurm makes for a job, and says what its
// output is.
func asSlurm(t *testing.T, s task.Spec) string {
	t.Helper()
	text, err := Script([]task.Spec{s})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "slurm_script")
	if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	// Whoever started the tests may have left a file open, as flock does: Slurm leaves none.
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", `exec 3<&-; exec "$0"`, file)
	cmd.Dir, cmd.Env = "/", []string{"PATH=" + defaultPath, "SLURM_JOB_ID=4711", "OLDPWD=/somewhere"}
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return strings.ReplaceAll(content(t, &s, "out"), filepath.Dir(file), "SPOOL")
}

func TestAScriptIsCalledWhatSlurmCallsIt(t *testing.T) {
	s := aTask(t)
	long := strings.Repeat("# a long script, which no shell reads at once\n", 4000)
	text := "#!/bin/bash\n" + long + "echo \"$0 $1\"; cat \"$0\" | wc -c; [ -e /proc/$$/fd/3 ] && echo open\nno-such-command\ntrue\n"
	s.Script, s.Argv = []byte(text), []string{"a b"}
	got := asSlurm(t, s)
	if want := "SPOOL/slurm_script a b\n"; !strings.HasPrefix(got, want) {
		t.Errorf("it said %q, want %q first", got, want)
	}
	if strings.Contains(got, "open") || !strings.Contains(got, "SPOOL/slurm_script: line ") {
		t.Errorf("it said %q", got)
	}
	s.Script = []byte(text)
	inShell(t, []task.Spec{s}) // a file of another name is not touched
	if got := content(t, &s, "out"); !strings.HasPrefix(got, scriptFile+" a b\n") {
		t.Errorf("elsewhere it said %q", got)
	}
}

func TestAScriptIsToldThatItIsBegunAgain(t *testing.T) {
	s := aTask(t)
	s.Script, s.Env = []byte("#!/bin/sh\necho \"${SLURM_RESTART_COUNT:-none}\"\n"), []string{"SLURM_SUBMIT_DIR=/"}
	if got := asSlurm(t, s); got != "none\n" {
		t.Errorf("at first: %q", got)
	}
	s.Attempt = 2
	if got := asSlurm(t, s); got != "2\n" { // and what is in the file is this one's, as where Slurm begins one again
		t.Errorf("again: %q", got)
	}
	s.Env = append(s.Env, task.OpenMode+"=append")
	if got := asSlurm(t, s); got != "2\n2\n" {
		t.Errorf("again, added to: %q", got)
	}
}

// A script by sbatch has of where it was handed in what is there, and no more, but for the name of the host: that is
// its own.
func TestAScriptHasTheEnvironmentOfItsUser(t *testing.T) {
	s := aTask(t)
	s.User, s.Script = "root", []byte("#!/bin/sh\necho \"${HOME-none} ${LOGNAME-none} ${SHELL-none} ${HOSTNAME-none}${ENVIRONMENT}$SLURM_CONF ${A-none}\"\n")
	for login, want := range map[string]string{"A=b": "none none none none b\n", task.Login + "=yes": "/root root /"} {
		s.Env = []string{"SLURM_SUBMIT_DIR=/", "HOSTNAME=login1", "ENVIRONMENT=mine", "SLURM_CONF=/etc/login.conf", login}
		if got := asSlurm(t, s); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, want %q", login, got, want)
		}
	}
}

func TestElementsAreCalledWhatSlurmCallsThem(t *testing.T) {
	s := aTask(t)
	s.Script, s.Span = []byte("#!/bin/sh\necho \"$0 $SLURM_ARRAY_TASK_ID\"\n"), &task.Span{First: 3, Count: 2, Step: 1}
	if got := asSlurm(t, s); strings.Count(got, "SPOOL/slurm_script") != 2 {
		t.Errorf("they said %q", got)
	}
}

// A job has the name that sbatch tells it, whoever hands it in to Slurm, and before 24.11 none if
// its script came by standard input.
func TestTheNameOfAJob(t *testing.T) {
	s := aTask(t)
	s.Script = []byte("#!/bin/sh\n")
	for _, c := range []struct {
		name, file string
		newer      bool
		want       string
	}{
		{"a job", "", false, "'SLURM_JOB_NAME=a job'"},
		{"sbatch", "/d/sbatch", false, "'SLURM_JOB_NAME=sbatch'"},
		{"sbatch", "", false, "-u SLURM_JOB_NAME"},
		{"sbatch", "", true, ""},
	} {
		s.Name, s.Env = c.name, []string{"SLURM_SUBMIT_DIR=/"}
		if c.file != "" {
			s.Env = append(s.Env, "LIBRA_SCRIPT="+c.file)
		}
		l := layout{perTaskToo: c.newer}
		if got := strings.Join(l.named(&s), " "); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
		if told := strings.Join(l.told([]task.Spec{s}), " "); !strings.Contains(told, c.want) {
			t.Errorf("%+v: told %q", c, told)
		}
	}
}

// Elements that srun starts beside others are told of one node, theirs, and their srun shares it.
func TestElementsAreToldOfTheirNode(t *testing.T) {
	s := task.Spec{Script: []byte("srun true"), Size: 2, Threads: 2, Span: &task.Span{First: 1, Count: 2, Step: 1}, Nodes: []string{"n1", "n2"}, Env: []string{"SLURM_SUBMIT_DIR=/", "SLURM_NTASKS=2"}}
	l := layoutOf([]task.Spec{s, s}, 4)
	told := " " + strings.Join(l.told([]task.Spec{s, s}), " ") + " "
	for _, want := range []string{"SLURM_NNODES=1", "SLURM_JOB_NUM_NODES=1", `"SLURM_JOB_NODELIST=$libra_node"`, "SLURM_TASKS_PER_NODE=2", "SLURM_CPUS_ON_NODE=2"} {
		if !strings.Contains(told, " "+want+" ") {
			t.Errorf("%s is missing in %s", want, told)
		}
	}
	if _, set, _ := strings.Cut(told, "SLURM_JOB_NAME="); strings.Contains(set, " -u ") {
		t.Errorf("env takes no options after what it sets: %s", told)
	}
	s.Env, s.Script = []string{"SLURM_SUBMIT_DIR=/", "SLURM_CPUS_PER_TASK=2"}, []byte("./run")
	l = layoutOf([]task.Spec{s, s}, 4)
	if told = strings.Join(l.told([]task.Spec{s, s}), " "); !strings.Contains(told, "SLURM_TASKS_PER_NODE=1") || strings.Contains(told, "OVERLAP") || strings.Contains(told, "HOSTFILE") {
		t.Errorf("of one task, without steps: %s", told)
	}
}

// Tasks that are not the same number on each node are where they were sold, in Slurm's order, and
// told as Slurm would tell of them.
func TestTasksThatDoNotDivide(t *testing.T) {
	s := aTask(t)
	s.Size, s.Nodes, s.Once, s.Env = 3, []string{"n2", "n2", "n1"}, true, []string{"SLURM_SUBMIT_DIR=/"}
	const says = "#!/bin/sh\necho \"$SLURM_TASKS_PER_NODE $SLURM_JOB_CPUS_PER_NODE $SLURM_CPUS_ON_NODE ${SLURM_OVERCOMMIT:-no} $SLURM_DISTRIBUTION\"\n[ -z \"$SLURM_HOSTFILE\" ] || cat \"$SLURM_HOSTFILE\"\n"
	for _, c := range []struct {
		narrowest int
		script    string
		want      string
	}{
		{4, says + "# srun\n", "1,2 1,2 1 no arbitrary\nn1\nn2\nn2\n"},
		{1, says, "1,2   1 arbitrary\nn1\nn2\nn2\n"},
		{4, says, "1,2 1,2 1 no \n"}, // who starts no steps is not told where they would be, as by sbatch
	} {
		_ = os.Remove(filepath.Join(s.Dir, "out"))
		s.Script = []byte(c.script)
		specs := slices.Repeat([]task.Spec{s}, 3)
		for i := range specs {
			specs[i].Rank = i
		}
		text, err := script(specs, layoutOf(specs, c.narrowest))
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", text)
		cmd.Env = []string{"PATH=" + defaultPath}
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		if got := content(t, &s, "out"); got != c.want {
			t.Errorf("on nodes of %d: %q, want %q", c.narrowest, got, c.want)
		}
	}
}

// What a job was handed in with of the memory of a node is what Slurm is asked for, and nothing
// that the market has not sold.
func TestMemoryOfANode(t *testing.T) {
	for _, c := range []struct {
		said              string
		each              int64
		threads, programs int
		want              int64
	}{
		{"256", 256, 2, 1, 256},
		{"100", 102, 3, 1, 100},
		{"100", 103, 3, 1, 0},
		{"100", 99, 3, 1, 0},
		{"100", 34, 1, 3, 100},
		{"100", 34, 1, 2, 0},
		{"", 256, 2, 1, 0},
		{"x", 256, 2, 1, 0},
		{"0", 0, 1, 1, 0},
		{"-1", 1, 2, 1, 0},
		{"-1", 0, 2, 1, 0},
	} {
		s := task.Spec{Memory: c.each << 20, Threads: c.threads, Env: []string{"SLURM_MEM_PER_NODE=" + c.said}}
		if got := memoryOnNode(&s, c.programs); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	s := task.Spec{Memory: 256 << 20, Threads: 2, Env: []string{"SLURM_MEM_PER_NODE=255", "OTHER=1"}, Span: &task.Span{First: 1, Count: 2, Step: 1}}
	l := layout{usual: 128}
	if got := strings.Join(l.elementMemory(&s), " "); got != "-u SLURM_MEM_PER_CPU SLURM_MEM_PER_NODE=255" {
		t.Errorf("an element is told %s", got)
	}
	if got := l.kept(s.Env); !slices.Equal(got, []string{"OTHER=1"}) { // Slurm tells of it
		t.Errorf("it is told %q", got)
	}
	each := []string{"SLURM_MEM_PER_CPU=64"}
	for memory, want := range map[int64][]string{0: {}, 64: each} { // as Slurm was asked
		if got := (&layout{memory: memory}).kept(each); !slices.Equal(got, want) {
			t.Errorf("asked for %d MB of a processor, it is told %q", memory, got)
		}
	}
}

// Slurm is asked for what was, also where it would give as much by itself: it tells of it then.
func TestMemoryThatSlurmIsAskedFor(t *testing.T) {
	b, _ := idle(t, Agents)
	w := b.gate.wicket("libra")
	w.site, w.asked = limit.Read(limit.Said{Partition: "PartitionName=libra DefMemPerCPU=128\n"}), noon
	b.applyNodes(map[string]client.Node{"n1": {Name: "n1", Up: true, Processors: 4, MemoryMB: 4000}}, noon)
	ask := func(env ...string) client.Submission {
		t.Helper()
		s := aTask(t)
		s.Script, s.Nodes, s.Threads, s.Memory, s.Env = []byte("#!/bin/sh\n"), []string{"n1"}, 2, 256<<20, append(env, "SLURM_SUBMIT_DIR=/")
		got, err := b.submission(&run{binding: binding{Nodes: []string{"n1"}}}, []task.Order{{Spec: s}}, "libra")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := ask(); got.MemoryMB != 0 || got.MemoryEachMB != 0 {
		t.Errorf("nothing was said: %d, %d each", got.MemoryMB, got.MemoryEachMB)
	}
	if got := ask("SLURM_MEM_PER_NODE=255"); got.MemoryMB != 255 || got.MemoryEachMB != 0 {
		t.Errorf("of the node: %d, %d each", got.MemoryMB, got.MemoryEachMB)
	}
	if got := ask("SLURM_MEM_PER_CPU=128"); got.MemoryMB != 0 || got.MemoryEachMB != 128 {
		t.Errorf("of a processor: %d, %d each", got.MemoryMB, got.MemoryEachMB)
	}
}

// Of several programs Slurm is asked for what those on the fullest node have, and for nothing where
// it gives as much by itself and counts its processors as the market does.
func TestMemoryOfSeveralPrograms(t *testing.T) {
	b, _ := idle(t, Agents)
	w := b.gate.wicket("libra")
	w.site, w.asked = limit.Read(limit.Said{Partition: "PartitionName=libra DefMemPerCPU=128\n"}), noon
	two := &task.Span{First: 1, Count: 2, Step: 1}
	for name, c := range map[string]struct {
		nodes   []string
		of      int // processors of a node, as Slurm has them
		each    int64
		span    *task.Span
		once    bool
		said    string // of the memory of a node
		plain   bool   // not as by sbatch
		askedMB int64
	}{
		"another than is usual":            {nodes: []string{"n1"}, of: 4, each: 300, askedMB: 300},
		"two with one node's":              {nodes: []string{"n1", "n1"}, of: 4, each: 128, once: true, said: "255", askedMB: 255},
		"an element with its node's":       {nodes: []string{"n1"}, of: 4, each: 256, span: two, said: "256", askedMB: 256},
		"elements are told their own":      {nodes: []string{"n1", "n1"}, of: 4, each: 200, span: two, said: "399", askedMB: 400},
		"not the same number on each":      {nodes: []string{"n1", "n1", "n2"}, of: 4, each: 128, once: true, askedMB: 0},
		"so, and not as by sbatch":         {nodes: []string{"n1", "n1", "n2"}, of: 4, each: 128, once: true, plain: true, askedMB: 256},
		"so, and each starts by itself":    {nodes: []string{"n1", "n1", "n2"}, of: 4, each: 128, askedMB: 256},
		"so, on fewer than the market has": {nodes: []string{"n1", "n1", "n2"}, of: 1, each: 128, once: true, askedMB: 256},
	} {
		b.applyNodes(map[string]client.Node{"n1": {Name: "n1", Up: true, Processors: c.of, MemoryMB: 4000}, "n2": {Name: "n2", Up: true, Processors: c.of, MemoryMB: 4000}}, noon)
		var orders []task.Order
		for rank := range c.nodes {
			s := aTask(t)
			s.Rank, s.Size, s.Nodes, s.Once, s.Span, s.Memory, s.Script, s.Env = rank, len(c.nodes), c.nodes, c.once, c.span, c.each<<20, []byte("#!/bin/sh\n"), nil
			if !c.plain {
				s.Env = append(s.Env, "SLURM_SUBMIT_DIR=/")
			}
			if c.said != "" {
				s.Env = append(s.Env, "SLURM_MEM_PER_NODE="+c.said)
			}
			orders = append(orders, task.Order{Spec: s})
		}
		got, err := b.submission(&run{binding: binding{Nodes: slices.Compact(slices.Clone(c.nodes))}}, orders, "libra")
		if err != nil || got.MemoryMB != c.askedMB || got.MemoryEachMB != 0 {
			t.Errorf("%s: %d MB, %d each, %v", name, got.MemoryMB, got.MemoryEachMB, err)
		}
	}
}

// A job without a time of its own takes what the partition has for it.
func TestTheUsualTime(t *testing.T) {
	b, _ := idle(t, Agents)
	for said, want := range map[string]time.Duration{"": time.Hour, "DefaultTime=NONE MaxTime=UNLIMITED": time.Hour, "DefaultTime=NONE MaxTime=00:10:00": 10 * time.Minute, "DefaultTime=1-00:00:00 MaxTime=2-00:00:00": 24 * time.Hour} {
		w := b.gate.wicket("libra")
		w.site, w.asked = limit.Read(limit.Said{Partition: "PartitionName=libra " + said + "\n"}), noon
		if got := b.UsualTime(t.Context(), ""); got != want {
			t.Errorf("%s: %s, want %s", said, got, want)
		}
	}
	slurm := model.New(1, "n1")
	slurm.Partition = "DefaultTime=00:30:00"
	b.slurm = slurm
	w := b.gate.wicket("libra")
	w.site, w.asked = limit.Read(limit.Said{Partition: "PartitionName=libra DefaultTime=00:20:00\n"}), noon.Add(-time.Hour)
	if got := b.UsualTime(t.Context(), "libra"); got != 20*time.Minute {
		t.Errorf("where something is known, however old: %s", got)
	}
	ctx, stop := context.WithCancel(t.Context())
	polled := make(chan struct{})
	go func() {
		b.poll(ctx)
		close(polled)
	}()
	for range 6000 { // a minute
		if b.UsualTime(t.Context(), "libra") == 30*time.Minute {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	<-polled
	if got := b.UsualTime(t.Context(), "libra"); got != 30*time.Minute {
		t.Errorf("an administrator has changed it: %s", got)
	}
	if w.site = nil; b.UsualTime(t.Context(), "libra") != 30*time.Minute {
		t.Errorf("where nothing is known Slurm is not asked: %s", b.UsualTime(t.Context(), "libra"))
	}
	b.cfg.Partition = "libra,fast" // each has its own
	fast := b.gate.wicket("fast")
	fast.site, fast.asked = limit.Read(limit.Said{Partition: "PartitionName=fast MaxTime=00:10:00\n"}), noon
	if got := b.UsualTime(t.Context(), "fast"); got != 10*time.Minute {
		t.Errorf("in another partition: %s", got)
	}
}

// --export=NIL is nothing at all to newer releases, and what a login sets to older ones.
func TestNothingIsExported(t *testing.T) {
	s := aTask(t)
	s.Script, s.Env = []byte("#!/bin/sh\n"), []string{"SLURM_SUBMIT_DIR=/", "SLURM_EXPORT_ENV=NIL", task.Login + "=yes"}
	b, _ := idle(t, Agents)
	for newer, want := range map[bool]bool{true: true, false: false} {
		l := layout{perTaskToo: newer}
		words := environment([]task.Spec{s}, l)
		bare := strings.Contains(words, "-u HOME ") && !strings.Contains(words, "HOME=") && !strings.Contains(words, "PATH=") && !strings.Contains(words, "SHELL=")
		login := slices.Contains(b.surroundings([]task.Spec{s}, &l), "SLURM_GET_USER_ENV=1")
		if bare != want || login == want {
			t.Errorf("newer %t: bare %t, as by a login %t: %s", newer, bare, login, words)
		}
		if set := strings.Index(words, "="); strings.Contains(words[set:], " -u ") {
			t.Errorf("env takes no options after what it sets: %s", words)
		}
	}
}

func TestAnInterpreterThatIsNotThereIsSaid(t *testing.T) {
	s := aTask(t)
	s.Script = []byte("#!/bin/no-such-shell\n")
	text, err := Script([]task.Spec{s})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", text)
	if said, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(said), "libra: /bin/no-such-shell: there is no such program\n") {
		t.Errorf("%v: %q", err, said)
	}
}

func TestTheUmaskIsThatOfWhoHandsItIn(t *testing.T) {
	s := aTask(t)
	s.Script = []byte("#!/bin/sh\numask\n")
	for mask, want := range map[string]string{"": "0022\n", "0077": "0077\n"} {
		if mask != "" {
			s.Env = []string{task.Umask + "=" + mask}
		} else {
			s.Env = nil
		}
		if got := asSlurm(t, s); got != want {
			t.Errorf("%s: %q", mask, got)
		}
	}
}

func TestFilesAreAddedTo(t *testing.T) {
	s := aTask(t)
	s.Script = []byte("#!/bin/sh\necho \"$OLDPWD.\"\n")
	if got := asSlurm(t, s) + asSlurm(t, s); got != ".\n.\n" {
		t.Errorf("begun anew: %q", got)
	}
	s.Env = []string{task.OpenMode + "=append"}
	if got := asSlurm(t, s); got != ".\n.\n" {
		t.Errorf("added to: %q", got)
	}
	s.Script = []byte("#!/bin/sh\necho \"${SLURM_OPEN_MODE-none}\"\n")
	for mode, want := range map[string]string{"append": "a", "truncate": "t", "": "none"} { // as sbatch tells of it
		s.Env = []string{"SLURM_SUBMIT_DIR=/"}
		if mode != "" {
			s.Env = append(s.Env, task.OpenMode+"="+mode)
		}
		if got := asSlurm(t, s); !strings.HasSuffix(got, want+"\n") {
			t.Errorf("%s: %q", mode, got)
		}
	}
}

func TestAFileIsReadAsStandardInput(t *testing.T) {
	s := aTask(t)
	s.Script = []byte("#!/bin/sh\ncat\n")
	if got := asSlurm(t, s); got != "" {
		t.Errorf("without one it read %q", got)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "it's a job 4711"), []byte("read\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Env = []string{task.Input + "=it's %x %b"}
	if got := asSlurm(t, s); got != "read\n" {
		t.Errorf("it read %q", got)
	}
	s.Env = []string{task.Input + "=there is none"}
	if code := inShell(t, []task.Spec{s}); code == 0 {
		t.Error("it ran without it")
	}
	if got := content(t, &s, "out"); !strings.Contains(got, "there is none") {
		t.Errorf("it said %q", got)
	}
}

func TestADirectoryForTemporaryFiles(t *testing.T) {
	s := aTask(t)
	s.Script = []byte("#!/bin/sh\necho \"$TMPDIR\"\n")
	made := filepath.Join(t.TempDir(), "made")
	s.Env = []string{"TMPDIR=" + made}
	if got := asSlurm(t, s); got != made+"\n" {
		t.Errorf("%q, want %s", got, made)
	}
	if about, err := os.Stat(made); err != nil || about.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", about, err)
	}
	s.Env = []string{"TMPDIR=/there/is/none"}
	if got := asSlurm(t, s); !strings.HasSuffix(got, "\n/tmp\n") || !strings.Contains(got, "/there/is/none") {
		t.Errorf("%q", got)
	}
}

// What Slurm is told of where a job was handed in is nothing but numbers.
func TestSurroundings(t *testing.T) {
	b := &Backend{}
	b.cfg.Path = "/bin"
	s := task.Spec{Env: []string{
		task.Umask + "=0027", task.Limits + "NOFILE=512", task.Limits + "CORE=U0", task.Limits + "SIGPENDING=1", task.Limits + "STACK=8;x", task.Limits + "AS=", "OTHER=1",
	}}
	want := []string{"PATH=/bin", "SLURM_UMASK=0027", "SLURM_RLIMIT_NOFILE=512", "SLURM_RLIMIT_CORE=U0"}
	if got := b.surroundings([]task.Spec{s}, &layout{}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, bad := range []string{"rwx", "-1", "07777"} {
		s.Env = []string{task.Umask + "=" + bad}
		if got := b.surroundings([]task.Spec{s}, &layout{}); !slices.Equal(got, want[:1]) {
			t.Errorf("umask %s: %q", bad, got)
		}
	}
	s.Env = []string{task.Login + "=yes"}
	if got := b.surroundings([]task.Spec{s}, &layout{}); !slices.Equal(got, []string{"SLURM_GET_USER_ENV=1"}) {
		t.Errorf("with a login: %q", got)
	}
	if got := b.surroundings([]task.Spec{s, s}, &layout{}); !slices.Equal(got, want[:1]) {
		t.Errorf("of several programs: %q", got)
	}
}

// What sbatch of a newer Slurm tells is told, beside what a job is not to be told.
func TestWhatANewerSbatchTells(t *testing.T) {
	s := aTask(t)
	s.Script = []byte("#!/bin/sh\nenv | grep -E '^(HYDRA|SLURM_TRES|SLURM_NTASKS)'\n")
	s.Env = []string{"SLURM_SUBMIT_DIR=/", "SLURM_CPUS_PER_TASK=2"}
	l := layoutOf([]task.Spec{s}, 0)
	l.launchers, l.perTaskToo = []string{"HYDRA_BOOTSTRAP=slurm"}, true
	text, err := script([]task.Spec{s}, l)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", text)
	cmd.Env = []string{"PATH=" + defaultPath, "SLURM_NTASKS=9"}
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if got := content(t, &s, "out"); !strings.Contains(got, "HYDRA_BOOTSTRAP=slurm\n") || !strings.Contains(got, "SLURM_TRES_PER_TASK=cpu=2\n") || strings.Contains(got, "NTASKS") {
		t.Errorf("told: %q", got)
	}
}

// A script, its arguments and its environment are what they were, in whatever encoding.
func TestAScriptOfAnyBytes(t *testing.T) {
	s := aTask(t)
	raw := "#!/bin/sh\nprintf '%s|' '\xe9t\xe9\\n' \"$1\" \"$A\" '\u00e9'\n: '\xff\n'\ncat \"$0\"\n"
	s.Script, s.Argv = []byte(task.AsText(raw)), []string{task.AsText("arg\xfc\n")}
	s.Env = []string{"SLURM_SUBMIT_DIR=/", task.AsText("A=it's \xe4\xf6\n\xfc")}
	want := "\xe9t\xe9\\n|arg\xfc\n|it's \xe4\xf6\n\xfc|\u00e9|" + raw
	if got := asSlurm(t, s); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if text, err := Script([]task.Spec{s}); err != nil || task.HasRaw(text) {
		t.Errorf("what Slurm is handed is no text of its own: %v", err)
	}
}
