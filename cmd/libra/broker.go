package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/wish"
	"github.com/libra-market/libra/live/broker"
	"github.com/libra-market/libra/live/secrets"
	"github.com/libra-market/libra/live/store"
)

// brokerOptions are the flags of libra broker.
type brokerOptions struct {
	file     string
	clusters []string
	listen   string
	store    string
	wish     string
	limit    time.Duration
	socket   string
	certPath string
	keyPath  string
	token    string
	verbose  bool
}

func newBroker(con *console) *cobra.Command {
	var o brokerOptions
	cmd := &cobra.Command{
		Use:   "broker",
		Short: "Run one market over several clusters",
		Long: `Broker serves the API of a market over the markets of several clusters: submit,
quote, jobs, logs, statement and all the others work against it unchanged.

Every cluster is asked for a binding quote at the same time; the best by the
user's wish is taken, and where that one says no, the next. Wishes are cheapest,
fastest, gain (the cluster that gains most by an imprecise job) and first (the
first of the file that takes it): --wish, or the tags wish:first and so on. The
account USER/CLUSTER names a cluster. A job tagged resubmit may be handed to another cluster when its own
has lost it; no other ever is.

A cluster that is slow, gone or contradicts itself is left out for a while;
libra broker clusters shows the record of each.

Tokens of the broker's users are made with libra broker token; the file says who
they are at each cluster:

  listen: 127.0.0.1:7080
  store: broker.db
  wish: cheapest
  limit: 2s            # how long a cluster may take to quote
  clusters:
    - name: north
      url: https://north.example:7070
      ca: north-ca.pem
      users:
        alice: {token_file: north-alice.token}
    - name: south
      url: http://127.0.0.1:7070
      token_file: south.token   # of everybody who has none of their own`,
		Example: `  # two markets on this machine, in your own name
  libra up --dir /tmp/a --listen 127.0.0.1:7070
  libra up --dir /tmp/b --listen 127.0.0.1:7071
  libra token create --server http://127.0.0.1:7070 > a.token
  libra token create --server http://127.0.0.1:7071 > b.token
  libra broker --cluster a=http://127.0.0.1:7070,a.token --cluster b=http://127.0.0.1:7071,b.token \
      --owner-token-file broker.token
  libra submit --server http://127.0.0.1:7080 --token-file broker.token -e 2m -d 10m -- ./simulate

  # from a file, checked before
  libra broker check broker.yaml && libra broker --config broker.yaml

  # a token for alice
  libra broker token alice --config broker.yaml > alice.token`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBroker(cmd, con, &o) },
	}
	f := cmd.Flags()
	o.place(cmd)
	f.StringArrayVar(&o.clusters, "cluster", nil, "`NAME=URL,FILE`: a cluster, and the file of your token there; may be repeated")
	f.StringVar(&o.listen, "listen", "", "`address` of the API (default 127.0.0.1:7080)")
	f.StringVar(&o.socket, "socket", "", "`path` of the socket for programs on this machine, or none (default: at the usual place; with TLS, none)")
	f.StringVar(&o.wish, "wish", "", "`what` matters to those who do not say: cheapest, fastest, gain, first (default cheapest)")
	f.DurationVar(&o.limit, "limit", 0, "how `long` a cluster may take to quote (default 2s)")
	f.StringVar(&o.certPath, "tls-cert", "", "certificate of the server")
	f.StringVar(&o.keyPath, "tls-key", "", "its key")
	f.StringVar(&o.token, "owner-token-file", "", "write a new token of the owner into this file, if it does not exist")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log every request")
	completeFlag(cmd, "wish", "cheapest", "fastest", "gain", "first")
	cmd.AddCommand(newBrokerCheck(con), newBrokerToken(con), newBrokerClusters(con))
	return cmd
}

