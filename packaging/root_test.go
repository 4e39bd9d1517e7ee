package packaging

import (
	"debug/elf"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// part is what LIBRA_REQUIRE calls the tools that these tests need.
const part = "packages"

// need skips a test on a machine that lacks a program, and fails it where LIBRA_REQUIRE
// names packages.
func need(t *testing.T, programs ...string) {
	t.Helper()
	lack(t, lacking(programs...))
}

func lacking(programs ...string) []string {
	var missing []string
	if os.Geteuid() != 0 {
		missing = append(missing, "root")
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			missing = append(missing, p)
		}
	}
	return missing
}

// needTools asks for what makes packages: Slurm's header, and what Go fetches.
func needTools(t *testing.T) {
	t.Helper()
	var missing []string
	header := exec.CommandContext(t.Context(), "gcc", "-E", "-x", "c", "-")
	header.Stdin = strings.NewReader("#include <slurm/spank.h>\n")
	if header.Run() != nil {
		missing = append(missing, "slurm/spank.h (package libslurm-dev)")
	}
	if said, err := exec.CommandContext(t.Context(), "make", "-s", "-C", "..", "packer").CombinedOutput(); err != nil {
		missing = append(missing, "what packs them: "+string(said))
	}
	lack(t, missing)
}

func lack(t *testing.T, missing []string) {
	t.Helper()
	switch {
	case len(missing) == 0:
	case slices.Contains(strings.Split(os.Getenv("LIBRA_REQUIRE"), ","), part):
		t.Fatalf("this machine cannot try packages, and LIBRA_REQUIRE asks for it: it lacks %s", strings.Join(missing, ", "))
	default:
		t.Skipf("this machine cannot try packages: it lacks %s", strings.Join(missing, ", "))
	}
}

// say runs a command and returns what it said.
func say(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin:"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// bare is the root of a system on which there is a shell and little else.
func bare(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"bin", "etc/slurm", "tmp", "dev", "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers", "var/lib/rpm", "var/log", "usr/bin", "run"} {
		makeDir(t, filepath.Join(root, dir))
	}
	box, err := exec.LookPath("busybox")
	if err != nil {
		t.Fatal(err)
	}
	say(t, "cp", box, filepath.Join(root, "bin/busybox"))
	copyLibraries(t, root, box)
	for name := range strings.FieldsSeq(say(t, box, "--list")) {
		if name != "busybox" {
			link(t, "busybox", filepath.Join(root, "bin", name))
		}
	}
	for _, program := range []string{"useradd", "userdel", "groupadd", "groupdel"} {
		path := "/usr/sbin/" + program
		copyTo(t, root, path)
		copyLibraries(t, root, path)
	}
	for name, text := range map[string]string{
		"etc/passwd": "root:x:0:0:root:/root:/bin/sh\nslurm:x:64030:64030::/nonexistent:/usr/sbin/nologin\n", "etc/group": "root:x:0:\nslurm:x:64030:\n",
		"etc/slurm/slurm.conf": "ClusterName=x\n", "var/lib/dpkg/status": "", "dev/null": "",
	} {
		write(t, filepath.Join(root, name), text)
	}
	return root
}

// copyTo puts a file of this machine where a system has it.
func copyTo(t *testing.T, root, path string) {
	t.Helper()
	makeDir(t, filepath.Join(root, filepath.Dir(path)))
	say(t, "cp", "-L", path, filepath.Join(root, path))
}

// copyLibraries does so with what a program is linked to, if that is anything.
func copyLibraries(t *testing.T, root, program string) {
	t.Helper()
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if needed, err := file.ImportedLibraries(); err != nil || len(needed) == 0 {
		return
	}
	for word := range strings.FieldsSeq(say(t, "ldd", program)) {
		if strings.HasPrefix(word, "/") {
			copyTo(t, root, word)
		}
	}
}

func makeDir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	makeDir(t, filepath.Dir(name))
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// contents is what a system has, but for what dpkg and rpm write for themselves.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case slices.Contains([]string{"var/lib/dpkg", "var/lib/rpm", "usr/lib/sysimage", "bin"}, name):
			return fs.SkipDir
		case name == "etc/.pwd.lock": // of useradd
			return nil
		case d.Type().IsRegular() && strings.HasPrefix(name, "etc/") && !strings.HasSuffix(name, "-"):
			text, err := os.ReadFile(path)
			all[name] = string(text)
			return err
		case d.IsDir() || strings.HasSuffix(name, "-"): // an empty directory is nothing, and a copy of passwd is made by who changes it
			return nil
		}
		all[name] = ""
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// left is what a system has more than before, or has changed.
func left(before, after map[string]string) []string {
	var more []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if was, had := before[name]; !had || was != after[name] {
			more = append(more, name)
		}
	}
	return more
}
