package packaging

import (
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPackages makes the packages of this tree once, and tries them.
func TestPackages(t *testing.T) {
	need(t, "busybox", "useradd", "make", "gcc", "man", "logrotate", "dpkg")
	needTools(t)
	for _, name := range []string{"libra.yaml", "libra-slurm.yaml", "default.yaml", "logrotate"} {
		if _, err := os.ReadFile(name); err != nil { // go test looks at what is read to know whether it is as before
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	say(t, "make", "-C", "..", "packages", "PACKAGES="+dir)
	t.Run("deb", func(t *testing.T) { tryDebian(t, dir) })
	t.Run("rpm", func(t *testing.T) { tryRPM(t, dir) })
	t.Run("units", func(t *testing.T) { tryUnits(t, filepath.Join(dir, "stage")) })
}

// made are the packages of one form.
func made(t *testing.T, dir, form string) (libra, slurm string) {
	t.Helper()
	for pattern, to := range map[string]*string{"libra?[0-9]*." + form: &libra, "libra-slurm?[0-9]*." + form: &slurm} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		*to = found[0]
	}
	return libra, slurm
}

// looks tries what was installed under a root.
func looks(t *testing.T, root string) {
	t.Helper()
	if said := say(t, "chroot", root, "/usr/bin/libra", "version"); !strings.HasPrefix(said, "libra ") {
		t.Errorf("libra version: %q", said)
	}
	if said := say(t, "chroot", root, "/usr/bin/libra", "config", "check", "/etc/libra/libra.yaml"); !strings.Contains(said, "is good") {
		t.Errorf("libra config check: %q", said)
	}
	for _, page := range []string{"libra", "libra-submit"} {
		if said := say(t, "man", "-M", filepath.Join(root, "usr/share/man"), "-w", page); !strings.Contains(said, page+".1") {
			t.Errorf("man -w %s: %q", page, said)
		}
	}
	say(t, "bash", "-n", filepath.Join(root, "usr/share/bash-completion/completions/libra"))
	for _, unit := range []string{"libra.service", "libra-agent.service"} {
		path := filepath.Join(root, "usr/lib/systemd/system", unit)
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "ExecStart=/usr/bin/libra ") {
			t.Errorf("%s: %v\n%s", unit, err, text)
		}
	}
	if said := say(t, "logrotate", "-d", filepath.Join(root, "etc/logrotate.d/libra")); strings.Contains(said, "error") {
		t.Errorf("logrotate: %s", said)
	}
	library, err := elf.Open(filepath.Join(root, "usr/lib/libra/libra_spank.so"))
	if err != nil {
		t.Fatal(err)
	}
	defer library.Close()
	symbols, err := library.DynamicSymbols()
	if err != nil || !slices.ContainsFunc(symbols, func(s elf.Symbol) bool {
		return s.Name == "slurm_spank_task_init_privileged" || s.Name == "slurm_spank_task_init"
	}) {
		t.Errorf("libra_spank.so does nothing at the start of a task: %v", err)
	}
	key, err := os.Stat(filepath.Join(root, "etc/slurm/libra/libra-door.key"))
	if err != nil || key.Mode().Perm() != 0o600 {
		t.Errorf("the key of the door: %v, %v", key, err)
	}
	if door, err := os.ReadFile(filepath.Join(root, "etc/slurm/libra/job_submit.lua")); err != nil || !strings.Contains(string(door), "/etc/slurm/libra/libra-door.key") {
		t.Errorf("the door: %v\n%s", err, door)
	}
	if users, err := os.ReadFile(filepath.Join(root, "etc/passwd")); err != nil || !strings.Contains(string(users), "\nlibra:") {
		t.Errorf("there is no user libra: %v\n%s", err, users)
	}
	if about, err := os.Stat(filepath.Join(root, "var/lib/libra")); err != nil || about.Mode().Perm() != 0o700 {
		t.Errorf("where the books are: %v, %v", about, err)
	}
}

// used leaves what a market, an agent and a site leave.
func used(t *testing.T, root string, books bool) {
	t.Helper()
	for _, name := range []string{"etc/libra/server.key", "var/lib/libra-agent/seat", "var/lib/libra-agent/jobs/12/state", "var/log/libra/libra.log", "run/libra/socket"} {
		write(t, filepath.Join(root, name), "x")
	}
	if books {
		write(t, filepath.Join(root, "var/lib/libra/libra.db"), "x")
	}
	link(t, "libra/job_submit.lua", filepath.Join(root, "etc/slurm/job_submit.lua"))
}

var onlyLogs = []string{"var/log/libra/libra.log"}

// What dpkg installs works, and after a purge nothing is left of it but logs.
func tryDebian(t *testing.T, dir string) {
	libra, slurm := made(t, dir, "deb")
	root := bare(t)
	before := contents(t, root)
	say(t, "dpkg", "--root="+root, "--log=/dev/null", "-i", libra, slurm)
	looks(t, root)
	used(t, root, true)
	// What is configured outlives an upgrade, and a removal.
	say(t, "dpkg", "--root="+root, "--log=/dev/null", "-i", libra, slurm)
	write(t, filepath.Join(root, "etc/slurm/slurm.conf"), "ClusterName=x\nJobSubmitPlugins=lua\n")
	said := say(t, "dpkg", "--root="+root, "--log=/dev/null", "--remove", "libra-slurm", "libra")
	if !strings.Contains(said, "/etc/slurm/slurm.conf still has lua in JobSubmitPlugins") {
		t.Errorf("nobody is told: %s", said)
	}
	write(t, filepath.Join(root, "etc/slurm/slurm.conf"), "ClusterName=x\n")
	kept := left(before, contents(t, root))
	for _, name := range []string{"etc/libra/libra.yaml", "var/lib/libra/libra.db", "etc/slurm/libra/libra-door.key"} {
		if !slices.Contains(kept, name) {
			t.Errorf("%s does not outlive a removal: %v", name, kept)
		}
	}
	if slices.Contains(kept, "usr/bin/libra") || slices.Contains(kept, "usr/lib/libra/libra_spank.so") {
		t.Errorf("a removal leaves %v", kept)
	}
	say(t, "dpkg", "--root="+root, "--log=/dev/null", "--purge", "libra-slurm", "libra")
	if got := left(before, contents(t, root)); !slices.Equal(got, onlyLogs) {
		t.Errorf("a purge leaves %v", got)
	}
}

// What rpm installs works, and erased it leaves nothing but logs, and books if there are any.
func tryRPM(t *testing.T, dir string) {
	need(t, "rpm")
	libra, slurm := made(t, dir, "rpm")
	for _, books := range []bool{false, true} {
		root := bare(t)
		before := contents(t, root)
		say(t, "rpm", "--root", root, "--dbpath", "/var/lib/rpm", "-i", libra, slurm)
		looks(t, root)
		used(t, root, books)
		said := say(t, "rpm", "--root", root, "--dbpath", "/var/lib/rpm", "-e", "libra-slurm", "libra")
		got := left(before, contents(t, root))
		switch {
		case !books && !slices.Equal(got, onlyLogs):
			t.Errorf("erased it leaves %v", got)
		case books && (!slices.Contains(got, "var/lib/libra/libra.db") || slices.Contains(got, "var/lib/libra-agent/seat") || !strings.Contains(said, "the books of the market stay in /var/lib/libra")):
			t.Errorf("erased it leaves %v and says %s", got, said)
		}
	}
}

// The units are what systemd takes.
func tryUnits(t *testing.T, root string) {
	need(t, "systemd-analyze")
	say(t, "cp", "-r", "/usr/lib/systemd/system/.", filepath.Join(root, "usr/lib/systemd/system")) // those that ours are before and after
	for _, unit := range []string{"libra.service", "libra-agent.service"} {
		if said := say(t, "systemd-analyze", "verify", "--man=no", "--root="+root, unit); said != "" {
			t.Errorf("%s: %s", unit, said)
		}
	}
}