// place adds the flags that say where a broker is.
func (o *brokerOptions) place(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.file, "config", "", "read this `file` first")
	f.StringVar(&o.store, "store", "", "sqlite `file`, or postgres://... (default broker.db in the state directory)")
}

// configure is the file, with the flags that were given over it.
func (o *brokerOptions) configure(cmd *cobra.Command) (broker.Config, error) {
	c := broker.DefaultConfig()
	if o.file != "" {
		var err error
		if c, err = broker.ReadConfig(o.file); err != nil {
			return c, err
		}
	}
	me, err := userName()
	if err != nil {
		return c, err
	}
	for _, text := range o.clusters {
		one, bad := parseCluster(text, me)
		if bad != nil {
			return c, bad
		}
		c.Clusters = append(c.Clusters, one)
	}
	for to, given := range map[*string]string{&c.Listen: o.listen, &c.Socket: o.socket, &c.TLS.Cert: o.certPath, &c.TLS.Key: o.keyPath} {
		if given != "" {
			*to = given
		}
	}
	if o.wish != "" {
		c.Wish = wish.Wish(o.wish)
	}
	if cmd.Flags().Changed("limit") {
		c.Limit = broker.Duration(o.limit)
	}
	if len(c.Clusters) == 0 {
		return c, usagef("there is no cluster: give --config, or --cluster NAME=URL,FILE")
	}
	if c.Store, err = o.storeOf(&c); err != nil {
		return c, err
	}
	return c, c.Validate()
}

// storeOf is where the broker keeps what it must remember.
func (o *brokerOptions) storeOf(c *broker.Config) (string, error) {
	switch {
	case o.store != "":
		return o.store, nil
	case c.Store != "":
		return c.Store, nil
	}
	dir, err := stateDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "broker.db"), os.MkdirAll(dir, 0o700)
}

// parseCluster reads NAME=URL,FILE: a cluster at which somebody has the token of
// a file.
func parseCluster(text, user string) (broker.Cluster, error) {
	name, rest, named := strings.Cut(text, "=")
	comma := strings.LastIndexByte(rest, ',')
	if !named || comma <= 0 || comma == len(rest)-1 {
		return broker.Cluster{}, usagef("--cluster: %q (want NAME=URL,FILE with the file of your token there)", text)
	}
	return broker.Cluster{Name: name, URL: rest[:comma], Users: map[string]broker.User{user: {TokenFile: rest[comma+1:]}}}, nil
}

func runBroker(cmd *cobra.Command, con *console, o *brokerOptions) error {
	ctx := cmd.Context()
	c, err := o.configure(cmd)
	if err != nil {
		return err
	}
	log := newLog(con, o.verbose)
	k := &brokerKeeper{config: &c, log: log, doors: newDoors(log), say: func(text string) { printline(con.err, text) }}
	k.opened = func(ctx context.Context, s *brokerService) error { return o.serve(ctx, con, s, &c) }
	return k.keep(ctx)
}

// serve says what there is to say when the broker has been opened.
func (o *brokerOptions) serve(ctx context.Context, con *console, s *brokerService, c *broker.Config) error {
	if err := o.ownerToken(ctx, con, s); err != nil {
		return err
	}
	names := make([]string, len(c.Clusters))
	for i := range c.Clusters {
		names[i] = c.Clusters[i].Name
	}
	printf(con.err, "serving %s at %s, store %s\n", strings.Join(names, ", "), s.url(), store.Redact(c.Store))
	return nil
}

// ownerToken makes the first token of an owner.
func (o *brokerOptions) ownerToken(ctx context.Context, con *console, s *brokerService) error {
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
	token, err := addToken(ctx, s.store, user, v1.RoleOwner, "made by libra broker", 0)
	if err != nil {
		return err
	}
	if err := os.WriteFile(o.token, []byte(token+"\n"), 0o600); err != nil {
		return err
	}
	printf(con.err, "a token for %s, role owner, is in %s\n", user, o.token)
	return nil
}
