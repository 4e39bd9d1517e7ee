package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/passwd"
	"github.com/libra-market/libra/live/secrets"
	"github.com/libra-market/libra/live/store"
)

type serveOptions struct {
	file       string
	listen     string
	socket     string
	store      string
	policy     string
	set        []string
	verbose    bool
	certPath   string
	keyPath    string
	clientCA   string
	lease      time.Duration
	token      string
	slurm      config.Slurm
	backend    string
	rate       string
	partitions []string
	limits     []string
}

func newServe(con *console) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the controller: the market, its store and its API",
		Long: `Serve runs the controller of a cluster: it quotes, admits, prices and bills,
and agents on the nodes come to it for what they should run.

Everything is in the store (SQLite by default, PostgreSQL for several
controllers of which one leads). Killed at any moment, it goes on where it was.
Without TLS it listens on this machine alone.

With --backend slurm, Slurm runs the jobs: as their users, on the nodes that the
market has sold, held to their shares by agents that do nothing else (libra agent
--control slurm). Without them (--slurm-control none) only policies that give whole
processors can be used.

The policy, its settings and the rates can be changed when the market starts anew: that
begins a new epoch, which is recorded in the log. What neither the file nor flags name
stays as the market has it; --set changes a few settings, those of a file are all. Between policies that share processors in different
ways there must be no job under way.`,
		Example: `  # a market on this machine, in the current directory
  libra serve --store market.db --owner-token-file owner.token

  # from a file, checked before
  libra config check libra.yaml && libra serve --config libra.yaml

  # on the network, with certificates, on PostgreSQL
  libra serve --listen 0.0.0.0:7070 --tls-cert server.pem --tls-key server.key \
      --client-ca ca.pem --store postgres://libra@db/libra

  # a priced partition of a Slurm cluster (libra slurm check says what it lacks)
  libra serve --backend slurm --slurm-partition libra --slurm-rest http://127.0.0.1:6820`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runServe(cmd, con, &o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.file, "config", "", "read this file first")
	f.StringVar(&o.listen, "listen", "", "address of the API (default 127.0.0.1:7070)")
	f.StringVar(&o.socket, "socket", "", "path of the socket for programs on this machine, or none (default: at the usual place; with TLS, none)")
	f.StringVar(&o.store, "store", "", "sqlite file, or postgres://... (default libra.db in the state directory)")
	f.StringVar(&o.policy, "policy", "", "policy of the market (libra policies lists them)")
	completeFlag(cmd, "policy", policyNames()...)
	f.StringArrayVar(&o.set, "set", nil, "name=value: a setting of the policy; may be repeated")
	f.StringVar(&o.certPath, "tls-cert", "", "certificate of the server")
	f.StringVar(&o.keyPath, "tls-key", "", "its key")
	f.StringVar(&o.clientCA, "client-ca", "", "authority that signs the certificates of agents")
	f.DurationVar(&o.lease, "lease", 0, "how long agents go on without the controller")
	f.StringVar(&o.token, "owner-token-file", "", "write a new token of the owner into this file, if it does not exist")
	limitFlag(f, &o.limits)
	f.StringVar(&o.backend, "backend", config.BackendAgents, "what runs the jobs: agents, or slurm")
	rateFlag(f, &o.rate, "")
	partitionFlag(f, &o.partitions)
	slurmFlags(f, &o.slurm)
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log every request")
	completeFlag(cmd, "backend", config.BackendAgents, config.BackendSlurm)
	completeFlag(cmd, "slurm-control", "agents", "none")
	return cmd
}

