package survey

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/live/config"
)

// scontrol asks Slurm how it is set up; nothing where the command is not there.
func scontrol(ctx context.Context, c *config.Slurm, args ...string) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "scontrol", args...)
	if c.Conf != "" {
		cmd.Env = append(os.Environ(), "SLURM_CONF="+c.Conf)
	}
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}

func version(ctx context.Context, c *config.Slurm) string {
	if said := strings.TrimSpace(scontrol(ctx, c, "version")); said != "" {
		return ", " + said
	}
	return ""
}

// setting finds a value in what scontrol prints: Name=value, or Name = value.
func setting(text, name string) string {
	m := regexp.MustCompile(`(?m)(?:^|\s)` + regexp.QuoteMeta(name) + `\s*=[ \t]*(\S*)`).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}

// inspectSharing looks at the settings of a partition that decide whether processors can be
// shared.
func inspectSharing(ctx context.Context, c *config.Slurm, name, conf string, largest int) []Finding {
	partition := scontrol(ctx, c, "-o", "show", "partition", name)
	if partition == "" || conf == "" {
		return nil // which is said at the end
	}
	found := sharing(c, name, setting(partition, "OverSubscribe"))
	if state := setting(partition, "State"); state != "UP" {
		found = append(found, wrongf("partition %s is %s: scontrol update partitionname=%[1]s state=up", name, state))
	}
	return slices.Concat(found, limits(partition, name, largest), hoards(partition, conf))
}

// inspectSettings looks at those that are the same for all partitions.
func inspectSettings(c *config.Slurm, conf string) []Finding {
	if conf == "" {
		return []Finding{good("scontrol is not here, so its settings were not looked at")}
	}
	var found []Finding
	if c.Control == "agents" {
		found = append(found, tracking(conf)...)
		found = append(found, spank(setting(conf, "PlugStackConfig"), setting(conf, "SLURM_CONF")))
	}
	if !strings.Contains(setting(conf, "JobSubmitPlugins"), "lua") {
		found = append(found, wrongf("there is no job_submit.lua (JobSubmitPlugins): users can go past the market with sbatch; libra slurm plugin writes one"))
	} else {
		found = append(found, door(setting(conf, "SLURM_CONF"), c)...)
	}
	if setting(conf, "PreemptType") == "preempt/qos" {
		found = append(found, good("PreemptType=preempt/qos: a QOS that ends jobs of others, or whose jobs are ended, is refused to who names it; jobs that name none may be ended if it is the one that they have, and begin again"))
	}
	if age, err := strconv.Atoi(setting(conf, "MinJobAge")); err == nil && age < 60 {
		found = append(found, wrongf("MinJobAge is %d s: ended jobs are forgotten before their exit codes are seen if the market is away for longer; set MinJobAge=600", age))
	}
	return found
}

// sharing judges how many jobs may have one processor.
func sharing(c *config.Slurm, name, over string) []Finding {
	if c.Control == "none" {
		return []Finding{good("OverSubscribe=%s, jobs have whole processors", over)}
	}
	mode, places, said := strings.Cut(over, ":")
	n, _ := strconv.Atoi(places)
	if !said {
		n = 4 // Slurm's own default
	}
	const enough = 16
	switch {
	case mode != "FORCE":
		return []Finding{wrongf("partition %s does not share processors (OverSubscribe=%s): set OverSubscribe=FORCE:64, or use --slurm-control none with a policy that gives whole processors",
			name, over)}
	case n < enough:
		return []Finding{wrongf("only %d jobs may share a processor (OverSubscribe=%s): another that was sold a share would wait; set OverSubscribe=FORCE:64", n, over)}
	}
	return []Finding{good("OverSubscribe=%s: up to %d jobs share a processor", over, n)}
}

// tracking judges whether the processes of a job can be found.
func tracking(conf string) []Finding {
	var found []Finding
	if kind := setting(conf, "ProctrackType"); kind != "proctrack/cgroup" {
		found = append(found, wrongf("ProctrackType=%s loses processes that leave their session: set ProctrackType=proctrack/cgroup", kind))
	}
	if kind := setting(conf, "JobAcctGatherType"); strings.HasSuffix(kind, "/cgroup") {
		found = append(found, wrongf("JobAcctGatherType=%s takes the groups that shares are measured by: set JobAcctGatherType=jobacct_gather/linux", kind))
	}
	if memory := setting(conf, "DefMemPerCPU") + setting(conf, "DefMemPerNode"); strings.Contains(memory, "UNLIMITED") &&
		strings.Contains(setting(conf, "SelectTypeParameters"), "MEMORY") {
		found = append(found, wrongf("a job that asks for no memory gets all of its node and nobody can share it: set DefMemPerCPU"))
	}
	return found
}

// spank looks for the plugin in the file that names Slurm's plugins.
func spank(file, conf string) Finding {
	if file == "" || file == "(null)" {
		file = strings.TrimSuffix(conf, "slurm.conf") + "plugstack.conf"
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "libra_spank") {
		return wrongf("libra_spank.so is not named in %s: jobs run unchecked for their first second (libra slurm plugin writes its source; docs/slurm.md says how it is compiled)", file)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) < 2 || !strings.Contains(words[1], "libra_spank") || !strings.HasPrefix(words[1], "/") {
			continue
		}
		if _, err := os.Stat(words[1]); err != nil {
			return wrongf("%s is named in %s and is not there: compile it (libra slurm plugin writes its source), on every node", words[1], file)
		}
	}
	return good("libra_spank.so is in %s: shares hold from the first instruction", file)
}

// door looks for the plugin that lets nobody past the market, beside slurm.conf, and for its
// key.
func door(conf string, c *config.Slurm) []Finding {
	file := filepath.Join(filepath.Dir(conf), "job_submit.lua")
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []Finding{wrongf("JobSubmitPlugins=lua, and there is no %s: slurmctld takes no job; libra slurm plugin writes one", file)}
	case err == nil && !strings.Contains(string(text), "libra"):
		return []Finding{wrongf("%s knows nothing of Libra: users can go past the market with sbatch; libra slurm plugin writes one, which it can call (docs/slurm.md)", file)}
	}
	var open []string
	for _, name := range c.Partitions() {
		if err == nil && len(c.Partitions()) > 1 && !strings.Contains(string(text), strconv.Quote(name)) {
			open = append(open, name)
		}
	}
	switch {
	case len(open) > 0:
		return []Finding{wrongf("%s does not know partition %s: users can go past the market there; write it anew with libra slurm plugin --partition %s", file, strings.Join(open, ", "), c.Partition)}
	case c.DoorKey == "" && c.Rest != "":
		return []Finding{good("there is a job_submit.lua: if it is Libra's, give its key with --slurm-door-key")}
	case c.DoorKey == "":
		return nil
	}
	if _, err := os.Stat(c.DoorKey); err != nil {
		return []Finding{wrongf("the key of job_submit.lua: %v: libra slurm plugin writes one", err)}
	}
	return nil
}
