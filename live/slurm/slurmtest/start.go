package slurmtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// programs are what a cluster is made of, and the Debian packages they are in.
var programs = map[string]string{
	"munged":     "munge",
	"mungekey":   "munge",
	"slurmctld":  "slurmctld",
	"slurmd":     "slurmd",
	"slurmrestd": "slurmrestd",
	"scontrol":   "slurm-client",
	"sinfo":      "slurm-client",
	"gcc":        "gcc",
}

// Missing names what this host lacks for a cluster; nothing: it can have one.
func Missing() string {
	if os.Geteuid() != 0 {
		return "root"
	}
	if err := usePrograms(); err != nil {
		return err.Error()
	}
	var missing []string
	for program, pkg := range programs {
		if program == "gcc" && made() != "" {
			continue
		}
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, program+" (package "+pkg+")")
		}
	}
	if len(missing) == 0 && made() == "" && !haveHeader() {
		missing = append(missing, "slurm/spank.h (package libslurm-dev)")
	}
	if _, err := os.Stat(freezer); err != nil && !unified() {
		missing = append(missing, "control groups ("+freezer+", or cgroup v2 alone)")
	}
	slices.Sort(missing)
	return strings.Join(missing, ", ")
}

// haveHeader reports whether the plugin can be compiled.
func haveHeader() bool {
	cmd := exec.Command("gcc", append(headers(), "-fsyntax-only", "-x", "c", "-")...)
	cmd.Stdin = strings.NewReader("#include <slurm/spank.h>\n")
	return cmd.Run() == nil
}

// Require skips a test where this host can have no Slurm, and fails it where
// LIBRA_REQUIRE names slurm.
func Require(t testing.TB) {
	t.Helper()
	require(t, "slurm", Missing())
}

// require skips a test for what is missing for a part of the host.
func require(t testing.TB, part, missing string) {
	t.Helper()
	switch {
	case missing == "":
	case slices.Contains(strings.Split(os.Getenv("LIBRA_REQUIRE"), ","), part):
		t.Fatalf("this machine can have no %s, and LIBRA_REQUIRE asks for it: it lacks %s", part, missing)
	default:
		t.Skipf("this machine can have no %s: it lacks %s", part, missing)
	}
}

// Start runs a Slurm until the end of the test, with all its nodes idle. It waits
// while as many run on this host as it may have.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	Require(t)
	c, err := Up(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(c.Logs(12))
		}
		if err := c.Close(); err != nil {
			t.Errorf("stop slurm: %v", err)
		}
	})
	return c
}

// Logs is the end of what every daemon wrote.
func (c *Cluster) Logs(lines int) string {
	files, _ := filepath.Glob(c.path("log", "*.log")) // the pattern is a good one
	var b strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		all := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
		b.WriteString("== " + filepath.Base(file) + "\n")
		b.WriteString(strings.Join(all[max(0, len(all)-lines):], "\n") + "\n")
	}
	return b.String()
}

// until asks again and again, and gives up after a while with the last answer.
func until(ctx context.Context, limit time.Duration, ask func() error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := ask()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}
