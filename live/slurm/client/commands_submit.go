package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/core/market"
)

// Submit hands a job in for its user. The user's environment comes to sbatch in a
// file of its own: as sbatch's environment it would change what sbatch does, which
// runs as root.
func (c *commands) Submit(ctx context.Context, s Submission) (int64, error) {
	who, err := c.owners.find(ctx, s.User)
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return 0, err
	}
	c.sizes.fit(ctx, &s)
	env := slices.Clone(s.Env)
	if c.seal != nil {
		env = append(env, c.seal(s))
	}
	argv := append([]string{"sbatch"}, s.flags()...)
	if uid := fmt.Sprint(os.Geteuid()); uid == "0" {
		argv = append(argv, "--uid="+who.uid, "--gid="+who.gid)
	} else if who.uid != uid {
		return 0, fmt.Errorf("%w: only root submits jobs of others, and %q is not who this process runs as", ErrRefused, s.User)
	}
	out, err := c.run(ctx, call{argv: argv, stdin: plainScript(s.Script), third: asFile(env)})
	if err != nil {
		return 0, fmt.Errorf("submit: %w", err)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(out), ";") // id;cluster
	id, err := strconv.ParseInt(first, 10, 64)
	if err != nil || id <= 0 {
		return 0, fmt.Errorf("%w: sbatch says %q", ErrAway, oneLine(out))
	}
	return id, nil
}

// flags are the job as options of sbatch. Each is one word with its value, so that
// no value can be taken for an option.
func (s *Submission) flags() []string {
	flags := []string{
		"--parsable", "--hold", s.requeue(), "--ignore-pbs", "--export-file=3",
		"--job-name=" + s.Name, "--partition=" + s.Partition, "--chdir=" + s.Dir, "--output=" + s.Output, "--open-mode=append",
		fmt.Sprintf("--nodes=%d", s.nodes()), fmt.Sprintf("--ntasks=%d", s.tasks()), fmt.Sprintf("--mincpus=%d", s.CPUs),
	}
	if len(s.Nodes) > 0 {
		flags = append(flags, "--nodelist="+strings.Join(s.Nodes, ","))
	}
	if each := s.perTask(); each > 1 {
		flags = append(flags, fmt.Sprintf("--cpus-per-task=%d", each))
	}
	if s.Comment != "" {
		flags = append(flags, "--comment="+s.Comment)
	}
	if s.Error != "" {
		flags = append(flags, "--error="+s.Error)
	}
	if s.MemoryMB > 0 {
		flags = append(flags, fmt.Sprintf("--mem=%dM", s.MemoryMB))
	}
	if s.MemoryEachMB > 0 {
		flags = append(flags, fmt.Sprintf("--mem-per-cpu=%dM", s.MemoryEachMB))
	}
	if s.GPUs != "" {
		flags = append(flags, "--gres=gpu:"+s.GPUs)
	}
	if s.AllGPUs != "" {
		flags = append(flags, "--gpus="+s.AllGPUs)
	}
	for _, passed := range [...]struct{ option, value string }{{"--mail-type=", s.MailType}, {"--mail-user=", s.MailUser}, {"--signal=", s.Signal}, {"--licenses=", s.Licenses}, {"--reservation=", s.Reservation}, {"--qos=", s.QOS}} {
		if passed.value != "" {
			flags = append(flags, passed.option+passed.value)
		}
	}
	if s.Array != "" {
		flags = append(flags, "--array="+s.Array)
	}
	if s.Limit > 0 {
		flags = append(flags, fmt.Sprintf("--time=%d", s.minutes()))
	}
	return flags
}

// requeue says whether its user may put it back.
func (s *Submission) requeue() string {
	if s.Requeue {
		return "--requeue"
	}
	return "--no-requeue"
}

// tasks is what Slurm is told of tasks: as many as processors are to be set aside.
// How many really run where is the script's business, as is their sharing them.
func (s *Submission) tasks() int { return s.nodes() * s.CPUs / s.perTask() }

// nodes is how many nodes it is on.
func (s *Submission) nodes() int {
	if s.Later {
		return 1
	}
	return len(s.Nodes)
}

