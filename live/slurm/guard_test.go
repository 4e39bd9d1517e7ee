package slurm

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/model"
)

// mayBePut is a job that its user may put back.
func mayBePut() task.Spec {
	s := waitingTask(12)
	s.Env = append(s.Env, task.Requeue+"=yes")
	return s
}

// The script of a job that was put back goes on if root has noted that this start is bought, and
// otherwise puts it back; one that begins for the first time asks nobody.
func TestTheGuard(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"squeue":   `printf '%s' "$SAID"; [ -n "$SAID" ]`,
		"scontrol": `echo "$*" >>"$DIR/told"`,
		"sleep":    `[ "$1" != 60 ] || kill $PPID`, // Slurm ends what is put back
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := mayBePut()
	text, told := "#!/bin/sh\n"+outer+guard(&s, false)+"echo \"it is $libra_job\"\n", filepath.Join(dir, "told")
	element := "#!/bin/sh\n" + outer + guard(&s, true) + "echo \"it is $libra_job\"\n"
	for name, c := range map[string]struct {
		count, said string
		runs        string
	}{
		"the first time":         {"", "", "it is 12\n"},
		"bought":                 {"1", "libra: start 1 (job 13)", "it is slurm:71\n"},
		"bought, and put back":   {"2", "libra: start 1 (job 13)", ""},
		"the tenth":              {"1", "libra: start 10 (job 13)", ""},
		"not bought":             {"1", "(null)", ""},
		"waits":                  {"1", "libra: put back, and waits as job 13", ""},
		"Slurm does not say":     {"1", "", ""},
		"another's words inside": {"1", "x libra: start 1 (job 13)", ""},
	} {
		for _, one := range []struct{ text, back, runs string }{
			{text, "requeue 71\n", c.runs},
			{element, "requeue 70_3\n", strings.Replace(c.runs, "slurm:71", "12", 1)}, // it is the same job of the market's
		} {
			_ = os.Remove(told)
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-s")
			cmd.Stdin = strings.NewReader(one.text)
			cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "DIR=" + dir, "SAID=" + c.said, "SLURM_JOB_ID=71", "SLURM_ARRAY_JOB_ID=70", "SLURM_ARRAY_TASK_ID=3"}
			if c.count != "" {
				cmd.Env = append(cmd.Env, "SLURM_RESTART_COUNT="+c.count)
			}
			out, err := cmd.Output()
			back, _ := os.ReadFile(told)
			if string(out) != one.runs || (err == nil) != (c.runs != "") || (string(back) == one.back) != (c.runs == "") {
				t.Errorf("%s: %q, %v; Slurm is told %q", name, out, err, back)
			}
		}
	}
}

// Which jobs their users may put back, and what those are told.
func TestWhoMayBePutBack(t *testing.T) {
	for name, change := range map[string]func(*task.Spec){
		"it did not ask":             func(s *task.Spec) { s.Env = s.Env[:1] },
		"tasks on several nodes":     func(s *task.Spec) { s.Size = 2 },
		"an array":                   func(s *task.Spec) { s.Elements = []int{1, 2} },
		"in a reservation":           func(s *task.Spec) { s.Within = "course" },
		"of plain sbatch":            func(s *task.Spec) { s.Env = append(s.Env, GuestVariable+"=7") },
		"what a login sets is in it": func(s *task.Spec) { s.Env = append(s.Env, task.Login+"=yes") },
		"no script":                  func(s *task.Spec) { s.Script = nil },
		"not as by sbatch":           func(s *task.Spec) { s.Env = s.Env[1:] },
	} {
		s := mayBePut()
		if change(&s); requeues(&s) || guard(&s, false) != "" {
			t.Errorf("%s: it may be put back", name)
		}
	}
	s := mayBePut()
	if !requeues(&s) || restarts(&s) != nil {
		t.Errorf("it may not be put back, or is told %v", restarts(&s))
	}
	r := Return{Number: 71, Restarts: 3}
	s.Env = append(s.Env, r.Env(60_000))
	s.Attempt = 1
	if number, count, deadline := putBackWords(&s); number != 71 || count != 3 || deadline != 60_000 || !NamesGuest(s.Env) {
		t.Errorf("it is told %d, %d, %d", number, count, deadline)
	}
	if got := restarts(&s); !slices.Equal(got, []string{`"SLURM_RESTART_COUNT=$((4 + ${SLURM_RESTART_COUNT:-0}))"`}) {
		t.Errorf("its restarts are %q", got)
	}

	b, _, _ := lined(t)
	s = mayBePut()
	if b.mayRequeue(&s) {
		t.Error("nobody hands it in anew")
	}
	b.cfg.Anew = &renewer{}
	if b.mayRequeue(&s) {
		t.Error("Slurm does not say how often it was put back")
	}
	b.slurm = &requeueSlurm{model.New(1, "n1")}
	if !b.mayRequeue(&s) {
		t.Error("it may not")
	}
	s.Nodes = []string{"n1"}
	o, err := b.submission(&run{key: runKey{12, 0}, binding: binding{Nodes: s.Nodes}}, []task.Order{{Spec: s}}, "libra")
	later, wrong := b.laterOn(mayBePut(), "", "libra")
	if err != nil || wrong != nil || !o.Requeue || o.Later || !slices.Equal(o.Nodes, s.Nodes) || o.Script != later.Script || bulkOf(o) != bulkOf(later) || strings.Contains(o.Script, "n1") {
		t.Errorf("%v, %v: it is handed in as %+v", err, wrong, o)
	}
	b.cfg.Control = None
	if b.mayRequeue(&s) {
		t.Error("nobody measures")
	}
}