// configure is the file, with the flags that were given over it.
func (o *serveOptions) configure(cmd *cobra.Command) (config.Config, error) {
	c := config.Default()
	if o.file != "" {
		var err error
		if c, err = config.Read(o.file); err != nil {
			return c, err
		}
	}
	f := cmd.Flags()
	for name, to := range map[string]*string{
		"listen": &c.Listen, "store": &c.Store, "policy": &c.Policy, "tls-cert": &c.TLS.Cert, "tls-key": &c.TLS.Key, "client-ca": &c.TLS.ClientCA,
		"backend": &c.Backend, "socket": &c.Socket,
	} {
		if f.Changed(name) {
			*to = f.Lookup(name).Value.String()
		}
	}
	slurmGiven(f, &c.Slurm)
	if err := firstOf(rateGiven(o.rate, &c), partitionsGiven(o.partitions, &c)); err != nil {
		return c, err
	}
	if err := setLimits(&c, o.limits); err != nil {
		return c, err
	}
	if f.Changed("lease") {
		c.Lease = config.Duration(o.lease)
	}
	set, err := policySettings(o.set)
	if err != nil {
		return c, err
	}
	c.Given.Policy = c.Given.Policy || f.Changed("policy")
	if len(set) > 0 {
		c.Settings, c.Given.Settings = set, false // a few, over those that there are
	} else if f.Changed("policy") && o.file != "" {
		c.Settings, c.Given.Settings = nil, false // those of the file are another policy's
	}
	if c.Store == "" {
		dir, err := stateDir()
		if err != nil {
			return c, err
		}
		c.Store = filepath.Join(dir, "libra.db")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return c, err
		}
	}
	return c, c.Validate()
}

func runServe(cmd *cobra.Command, con *console, o *serveOptions) error {
	ctx := cmd.Context()
	c, err := o.configure(cmd)
	if err != nil {
		return err
	}
	for _, w := range c.Warnings() {
		con.warn("%s: %s", o.file, w)
	}
	log := newLog(con, o.verbose)
	k := &keeper{config: &c, log: log, doors: newDoors(log), token: o.token, say: func(text string) { printline(con.err, text) }}
	k.opened = func(ctx context.Context, s *service, first bool) error {
		// What the owner has set since this program was started stays.
		if first {
			if bad := s.adoptIfPossible(ctx, con, &c); bad != nil {
				return bad
			}
		}
		return o.serve(ctx, con, s, &c)
	}
	return k.keep(ctx)
}

// serve says what there is to say and to set when the market has been opened.
func (o *serveOptions) serve(ctx context.Context, con *console, s *service, c *config.Config) error {
	if err := o.ownerToken(ctx, con, s); err != nil {
		return err
	}
	for _, found := range s.findings {
		printline(con.err, found)
	}
	printf(con.err, "serving the market at %s, store %s\n", s.url(), store.Redact(c.Store))
	return nil
}

// ownerToken makes the first token of an owner: without one nobody could make
// any other.
func (o *serveOptions) ownerToken(ctx context.Context, con *console, s *service) error {
	if o.token == "" {
		return nil
	}
	if err := secrets.Check(o.token); !errors.Is(err, fs.ErrNotExist) {
		return err // it is there, and good; or it is not
	}
	user, err := userName()
	if err != nil {
		return err
	}
	token, err := s.makeToken(ctx, user, v1.RoleOwner, "made by libra serve")
	if err != nil {
		return err
	}
	if err := os.WriteFile(o.token, []byte(token+"\n"), 0o600); err != nil {
		return errors.Join(err, os.Remove(o.token)) // half of one would be taken for good
	}
	printf(con.err, "a token for %s, role owner, is in %s\n", user, o.token)
	if passwd.IsSystem(user) {
		printf(con.err, "%s is a user of the system: the token governs the market, and agents run no jobs as %[1]s unless they are told to (libra agent --system-users %[1]s)\n", user)
	}
	return nil
}

// policySettings reads settings of the policy.
func policySettings(texts []string) (map[string]string, error) {
	settings, err := parseSettings(texts)
	if err != nil {
		return nil, err
	}
	set := map[string]string{}
	for _, s := range settings {
		set[s.Name] = s.Value
	}
	return set, nil
}

// newLog writes what the daemon has to say to standard error: warnings, and
// with verbose everything.
func newLog(con *console, verbose bool) *slog.Logger {
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(con.err, &slog.HandlerOptions{Level: level}))
}

// firstOf is the first of several errors.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
