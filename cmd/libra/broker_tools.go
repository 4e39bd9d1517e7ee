package main

import (
	"context"
	"io"
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

func newBrokerToken(con *console) *cobra.Command {
	var o brokerOptions
	var opts liveOptions
	var want v1.TokenRequest
	role, life := "user", ""
	cmd := &cobra.Command{
		Use:   "token USER",
		Short: "Make a token for a user of the broker and print its secret, this once",
		Long: `Token makes a token for a user of the broker, in its store: it needs no broker that
runs. What the user is at each cluster, the file of the broker says. With --server and the
token of an owner a broker that runs makes it, as with libra token create.`,
		Example: `  libra broker token alice --config broker.yaml > alice.token
  libra broker token alice --server https://broker.example:7080 --token-file broker.token > alice.token
  libra broker token root --role owner --store broker.db`,
		Args: positional("USER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, known := range []v1.Role{v1.RoleUser, v1.RoleOwner} {
				if role == string(known) {
					want.User, want.Role = args[0], known
					return o.makeToken(cmd, con, &opts, want, life)
				}
			}
			return usagef("--role: %q (want user or owner)", role)
		},
	}
	o.place(cmd)
	opts.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&role, "role", role, "`role`: user, owner")
	f.StringVar(&want.Name, "name", "", "`name` to tell it from others")
	f.BoolVar(&want.SystemUser, "system-user", false, "with --server: the user is root, or another user of the system, and is meant to be")
	f.StringVar(&life, "ttl", "90d", "how `long` it is good: 12h, 30d")
	completeFlag(cmd, "role", string(v1.RoleUser), string(v1.RoleOwner))
	return cmd
}

func (o *brokerOptions) makeToken(cmd *cobra.Command, con *console, opts *liveOptions, want v1.TokenRequest, life string) error {
	if want.User == "" || strings.ContainsAny(want.User, "/ \t\n") {
		return usagef("%q is no name of a user", want.User)
	}
	ms, err := directive.Duration(life)
	if err != nil {
		return usagef("--ttl: %w", err)
	}
	want.TTLMS = ms
	var secret string
	if cmd.Flags().Changed("server") {
		err = opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
			t, no := market.MakeToken(ctx, want)
			secret = t.Secret
			return no
		})
	} else {
		secret, err = o.writeToken(cmd.Context(), want)
	}
	if err != nil {
		return err
	}
	if opts.json {
		return con.writeJSON(v1.NewToken{Token: v1.Token{User: want.User, Role: want.Role, Name: want.Name}, Secret: secret})
	}
	printf(con.err, "a token for %s (%s); its secret is shown this once:\n", want.User, want.Role)
	_, err = printline(con.out, secret)
	return err
}

// writeToken puts a token into the store of a broker.
func (o *brokerOptions) writeToken(ctx context.Context, want v1.TokenRequest) (secret string, err error) {
	st, err := o.open(ctx)
	if err != nil {
		return "", err
	}
	defer st.Close()
	return addToken(ctx, st, want.User, want.Role, want.Name, time.Duration(want.TTLMS)*time.Millisecond)
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
	var opts liveOptions
	cmd := &cobra.Command{
		Use:   "clusters",
		Short: "Show what the broker has seen of each cluster",
		Long: `Clusters shows the record of each cluster in the store of a broker: how often it was
asked, answered in time, was slow, refused, won a job, kept and missed firm promises, and
contradicted itself. After a lie a cluster is left out for ten minutes, twice as long each
time, at most a day; after three quotes running that came too late, for half a minute,
at most five.

With --server a broker that runs is asked, as its owner; otherwise it is read from the
store.`,
		Example: `  libra broker clusters --config broker.yaml
  libra broker clusters --server http://127.0.0.1:7080 --token-file broker.token
  libra broker clusters --config broker.yaml --json`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			records, err := o.records(cmd, con, &opts)
			if err != nil {
				return err
			}
			if opts.json {
				return con.writeJSON(records)
			}
			return printRecords(con.out, records)
		},
	}
	o.place(cmd)
	opts.flags(cmd)
	return cmd
}

// records asks a broker that runs, or reads its store.
func (o *brokerOptions) records(cmd *cobra.Command, con *console, opts *liveOptions) (all []v1.ClusterRecord, err error) {
	if cmd.Flags().Changed("server") {
		err = opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
			list, no := market.Clusters(ctx)
			all = list.Clusters
			return no
		})
		return all, err
	}
	st, err := o.open(cmd.Context())
	if err != nil {
		return nil, err
	}
	defer st.Close()
	kept, err := broker.Records(cmd.Context(), st)
	for i := range kept {
		all = append(all, v1.ClusterRecord(kept[i]))
	}
	return all, err
}

func printRecords(out io.Writer, records []v1.ClusterRecord) error {
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

// clusterThere is said of a cluster that is asked.
const clusterThere = "there"

// clusterStanding says in a few words whether a cluster is asked.
func clusterStanding(r *v1.ClusterRecord) string {
	switch {
	case r.OutUS > wallClock().UnixMicro():
		return "left out until " + moment(r.OutUS) + ": " + r.OutFor
	case r.AwayUS != 0:
		return "away since " + moment(r.AwayUS)
	default:
		return clusterThere
	}
}
