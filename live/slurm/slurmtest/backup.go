package slurmtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Where there are two slurmctld each finds by the name of its host which of them it is,
// and by that name where it listens. So each has a name of its own, on this one machine,
// which has all of 127.0.0.0/8.
const (
	firstName  = "libra-first"
	backupName = "libra-backup"
	backupAt   = "127.0.0.2"
)

// Backup is where the second slurmctld is, for slurm.conf; empty: there is none.
func (l layout) BackupHost() string {
	if !l.Backup {
		return ""
	}
	return backupName + "(" + backupAt + ")"
}

// inHost is a program on a host of another name.
func (c *Cluster) inHost(name, program string) []string {
	return []string{"unshare", "--uts", "--mount", "--", "sh", "-c", fmt.Sprintf("hostname %s && mount --bind %s /etc/hosts && exec %s", name, c.path("etc-backup", "hosts"), program)}
}

// second is the slurmctld that takes over when the first is gone.
func (c *Cluster) second() *daemon {
	return &daemon{
		name: "slurmctld backup", env: []string{"SLURM_CONF=" + c.path("etc-backup", "slurm.conf")}, argv: c.inHost(backupName, "slurmctld -D"),
		ready: func(ctx context.Context) error {
			out, err := c.Run(ctx, "scontrol", "ping")
			if err == nil && strings.Count(out, "UP") != 2 {
				err = errors.New(out)
			}
			return err
		},
	}
}

// configureBackup writes what the second slurmctld reads: the same, but for what two
// programs on one machine cannot share.
func (c *Cluster) configureBackup(conf []byte) error {
	dir := c.path("etc-backup")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	hosts, err := os.ReadFile("/etc/hosts")
	if err != nil {
		return err
	}
	hosts = fmt.Appendf(hosts, "\n%s %s\n%s %s\n", c.layout.Controller, firstName, backupAt, backupName)
	text := strings.NewReplacer("/run/slurmctld.pid", "/run/slurmctld-backup.pid", "/log/slurmctld.log", "/log/slurmctld-backup.log").Replace(string(conf))
	err = errors.Join(os.WriteFile(filepath.Join(dir, "hosts"), hosts, 0o644), os.WriteFile(filepath.Join(dir, "slurm.conf"), []byte(text), 0o644))
	for _, name := range []string{"cgroup.conf", "gres.conf", "plugstack.conf", "job_submit.lua"} {
		err = errors.Join(err, os.Symlink(c.path("etc", name), filepath.Join(dir, name)))
	}
	return err
}
