package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/agent"
	"github.com/libra-market/libra/live/agent/cgroup"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/link"
	"github.com/libra-market/libra/live/secrets"
)

type agentOptions struct {
	file    string
	verbose bool
	config.Agent
}

func newAgent(con *console) *cobra.Command {
	var o agentOptions
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Run the agent of a node: it starts jobs and enforces their shares",
		Long: `An agent registers its node with the controller, starts what it is told to as
the users who submitted it, holds each job to its share of a processor by
cgroups (v1 or v2; without either, by signals), and reports what was used.

Jobs do not run as root, as another user of the system (those of daemons: the
numbers up to SYS_UID_MAX of /etc/login.defs) or as nobody, whoever asks for it,
unless --system-users names them.

Killed and started again it finds its jobs where they were. While the controller
is away it goes on; past the lease it stops its jobs, because the controller
will have started them elsewhere.

With --control slurm the jobs are Slurm's to start and to end, and the agent only
holds them to their shares: in the groups libra/NODE/slurm_JOB of cpu and cpuacct
(cgroup v1), which libra_spank.so puts every task into before it begins, or, with
cgroup v2, by the quota of Slurm's own group of the job. It runs as root beside
slurmd, under the name that Slurm has for the node.`,
		Example: `  libra agent --server https://head:7070 --ca ca.pem --token-file node.token --node n1
  libra agent --config libra.yaml
  libra agent --control slurm --server https://head:7070 --ca ca.pem --token-file node.token`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runAgent(cmd, con, &o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.file, "config", "", "read this file first (its part agent)")
	f.StringVar(&o.Server, "server", "", "the controller: https://host:port, or unix:/path; several with commas between them (default: that of this machine, by the socket of port 7070)")
	f.StringVar(&o.Node, "node", "", "name of the node (default: the host's name; with --control slurm, Slurm's)")
	f.StringVar(&o.TokenFile, "token-file", "", "file with the node's token")
	f.StringVar(&o.CA, "ca", "", "authority that signed the controller's certificate")
	f.StringVar(&o.Cert, "cert", "", "the node's certificate, instead of a token")
	f.StringVar(&o.Key, "key", "", "its key")
	f.StringVar(&o.State, "state", "", "where to keep what runs (default: agent-NODE in the state directory)")
	f.IntSliceVar(&o.CPUs, "cpus", nil, "the host's processors that are this node's (default: all)")
	f.Float64Var(&o.Rating, "rating", 0, "work a second of a processor (default: measured)")
	f.Float64Var(&o.Headroom, "headroom", 0, "part of each processor kept for the system (default 0.03)")
	f.Float64Var(&o.Weight, "weight", 0, "weight of all jobs against the rest of the machine (default 100)")
	f.Int64Var(&o.MemoryMB, "memory-mb", 0, "memory for jobs (default: what the machine has, less some for the system)")
	f.IntVar(&o.GPUs, "gpus", 0, "GPUs that programs may have, numbered from 0 (default: none)")
	f.StringVar(&o.GPUKind, "gpu-kind", "", "what they are called: a100")
	f.StringVar(&o.Features, "features", "", "`words` that jobs can ask for with --constraint: fast,ib (on Slurm: what Slurm says)")
	f.StringVar(&o.Partition, "partition", "", "`name` of the market's partition that the node is in (on Slurm: as Slurm says)")
	f.StringVar(&o.Control, "control", "", "slurm: jobs are run by Slurm, and only held to their shares here")
	f.IntVar(&o.Processors, "processors", 0, "with --control: processors of the node as Slurm counts them (default: as many as --cpus)")
	f.Float64Var(&o.Capacity, "capacity", 0, "with --control: processors of the host that all jobs of the node may use together (default: all)")
	f.StringVar(&o.OnLease, "on-lease", "", "what to do when the controller stays away: stop or continue (default stop)")
	f.StringSliceVar(&o.SystemUsers, "system-users", nil, "users of the system that jobs may run as, root among them (default: none)")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log more")
	return cmd
}

// configure is the file, with the flags that were given over it.
func (o *agentOptions) configure(cmd *cobra.Command) (config.Config, error) {
	given := o.Agent
	c := config.Default()
	if o.file != "" {
		var err error
		if c, err = config.Read(o.file); err != nil {
			return c, err
		}
	}
	a, f := &c.Agent, cmd.Flags()
	for name, set := range map[string]func(){
		"server": func() { a.Server = given.Server }, "node": func() { a.Node = given.Node }, "token-file": func() { a.TokenFile = given.TokenFile },
		"ca": func() { a.CA = given.CA }, "cert": func() { a.Cert = given.Cert }, "key": func() { a.Key = given.Key },
		"state": func() { a.State = given.State }, "cpus": func() { a.CPUs = given.CPUs }, "rating": func() { a.Rating = given.Rating },
		"headroom": func() { a.Headroom = given.Headroom }, "weight": func() { a.Weight = given.Weight }, "on-lease": func() { a.OnLease = given.OnLease },
		"memory-mb": func() { a.MemoryMB = given.MemoryMB }, "control": func() { a.Control = given.Control },
		"gpus": func() { a.GPUs = given.GPUs }, "gpu-kind": func() { a.GPUKind = given.GPUKind }, "features": func() { a.Features = given.Features }, "partition": func() { a.Partition = given.Partition },
		"system-users": func() { a.SystemUsers = given.SystemUsers },
		"processors":   func() { a.Processors = given.Processors }, "capacity": func() { a.Capacity = given.Capacity },
	} {
		if f.Changed(name) {
			set()
		}
	}
	return c, c.Validate()
}