// perTask is what Slurm is told of the processors of a task. Where a node has fewer than
// were sold there is nothing to tell.
func (s *Submission) perTask() int {
	if s.PerTask > 1 && s.CPUs%s.PerTask == 0 {
		return s.PerTask
	}
	return 1
}

func (s *Submission) minutes() int64 { return int64((s.Limit + time.Minute - 1) / time.Minute) }

// check finds what neither way to Slurm could carry.
func (s *Submission) check() error {
	switch {
	case s.nodes() == 0 || s.CPUs < 1:
		return fmt.Errorf("%w: a job for %d nodes with %d processors each", ErrRefused, s.nodes(), s.CPUs)
	case s.Later && len(s.Nodes) > 0:
		return fmt.Errorf("%w: a job whose node is said later, and now", ErrRefused)
	case strings.Trim(s.Array, "0123456789-,:%") != "" || s.Array != "" && !s.Later:
		return fmt.Errorf("%w: an array of elements %q, whose nodes are said later", ErrRefused, s.Array)
	case !strings.HasPrefix(s.Script, "#!"):
		return fmt.Errorf("%w: the first line of the script does not name its interpreter", ErrRefused)
	}
	for _, part := range [...]struct{ name, text string }{
		{"name", s.Name},
		{"comment", s.Comment},
		{"directory", s.Dir},
		{"output", s.Output},
		{"error", s.Error},
		{"script", s.Script},
		{"type of mail", s.MailType},
		{"address of mail", s.MailUser},
		{"signal", s.Signal},
		{"licences", s.Licenses},
		{"reservation", s.Reservation},
		{"QOS", s.QOS},
	} {
		if strings.Contains(part.text, "\x00") {
			return fmt.Errorf("%w: a zero byte in the %s", ErrRefused, part.name)
		}
	}
	for _, word := range s.Command {
		if strings.Contains(word, "\x00") {
			return fmt.Errorf("%w: a zero byte in the command", ErrRefused)
		}
	}
	for _, name := range append([]string{s.Partition}, s.Nodes...) {
		if name == "" || strings.ContainsAny(name, ", []\t\n\x00") {
			return fmt.Errorf("%w: %q is the name of neither partition nor node", ErrRefused, name)
		}
	}
	for _, gpus := range []string{s.GPUs, s.AllGPUs} {
		if _, _, err := market.ParseGPUs(cmp.Or(gpus, "0")); err != nil || strings.ContainsAny(gpus, ", =\t\n\x00") {
			return fmt.Errorf("%w: GPUs %q", ErrRefused, gpus)
		}
	}
	for _, e := range s.Env {
		if name, _, ok := strings.Cut(e, "="); !ok || name == "" || strings.Contains(e, "\x00") {
			return fmt.Errorf("%w: %q is no variable", ErrRefused, name)
		}
	}
	return nil
}

// plainScript takes the meaning for sbatch out of comments at the top of a script:
// what the job is was agreed on already. To whoever runs the script they are
// comments as before.
func plainScript(script string) string {
	lines := strings.SplitAfter(script, "\n")
	for i, line := range lines {
		if text := strings.TrimSpace(line); text != "" && text[0] != '#' {
			break // sbatch reads no further either
		}
		if strings.HasPrefix(line, "#SBATCH") {
			lines[i] = "# SBATCH" + line[len("#SBATCH"):]
		}
	}
	return strings.Join(lines, "")
}

func asFile(env []string) []byte {
	var b bytes.Buffer
	for _, e := range env {
		b.WriteString(e)
		b.WriteByte(0)
	}
	return b.Bytes()
}

// withThird runs a command that finds a text in its file 3.
func withThird(cmd *exec.Cmd, text []byte, run func() error) error {
	if text == nil {
		return run()
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.ExtraFiles = []*os.File{r}
	written := make(chan error, 1)
	go func() {
		_, wrong := io.Copy(w, bytes.NewReader(text))
		written <- errors.Join(wrong, w.Close())
	}()
	err = run()
	_ = r.Close() // a command that did not read it all leaves the writer stuck otherwise
	if wrong := <-written; err == nil {
		err = wrong
	}
	return err
}
