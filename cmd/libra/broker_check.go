package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/broker"
)

func newBrokerCheck(con *console) *cobra.Command {
	var opts liveOptions
	offline := false
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Say all that is wrong with the file of a broker, and who it is at each cluster",
		Long: `Check reads the file of a broker and says all that is wrong with it, each mistake with
its line and the setting that it is about. Then it asks each cluster who the users are
there. It exits with 1 if anybody is not known or a cluster does not answer.

With --server it asks a broker that runs, as its owner, whether its clusters are there,
and those of the file among them, if one is given. It exits with 1 if one is away, left
out or missing.`,
		Example: `  libra broker check broker.yaml
  libra broker check --offline broker.yaml
  libra broker check --server http://127.0.0.1:7080 --token-file broker.token`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			asked := cmd.Flags().Changed("server")
			if len(args) == 0 && !asked {
				return usagef("FILE is missing, or --server")
			}
			var c broker.Config
			if len(args) > 0 {
				var err error
				if c, err = goodBroker(args[0]); err != nil {
					return err
				}
				if !opts.json {
					printf(con.out, "%s is good: %s, wish %s, listening on %s\n",
						args[0], number(int64(len(c.Clusters)), "cluster"), c.Wish, c.Listen)
				}
			}
			switch {
			case offline:
				return nil
			case asked:
				return askBroker(cmd.Context(), con, &opts, &c)
			default:
				return askClusters(cmd.Context(), con, opts.json, &c)
			}
		},
	}
	opts.flags(cmd)
	cmd.Flags().BoolVar(&offline, "offline", false, "ask nobody")
	return cmd
}

// goodBroker reads the file of a broker and all files that it names.
func goodBroker(path string) (broker.Config, error) {
	c, err := broker.ReadConfig(path)
	if err != nil {
		return c, err
	}
	var wrong []error
	for i := range c.Clusters {
		if _, err := c.Clusters[i].Market(); err != nil {
			wrong = append(wrong, each(path, err)...)
		}
	}
	return c, errors.Join(wrong...)
}

// each is the mistakes that an error is made of, with the file that they are in.
func each(path string, err error) (all []error) {
	if several, is := err.(interface{ Unwrap() []error }); is {
		for _, one := range several.Unwrap() {
			all = append(all, fmt.Errorf("%s: %w", path, one))
		}
		return all
	}
	return []error{fmt.Errorf("%s: %w", path, err)}
}

// guest is somebody at a cluster.
type guest struct {
	Cluster string `json:"cluster"`
	Here    string `json:"user"` // "": everybody else
	There   string `json:"user_there,omitempty"`
	Role    string `json:"role,omitempty"`
	Account string `json:"account,omitempty"`
	Wrong   string `json:"error,omitempty"`
}

// askClusters says who everybody is at each cluster.
func askClusters(ctx context.Context, con *console, asJSON bool, c *broker.Config) error {
	all, bad := []guest{}, 0
	for i := range c.Clusters {
		m, err := c.Clusters[i].Market()
		if err != nil {
			return err
		}
		for _, user := range slices.Sorted(maps.Keys(m.Tokens)) {
			all = append(all, askCluster(ctx, &m, user, m.Tokens[user]))
		}
		if m.Token != "" {
			all = append(all, askCluster(ctx, &m, "", m.Token))
		}
	}
	g := &grid{left: 4, head: true}
	g.add("cluster", "user here", "user there", "account there")
	for _, k := range all {
		here := k.Here
		if here == "" {
			here = "everybody else"
		}
		if k.Wrong != "" {
			bad++
			g.add(k.Cluster, here, clipped(k.Wrong, 80), "")
			continue
		}
		g.add(k.Cluster, here, fmt.Sprintf("%s (%s)", k.There, k.Role), k.Account)
	}
	var err error
	if asJSON {
		err = con.writeJSON(all)
	} else {
		err = g.write(con.out, "")
	}
	if err == nil && bad > 0 {
		err = fmt.Errorf("%s of these cannot be used", number(int64(bad), "token"))
	}
	return err
}

func askCluster(ctx context.Context, m *broker.Market, user, token string) guest {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	k := guest{Cluster: m.Name, Here: user}
	market, err := client.New(m.URL, token, client.Options{TLS: m.TLS, Plain: m.Plain, Retries: -1, Agent: "libra broker"})
	var who v1.Whoami
	if err == nil {
		defer market.Close()
		who, err = market.Whoami(ctx)
	}
	if err != nil {
		k.Wrong = err.Error()
		return k
	}
	k.There, k.Role, k.Account = who.User, string(who.Role), who.Account
	return k
}

// askBroker says whether the clusters of a broker that runs are there, and those of its
// file among them.
func askBroker(ctx context.Context, con *console, opts *liveOptions, c *broker.Config) error {
	return opts.ask(ctx, con, func(ctx context.Context, market *client.Client) error {
		list, err := market.Clusters(ctx)
		if err != nil {
			return err
		}
		if opts.json {
			err = con.writeJSON(list.Clusters)
		} else {
			err = printRecords(con.out, list.Clusters)
		}
		if err != nil {
			return err
		}
		var wrong []error
		served := map[string]bool{}
		for i := range list.Clusters {
			r := &list.Clusters[i]
			served[r.Cluster] = true
			if now := clusterStanding(r); now != clusterThere {
				wrong = append(wrong, fmt.Errorf("cluster %s is %s", r.Cluster, now))
			}
		}
		for i := range c.Clusters {
			if name := c.Clusters[i].Name; !served[name] {
				wrong = append(wrong, fmt.Errorf("cluster %s is in the file, and the broker does not have it", name))
			}
		}
		return errors.Join(wrong...)
	})
}
