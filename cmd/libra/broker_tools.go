package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/broker"
	"github.com/libra-market/libra/live/directive"
	"github.com/libra-market/libra/live/store"
)

func newBrokerCheck(con *console) *cobra.Command {
	offline := false
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Say what is wrong with the file of a broker, and who it is at each cluster",
		Long: `Check reads the file of a broker and says what is wrong with it, if anything is. Then it
asks each cluster who the users are there. It exits with 1 if anybody is not known or a
cluster does not answer.`,
		Example: `  libra broker check broker.yaml
  libra broker check --offline broker.yaml`,
		Args: positional("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := broker.ReadConfig(args[0])
			if err != nil {
				return err
			}
			for i := range c.Clusters {
				if _, err := c.Clusters[i].Market(); err != nil {
					return fmt.Errorf("%s: %w", args[0], err)
				}
			}
			printf(con.out, "%s is good: %s, wish %s, listening on %s\n",
				args[0], number(int64(len(c.Clusters)), "cluster"), c.Wish, c.Listen)
			if offline {
				return nil
			}
			return askClusters(cmd.Context(), con.out, &c)
		},
	}
	cmd.Flags().BoolVar(&offline, "offline", false, "ask nobody")
	return cmd
}

// askClusters says who everybody is at each cluster.
func askClusters(ctx context.Context, out io.Writer, c *broker.Config) error {
	g := &grid{left: 4, head: true}
	g.add("cluster", "user here", "user there", "account there")
	bad := 0
	for i := range c.Clusters {
		m, err := c.Clusters[i].Market()
		if err != nil {
			return err
		}
		for _, user := range slices.Sorted(maps.Keys(m.Tokens)) {
			bad += g.askCluster(ctx, &m, user, m.Tokens[user])
		}
		if m.Token != "" {
			bad += g.askCluster(ctx, &m, "everybody else", m.Token)
		}
	}
	if err := g.write(out, ""); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%s of these cannot be used", number(int64(bad), "token"))
	}
	return nil
}

func (g *grid) askCluster(ctx context.Context, m *broker.Market, user, token string) (bad int) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	market, err := client.New(m.URL, token, client.Options{TLS: m.TLS, Plain: m.Plain, Retries: -1, Agent: "libra broker"})
	var who v1.Whoami
	if err == nil {
		defer market.Close()
		who, err = market.Whoami(ctx)
	}
	if err != nil {
		g.add(m.Name, user, clipped(err.Error(), 80), "")
		return 1
	}
	g.add(m.Name, user, fmt.Sprintf("%s (%s)", who.User, who.Role), who.Account)
	return 0
}

func newBrokerToken(con *console) *cobra.Command {
	var o brokerOptions
	role, name, life := "user", "", ""
	cmd := &cobra.Command{
		Use:   "token USER",
		Short: "Make a token for a user of the broker and print its secret, this once",
		Long: `Token makes a token for a user of the broker, in its store: it needs no broker that
runs. What the user is at each cluster, the file of the broker says. With a token of the
role owner the others can be made over the API too: libra token create.`,
		Example: `  libra broker token alice --config broker.yaml > alice.token
  libra broker token root --role owner --store broker.db`,
		Args: positional("USER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, known := range []v1.Role{v1.RoleUser, v1.RoleOwner} {
				if role == string(known) {
					return o.makeToken(cmd.Context(), con, args[0], known, name, life)
				}
			}
			return usagef("--role: %q (want user or owner)", role)
		},
	}
	o.place(cmd)
	f := cmd.Flags()
	f.StringVar(&role, "role", role, "`role`: user, owner")
	f.StringVar(&name, "name", "", "`name` to tell it from others")
	f.StringVar(&life, "ttl", "90d", "how `long` it is good: 12h, 30d")
	completeFlag(cmd, "role", string(v1.RoleUser), string(v1.RoleOwner))
	return cmd
}

func (o *brokerOptions) makeToken(ctx context.Context, con *console, user string, role v1.Role, name, life string) error {
	if user == "" || strings.ContainsAny(user, "/ \t\n") {
		return usagef("%q is no name of a user", user)
	}
	ms, err := directive.Duration(life)
	if err != nil {
		return usagef("--ttl: %w", err)
	}
	st, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	secret, err := addToken(ctx, st, user, role, name, time.Duration(ms)*time.Millisecond)
	if err != nil {
		return err
	}
	printf(con.err, "a token for %s (%s); its secret is shown this once:\n", user, role)
	_, err = printline(con.out, secret)
	return err
}

// open opens the store of a broker that may be running.
func (o *brokerOptions) open(ctx context.Context) (store.Store, error) {
	c := broker.DefaultConfig()
	if o.file != "" {
		var err error
		if c, err = broker.ReadConfig(o.file); err != nil {
			return nil, err
		}
	}
	path, err := o.storeOf(&c)
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, path)
}

func newBrokerClusters(con *console) *cobra.Command {
	var o brokerOptions
	asJSON := false
	cmd := &cobra.Command{
		Use:   "clusters",
		Short: "Show what the broker has seen of each cluster",
		Long: `Clusters shows the record of each cluster in the store of a broker: how often it was
asked, answered in time, was slow, refused, won a job, kept and missed firm promises, and
contradicted itself. After a lie a cluster is left out for ten minutes, twice as long each
time, at most a day; after three quotes running that came too late, for half a minute,
at most five.`,
		Example: `  libra broker clusters --config broker.yaml
  libra broker clusters --config broker.yaml --json`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			st, err := o.open(cmd.Context())
			if err != nil {
				return err
			}
			defer st.Close()
			records, err := broker.Records(cmd.Context(), st)
			if err != nil {
				return err
			}
			if asJSON {
				return con.writeJSON(records)
			}
			return printRecords(con.out, records)
		},
	}
	o.place(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func printRecords(out io.Writer, records []broker.Record) error {
	if len(records) == 0 {
		_, err := printline(out, "no cluster was asked yet")
		return err
	}
	g := &grid{left: 2, head: true}
	g.add("cluster", "now", "asked", "answered", "slow", "away", "refused", "won", "kept", "missed", "lied")
	for i := range records {
		r := &records[i]
		row := []string{r.Cluster, clusterStanding(r)}
		for _, n := range []int64{r.Asked, r.Answered, r.Slow, r.Away, r.Refused, r.Won, r.Kept, r.Missed, r.Lied} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		g.add(row...)
	}
	return g.write(out, "")
}

// clusterStanding says in a few words whether a cluster is asked.
func clusterStanding(r *broker.Record) string {
	switch {
	case r.OutUS > wallClock().UnixMicro():
		return "left out until " + moment(r.OutUS) + ": " + r.OutFor
	case r.AwayUS != 0:
		return "away since " + moment(r.AwayUS)
	default:
		return "there"
	}
}
