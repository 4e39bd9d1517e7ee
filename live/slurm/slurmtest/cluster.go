package slurmtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/libra-market/libra/core/market"
)

// dirPrefix is how the directories of runs are called.
const dirPrefix = "libra-slurm-"

// Cluster is a Slurm that runs.
type Cluster struct {
	Dir        string   // all of it
	Conf       string   // what SLURM_CONF must be for Slurm's commands
	Nodes      []string // their names, which no other run has
	RestURL    string   // of slurmrestd
	RestSocket string   // of slurmrestd too
	DoorKey    string   // file with the key of the door

	layout  layout
	daemons []*daemon
	parent  *parent
	hosts   *hosts
	place   *place // nil: it is closed
	slurm   owner
	munge   owner
	nobody  owner
}

// Up starts a Slurm on this host, and waits for a place if as many run as it may have.
func Up(ctx context.Context, o Options) (*Cluster, error) {
	if err := usePrograms(); err != nil {
		return nil, err
	}
	at, err := takePlace(ctx)
	if err != nil {
		return nil, err
	}
	c, err := plan(o.chosen(), at)
	if err != nil {
		return nil, errors.Join(err, at.file.Close())
	}
	c.place, c.parent = at, newParent()
	err = at.claim(c.Dir, c.prefix())
	if err == nil {
		err = c.up(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// plan chooses names, addresses and ports, and changes nothing on the host
// except for a directory.
func plan(o Options, at *place) (*Cluster, error) {
	dir, err := os.MkdirTemp("", dirPrefix)
	if err != nil {
		return nil, err
	}
	ports, err := at.freePorts(o.Nodes + 3)
	if err != nil {
		return nil, err
	}
	c := &Cluster{Dir: dir, Conf: filepath.Join(dir, "etc", "slurm.conf"), DoorKey: filepath.Join(dir, "ctld", "door.key")}
	c.layout = layout{
		Options: o, Dir: dir, Controller: "127.0.0.1", Port: ports[0], Books: ports[2],
		MemoryEach: max(1, o.MemoryMB/o.Places), Plugins: plugins(),
		JobAge: int(o.MinJobAge.Seconds()), Silence: int(o.NodeTimeout.Seconds()),
	}
	if c.layout.Host = "localhost"; o.Backup {
		c.layout.Host = firstName
	}
	prefix := randomName()
	for i := range o.Nodes {
		h := host{Name: fmt.Sprintf("%s%d", prefix, i+1), Address: "127.0.0.1", Port: ports[i+3]}
		c.Nodes = append(c.Nodes, h.Name)
		c.layout.Slurmds = append(c.layout.Slurmds, h)
	}
	if o.Hosts {
		c.hosts = newHosts(prefix, at.network(), c.layout.Slurmds)
		c.layout.Controller = c.hosts.gateway
	}
	if !o.NoRest {
		c.RestURL, c.RestSocket = fmt.Sprintf("http://127.0.0.1:%d", ports[1]), c.path("rest", "rest.sock")
	}
	for name, of := range map[string]*owner{"slurm": &c.slurm, "munge": &c.munge, "nobody": &c.nobody} {
		if *of, err = lookupOwner(name); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *Cluster) prefix() string { return strings.TrimRight(c.Nodes[0], "0123456789") }

func (c *Cluster) path(elem ...string) string {
	return filepath.Join(append([]string{c.Dir}, elem...)...)
}

func (c *Cluster) up(ctx context.Context) error {
	if err := errors.Join(c.folders(), c.configure()); err != nil {
		return err
	}
	if c.hosts != nil {
		if err := c.hosts.up(); err != nil {
			return err
		}
	}
	c.employ()
	for _, d := range c.daemons {
		if err := c.start(ctx, d); err != nil {
			return err
		}
	}
	return c.WaitNodes(ctx)
}

// employ writes down which daemons there are, in the order of their start.
func (c *Cluster) employ() {
	socket := c.path("munge", "munge.socket")
	c.daemons = []*daemon{{
		name: "munged", of: c.munge,
		argv: []string{
			"munged", "--foreground", "--num-threads=10", "--socket=" + socket, "--key-file=" + c.path("munge", "munge.key"),
			"--pid-file=" + c.path("munge", "munged.pid"), "--log-file=" + c.path("munge", "munged.log"), "--seed-file=" + c.path("munge", "munged.seed"),
		},
		ready: func(ctx context.Context) error {
			return exec.CommandContext(ctx, "munge", "--socket="+socket, "--no-input", "--output=/dev/null").Run()
		},
	}}
	if c.layout.Accounting {
		c.daemons = append(c.daemons, c.books()...)
	}
	c.daemons = append(c.daemons, &daemon{
		name: "slurmctld", of: c.slurm, argv: []string{"slurmctld", "-D"},
		ready: func(ctx context.Context) error {
			out, err := c.Run(ctx, "scontrol", "ping")
			if err == nil && !strings.Contains(out, "UP") {
				err = errors.New(out)
			}
			return err
		},
	})
	if c.layout.Backup {
		first := c.daemons[len(c.daemons)-1]
		first.of, first.argv = owner{}, c.inHost(firstName, "slurmctld -D") // it becomes another user by itself
		c.daemons = append(c.daemons, c.second())
	}
	for _, node := range c.Nodes {
		d := &daemon{name: "slurmd " + node, argv: c.On(node, append([]string{"slurmd", "-D", "-N", node}, stepDaemon()...)...)}
		c.daemons = append(c.daemons, d)
	}
	if c.RestURL != "" {
		address := strings.TrimPrefix(c.RestURL, "http://")
		c.daemons = append(c.daemons, &daemon{
			name: "slurmrestd", of: c.nobody, env: []string{"SLURM_JWT=daemon"},
			argv: []string{"slurmrestd", "-a", "rest_auth/jwt", "-s", restPlugin(), address, "unix:" + c.RestSocket},
			ready: func(ctx context.Context) error {
				conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
				if err == nil {
					err = conn.Close()
				}
				return err
			},
		})
	}
}

// WaitNodes waits until all nodes can run jobs.
func (c *Cluster) WaitNodes(ctx context.Context) error {
	return until(ctx, patience, func() error {
		out, err := c.Run(ctx, "sinfo", "-h", "-N", "-p", Partition, "-o", "%t")
		states := strings.Fields(out)
		if err == nil && (len(states) != len(c.Nodes) || slices.ContainsFunc(states, notReady)) {
			why, _ := c.Run(ctx, "sinfo", "-h", "-R", "-o", "%n: %E") // it helps, no more
			err = fmt.Errorf("the nodes are %s; %s", strings.Join(states, ", "), why)
		}
		return err
	})
}

func notReady(state string) bool {
	return state != "idle" && state != "mix" && state != "alloc"
}

// CPUs is how many processors each node has.
func (c *Cluster) CPUs() int { return c.layout.CPUs }

// Env is what a command of Slurm needs to find this cluster.
func (c *Cluster) Env() []string { return []string{"SLURM_CONF=" + c.Conf} }

// Run runs a command of Slurm and says what it wrote.
func (c *Cluster) Run(ctx context.Context, name string, args ...string) (string, error) {
	return c.run(exec.CommandContext(ctx, name, args...))
}

// RunAs runs a command as a user of the host, in the root directory.
func (c *Cluster) RunAs(ctx context.Context, user, name string, args ...string) (string, error) {
	of, err := lookupOwner(user)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: market.Uint32(of.uid), Gid: market.Uint32(of.gid)}}
	return c.run(cmd)
}

func (c *Cluster) run(cmd *exec.Cmd) (string, error) {
	cmd.Env = append(os.Environ(), c.Env()...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, text)
	}
	return text, err
}

// Token is a JWT for slurmrestd. Root's acts for any user.
func (c *Cluster) Token(ctx context.Context, user string) (string, error) {
	out, err := c.Run(ctx, "scontrol", "token", "username="+user, "lifespan=36000")
	return strings.TrimPrefix(out, "SLURM_JWT="), err
}

// Close ends the cluster and all that its jobs have started, and removes what
// it has made on the host.
func (c *Cluster) Close() error {
	if c.place == nil {
		return nil
	}
	var wrong error
	for _, d := range slices.Backward(c.daemons) {
		wrong = errors.Join(wrong, d.kill())
	}
	c.parent.close()
	at := c.place
	c.place = nil
	if wrong = errors.Join(wrong, clearAway(c.Dir, c.prefix())); wrong != nil {
		// What is still there stays claimed, for the next to try again.
		return errors.Join(wrong, at.file.Close())
	}
	return at.unclaim()
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return b
}

// randomName is the beginning of the names of a run's nodes: letters only.
func randomName() string {
	b := randomBytes(4)
	for i := range b {
		b[i] = 'a' + b[i]%26
	}
	return "lt" + string(b)
}

// Mail is a file with a line for each mail that Slurm has sent: what its MailProg was
// started with.
func (c *Cluster) Mail() string { return c.path("log", "mail") }
