package slurmtest

import (
	"bytes"
	_ "embed" // the configuration is a file of its own
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"text/template"

	"github.com/libra-market/libra/live/slurm/plugin"
)

//go:embed slurm.conf.tmpl
var slurmConf string

//go:embed cgroup.conf
var cgroupConf []byte

//go:embed cgroup2.conf
var cgroup2Conf []byte

var confTemplate = template.Must(template.New("slurm.conf").Parse(slurmConf))

// layout is what the template of slurm.conf is filled with.
type layout struct {
	Options
	Dir        string
	Controller string // address of slurmctld
	Host       string // what its machine is called
	Port       int    // of slurmctld
	Books      int    // port of slurmdbd, where there is accounting
	Slurmds    []host
	Plugins    string // directory of Slurm's own; empty: where it looks anyway
	MemoryEach int    // MB for a job that does not say
	JobAge     int    // seconds
	Silence    int    // seconds
}

// host is where a slurmd is.
type host struct {
	Name    string
	Address string
	Port    int
}

// owner is a user of the host that daemons run as.
type owner struct{ uid, gid int }

func lookupOwner(name string) (owner, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return owner{}, fmt.Errorf("the host has no user for the daemons: %w", err)
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	return owner{uid, gid}, errors.Join(err1, err2)
}

// folders makes the directories of a run, each owned by who writes there.
func (c *Cluster) folders() error {
	err := os.Chmod(c.Dir, 0o755)
	for _, f := range []struct {
		name string
		of   owner
		mode os.FileMode
	}{
		{"etc", owner{}, 0o755},
		{"lib", owner{}, 0o755},
		{"spool", owner{}, 0o755},
		{"run", c.slurm, 0o755},
		{"log", c.slurm, 0o755},
		{"ctld", c.slurm, 0o700},
		{"munge", c.munge, 0o755},
		{"rest", c.nobody, 0o755},
	} {
		err = errors.Join(err, os.Mkdir(c.path(f.name), f.mode), os.Chmod(c.path(f.name), f.mode), os.Chown(c.path(f.name), f.of.uid, f.of.gid))
	}
	for _, node := range c.Nodes {
		err = errors.Join(err, os.Mkdir(c.path("spool", node), 0o755))
	}
	return err
}

// configure writes all that the daemons read.
func (c *Cluster) configure() error {
	var conf bytes.Buffer
	if err := confTemplate.Execute(&conf, c.layout); err != nil {
		return fmt.Errorf("slurm.conf: %w", err)
	}
	gres, err := c.devices()
	if err != nil {
		return err
	}
	if c.layout.Accounting {
		if err = c.account(); err != nil {
			return err
		}
	}
	if c.layout.Backup {
		if err = c.configureBackup(conf.Bytes()); err != nil {
			return err
		}
	}
	stack := ""
	if !c.layout.NoPlugin {
		if err = provide(c.path("lib", "libra_spank.so")); err != nil {
			return err
		}
		stack = "optional " + c.path("lib", "libra_spank.so") + " " + c.layout.PluginArgs + "\n"
	}
	door := plugin.DoorSettings{Partitions: []string{Partition}, KeyFile: c.path("ctld", "door.key"), Hold: c.layout.DoorHolds, Offer: c.layout.DoorOffers}
	script, err := plugin.DoorScript(door)
	if err != nil {
		return err
	}
	groups := cgroupConf
	if unified() {
		groups = cgroup2Conf
	}
	return errors.Join(
		os.WriteFile(c.Conf, conf.Bytes(), 0o644),
		os.WriteFile(c.path("etc", "cgroup.conf"), groups, 0o644),
		os.WriteFile(c.path("etc", "gres.conf"), gres, 0o644),
		c.writeContainers(),
		os.WriteFile(c.path("etc", "plugstack.conf"), []byte(stack), 0o644),
		os.WriteFile(c.path("etc", "job_submit.lua"), script, 0o644),
		os.WriteFile(c.path("etc", "mail"), []byte("#!/bin/sh\nprintf '%s\\n' \"$*\" >>'"+c.Mail()+"'\n"), 0o755),
		secret(c.path("ctld", "jwt.key"), randomBytes(32), c.slurm),
		secret(c.path("ctld", "door.key"), plugin.NewKey(), c.slurm),
		secret(c.path("munge", "munge.key"), randomBytes(128), c.munge),
	)
}

func secret(path string, content []byte, of owner) error {
	return errors.Join(os.WriteFile(path, content, 0o600), os.Chown(path, of.uid, of.gid))
}

// spankVar names the plugin where it was compiled elsewhere, for a machine without a compiler.
const spankVar = "LIBRA_SPANK"

func made() string { return os.Getenv(spankVar) }

// provide puts the plugin into a place.
func provide(to string) error {
	if made() == "" {
		return compile(plugin.Spank, to)
	}
	object, err := os.ReadFile(made())
	if err != nil {
		return err
	}
	return os.WriteFile(to, object, 0o755)
}

// compile makes a shared object of C.
func compile(source []byte, to string) error {
	file := filepath.Join(filepath.Dir(to), "libra_spank.c")
	if err := os.WriteFile(file, source, 0o644); err != nil {
		return err
	}
	if out, err := exec.Command("gcc", append(headers(), "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-o", to, file)...).CombinedOutput(); err != nil {
		return fmt.Errorf("compile the spank plugin: %w: %s", err, out)
	}
	return nil
}

// writeContainers says how containers are run, where they are.
func (c *Cluster) writeContainers() error {
	if c.layout.Containers == "" {
		return nil
	}
	return os.WriteFile(c.path("etc", "oci.conf"), []byte(c.layout.Containers), 0o644)
}
