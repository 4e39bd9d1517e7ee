package slurmtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// accountants are what slurmdbd needs beside a cluster, and the Debian packages they
// are in.
var accountants = map[string]string{
	"slurmdbd": "slurmdbd", "sacctmgr": "slurm-client", "mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server", "mariadb": "mariadb-client",
}

// ClusterName is what clusters are called in Slurm's accounting.
const ClusterName = "libratest"

// RequireAccounting skips a test where this host can have no slurmdbd, and fails it where
// LIBRA_REQUIRE names slurmdbd.
func RequireAccounting(t testing.TB) {
	t.Helper()
	Require(t) // which lets this process find programs, too
	var missing []string
	for program, pkg := range accountants {
		path, err := exec.LookPath(program)
		if root := os.Getenv(rootVar); err == nil && root != "" && strings.HasPrefix(program, "s") && !strings.HasPrefix(path, root) {
			err = os.ErrNotExist // that of another Slurm
		}
		if err != nil {
			missing = append(missing, program+" (package "+pkg+")")
		}
	}
	slices.Sort(missing)
	require(t, "slurmdbd", strings.Join(missing, ", "))
}

// books are the daemons of the accounting, in the order of their start: a database that
// only this directory leads to, and slurmdbd.
func (c *Cluster) books() []*daemon {
	socket := c.path("db", "mysql.sock")
	return []*daemon{{
		name: "mariadbd", of: c.slurm,
		argv: []string{
			"mariadbd", "--no-defaults", "--datadir=" + c.path("db", "data"), "--socket=" + socket, "--pid-file=" + c.path("db", "mariadbd.pid"),
			"--skip-networking", "--skip-grant-tables", "--innodb-lock-wait-timeout=900",
		},
		ready: func(ctx context.Context) error {
			return exec.CommandContext(ctx, "mariadb", "--no-defaults", "--socket="+socket, "-e", "create database if not exists slurm_acct_db").Run()
		},
	}, {
		name: "slurmdbd", of: c.slurm, env: []string{"MYSQL_UNIX_PORT=" + socket}, argv: []string{"slurmdbd", "-D"},
		ready: func(ctx context.Context) error {
			out, err := c.Run(ctx, "sacctmgr", "--noheader", "--parsable2", "show", "cluster", "format=cluster")
			if err == nil && !strings.Contains(out, ClusterName) {
				_, err = c.Run(ctx, "sacctmgr", "--immediate", "add", "cluster", ClusterName)
			}
			return err
		},
	}}
}

// account writes what slurmdbd reads, and makes an empty database.
func (c *Cluster) account() error {
	conf := fmt.Sprintf(`AuthType=auth/munge
AuthInfo=socket=%[1]s/munge/munge.socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=%[2]d
SlurmUser=slurm
LogFile=%[1]s/log/slurmdbd.log
PidFile=%[1]s/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=slurm
StorageLoc=slurm_acct_db
`, c.Dir, c.layout.Books)
	if c.layout.Plugins != "" {
		conf += "PluginDir=" + c.layout.Plugins + "\n"
	}
	if err := secret(c.path("etc", "slurmdbd.conf"), []byte(conf), c.slurm); err != nil {
		return err
	}
	if err := os.Mkdir(c.path("db"), 0o755); err != nil {
		return err
	}
	if err := os.Chown(c.path("db"), c.slurm.uid, c.slurm.gid); err != nil {
		return err
	}
	out, err := exec.Command("mariadb-install-db", "--no-defaults", "--user=slurm", "--datadir="+c.path("db", "data"), "--skip-test-db").CombinedOutput()
	if err != nil {
		return fmt.Errorf("make a database: %w: %s", err, out)
	}
	return nil
}
