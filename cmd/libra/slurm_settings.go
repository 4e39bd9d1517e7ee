package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/live/config"
)

// scontrol asks Slurm how it is set up; nothing where the command is not there.
func scontrol(ctx context.Context, c *config.Config, args ...string) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "scontrol", args...)
	if c.Slurm.Conf != "" {
		cmd.Env = append(os.Environ(), "SLURM_CONF="+c.Slurm.Conf)
	}
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}

func slurmVersion(ctx context.Context, c *config.Config) string {
	if version := strings.TrimSpace(scontrol(ctx, c, "version")); version != "" {
		return ", " + version
	}
	return ""
}

// slurmSetting finds a value in what scontrol prints: Name=value, or Name = value.
func slurmSetting(text, name string) string {
	m := regexp.MustCompile(`(?m)(?:^|\s)` + regexp.QuoteMeta(name) + `\s*=[ \t]*(\S*)`).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}

// inspectSettings looks at the settings of Slurm that decide whether processors
// can be shared.
func inspectSettings(ctx context.Context, c *config.Config) []finding {
	partition := scontrol(ctx, c, "-o", "show", "partition", c.Slurm.Partition)
	conf := scontrol(ctx, c, "show", "config")
	if partition == "" || conf == "" {
		return []finding{good("scontrol is not here, so its settings were not looked at")}
	}
	found := sharing(c, slurmSetting(partition, "OverSubscribe"))
	if state := slurmSetting(partition, "State"); state != "UP" {
		found = append(found, wrongf("partition %s is %s: scontrol update partitionname=%[1]s state=up", c.Slurm.Partition, state))
	}
	if c.Slurm.Control == "agents" {
		found = append(found, tracking(conf)...)
		found = append(found, spank(slurmSetting(conf, "PlugStackConfig"), slurmSetting(conf, "SLURM_CONF")))
	}
	if !strings.Contains(slurmSetting(conf, "JobSubmitPlugins"), "lua") {
		found = append(found, good("there is no job_submit.lua: users can go past the market with sbatch (libra slurm plugin writes one)"))
	} else if c.Slurm.DoorKey == "" && c.Slurm.Rest != "" {
		found = append(found, good("there is a job_submit.lua: if it is Libra's, give its key with --slurm-door-key"))
	}
	if age, err := strconv.Atoi(slurmSetting(conf, "MinJobAge")); err == nil && age < 60 {
		found = append(found, wrongf("MinJobAge is %d s: ended jobs are forgotten before their exit codes are seen if the market is away for longer; set MinJobAge=600", age))
	}
	return found
}

// sharing judges how many jobs may have one processor.
func sharing(c *config.Config, over string) []finding {
	if c.Slurm.Control == "none" {
		return []finding{good("OverSubscribe=%s, jobs have whole processors", over)}
	}
	mode, places, _ := strings.Cut(over, ":")
	n, _ := strconv.Atoi(places)
	const enough = 16
	switch {
	case mode != "FORCE":
		return []finding{wrongf("partition %s does not share processors (OverSubscribe=%s): set OverSubscribe=FORCE:64, or use --slurm-control none with a policy that gives whole processors",
			c.Slurm.Partition, over)}
	case n < enough:
		return []finding{wrongf("only %d jobs may share a processor (OverSubscribe=%s): another that was sold a share would wait; set OverSubscribe=FORCE:64", max(n, 4), over)}
	}
	return []finding{good("OverSubscribe=%s: up to %d jobs share a processor", over, n)}
}

// tracking judges whether the processes of a job can be found.
func tracking(conf string) []finding {
	var found []finding
	if kind := slurmSetting(conf, "ProctrackType"); kind != "proctrack/cgroup" {
		found = append(found, wrongf("ProctrackType=%s loses processes that leave their session: set ProctrackType=proctrack/cgroup", kind))
	}
	if kind := slurmSetting(conf, "JobAcctGatherType"); strings.HasSuffix(kind, "/cgroup") {
		found = append(found, wrongf("JobAcctGatherType=%s takes the groups that shares are measured by: set JobAcctGatherType=jobacct_gather/linux", kind))
	}
	if memory := slurmSetting(conf, "DefMemPerCPU") + slurmSetting(conf, "DefMemPerNode"); strings.Contains(memory, "UNLIMITED") &&
		strings.Contains(slurmSetting(conf, "SelectTypeParameters"), "MEMORY") {
		found = append(found, wrongf("a job that asks for no memory gets all of its node and nobody can share it: set DefMemPerCPU"))
	}
	return found
}

// spank looks for the plugin in the file that names Slurm's plugins.
func spank(file, conf string) finding {
	if file == "" || file == "(null)" {
		file = strings.TrimSuffix(conf, "slurm.conf") + "plugstack.conf"
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "libra_spank") {
		return good("libra_spank.so is not named in %s: jobs run unchecked for their first second (libra slurm plugin writes its source)", file)
	}
	return good("libra_spank.so is in %s: shares hold from the first instruction", fmt.Sprint(file))
}