func runAgent(cmd *cobra.Command, con *console, o *agentOptions) error {
	c, err := o.configure(cmd)
	if err != nil {
		return err
	}
	a := &c.Agent
	if a.Node == "" {
		if a.Node, err = agent.NodeName(a.Control); err != nil {
			return err
		}
	}
	if a.State == "" {
		dir, bad := stateDir()
		if bad != nil {
			return bad
		}
		a.State = filepath.Join(dir, "agent-"+a.Node)
	}
	token := ""
	if a.TokenFile != "" {
		if token, err = secrets.Token(a.TokenFile); err != nil {
			return err
		}
	}
	if token == "" && a.Cert == "" {
		return usagef("an agent proves who it is: give --token-file, or --cert and --key (libra token create --role node --user %s)", a.Node)
	}
	to, err := dialController(a, token)
	if err != nil {
		return err
	}
	printf(con.err, "agent of node %s, controller %s, state in %s\n", a.Node, a.Server, a.State)
	return keepNode(cmd.Context(), a, link.New(to, a.Node), newLog(con, o.verbose))
}

// dialController makes a client of an agent's controller. Who gives orders to an
// agent can run programs as any user, so it must prove who it is: by TLS, or at a
// socket of this machine. An agent that is nobody in particular may be told to do
// without; root may not.
func dialController(a *config.Agent, token string) (*client.Client, error) {
	plain := strings.HasPrefix(a.Server, "http://") || strings.Contains(a.Server, ",http://")
	switch {
	case plain && os.Geteuid() == 0 && insecure():
		return nil, usagef("%s: an agent that runs as root takes no orders over plain HTTP, whatever LIBRA_INSECURE says: unset it, "+
			"or give --server https://host:port and --ca, or --server unix:/path", a.Server)
	case plain && token == "":
		return nil, usagef("%s: a certificate is shown over TLS alone: give --server https://host:port, or a token", a.Server)
	}
	o := client.Options{Agent: "libra agent", Plain: insecure()}
	if !plain || strings.Contains(a.Server, "https://") {
		var err error
		if o.TLS, err = api.ClientTLS(a.CA, a.Cert, a.Key); err != nil {
			return nil, err
		}
	}
	to, err := client.New(a.Server, token, o)
	if err != nil && plain {
		return nil, usagef("%w: give --server https://host:port and --ca; a controller on this machine is reached by its socket", err)
	}
	return to, err
}

// keepNode runs an agent until ctx is done.
func keepNode(ctx context.Context, a *config.Agent, to agent.Controller, log *slog.Logger) error {
	if err := os.MkdirAll(a.State, 0o700); err != nil {
		return err
	}
	setup, err := agent.Config{
		Node: a.Node, StateDir: a.State, Version: buildVersion(), CPUs: a.CPUs, Rating: a.Rating, Headroom: a.Headroom,
		MemoryMB: a.MemoryMB, DiskMB: a.DiskMB, GPUs: a.GPUs, GPUKind: a.GPUKind, Features: a.Features, Partition: a.Partition, Weight: a.Weight, OnLease: a.OnLease, Tree: treeOf(a), SystemUsers: a.SystemUsers, Private: a.Private,
		JobMemoryMB: a.JobMemoryMB, Processes: a.Processes, AllProcesses: a.AllProcesses, OutputMB: a.OutputMB,
		Control: a.Control, Processors: a.Processors, Capacity: a.Capacity,
	}.Default()
	if err != nil {
		return err
	}
	groups, err := openGroups(&setup)
	if err != nil {
		return err
	}
	node, err := agent.New(setup, to, groups, log)
	if err != nil {
		return errors.Join(err, groups.Close())
	}
	err = node.Run(ctx)
	if ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, groups.Close())
}

// openGroups opens what the jobs of the node are held by.
func openGroups(setup *agent.Config) (cgroup.Tree, error) {
	if setup.Control == "" {
		return cgroup.Open(setup.Tree, cgroup.Options{})
	}
	if os.Geteuid() != 0 {
		return nil, usagef("an agent beside Slurm has to be root: the jobs are other users'")
	}
	return cgroup.OpenSlurm(setup.Tree, setup.Node)
}

// treeOf names the groups of a node after the node and after where its state is
// kept. Two markets on one machine may well have a node of the same name, and
// an agent clears away the groups in its tree that it knows nothing about.
// Beside Slurm there is one market, and the plugin looks for the node's name.
func treeOf(a *config.Agent) string {
	if a.Control != "" {
		return "libra/" + a.Node
	}
	where := sha256.Sum256([]byte(filepath.Clean(a.State)))
	return fmt.Sprintf("libra/%s-%x", a.Node, where[:4])
}

// localAgent is the agent of libra up: the node is this machine, and its token
// stays in the directory of the market.
func (o *upOptions) localAgent(ctx context.Context, s *service, c *config.Config, log *slog.Logger) error {
	const node = "local"
	file := filepath.Join(o.dir, "node.token")
	text, err := secrets.Read(file)
	token := strings.TrimSpace(string(text))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !tokenWorks(ctx, s, token) {
		if token, err = s.makeToken(ctx, node, v1.RoleNode, "the agent of libra up"); err == nil {
			err = os.WriteFile(file, []byte(token+"\n"), 0o600)
		}
	}
	if err != nil {
		return err
	}
	to, err := s.connect(token)
	if err != nil {
		return err
	}
	a := c.Agent
	a.Node = node
	return keepNode(ctx, &a, link.New(to, node), log)
}
