package slurmtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
)

// rootVar names a directory with a Slurm that is not the host's own: in native/bin,
// native/sbin and native/include programs that run on this host and their headers, in
// usr/lib the plugins, as Debian has them. All tests are on that one then.
const rootVar = "LIBRA_SLURM_ROOT"

// Programs is what PATH has to begin with for Slurm's programs; empty: with nothing.
func Programs() string {
	root := os.Getenv(rootVar)
	if root == "" {
		return ""
	}
	return filepath.Join(root, "native", "bin") + ":" + filepath.Join(root, "native", "sbin") + ":"
}

// usePrograms lets this process find them.
var usePrograms = sync.OnceValue(func() error {
	return os.Setenv("PATH", Programs()+os.Getenv("PATH"))
})

// Find is where a program of Slurm's is; empty: nowhere.
func Find(program string) string {
	path, _ := exec.LookPath(program) // who needs it finds it missing
	return path
}

// plugins is the directory of Slurm's own plugins; empty: the one that it was built with.
func plugins() string {
	if os.Getenv(rootVar) == "" {
		return ""
	}
	found, _ := filepath.Glob(filepath.Join(os.Getenv(rootVar), "usr", "lib", "*", "slurm-wlm")) // the pattern is a good one
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// headers are what a compiler is told, to find those of this Slurm.
func headers() []string {
	if root := os.Getenv(rootVar); root != "" {
		return []string{"-I", filepath.Join(root, "native", "include")}
	}
	return nil
}

// stepDaemon is what slurmd is told, to find the program that looks after a step.
func stepDaemon() []string {
	if root := os.Getenv(rootVar); root != "" {
		return []string{"-d", filepath.Join(root, "native", "sbin", "slurmstepd")}
	}
	return nil
}

// Path is what PATH may be for a job, that says srun and means that of this Slurm.
func Path() string { return Programs() + "/usr/bin:/bin" }

// Version is that of Slurm, as 2411 for 24.11; 0: it does not say.
func Version() int {
	out, _ := exec.Command("slurmctld", "-V").Output() // one that is not there says nothing
	found := regexp.MustCompile(`\b(\d\d)\.(\d\d)\b`).FindSubmatch(out)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(found[1]) + string(found[2])) // four digits
	return n
}

// Modern reports whether slurmrestd speaks as it does since 23.11.
func Modern() bool { return Version() >= 2311 }

// API is the version of slurmrestd's that Libra chooses.
func API() string {
	if Modern() {
		return "v0.0.42"
	}
	return "v0.0.38"
}

// restPlugin is how slurmrestd is told what to answer to.
func restPlugin() string {
	if Modern() {
		return "slurmctld"
	}
	return "openapi/" + API()
}
