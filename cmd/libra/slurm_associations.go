package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/slurm/association"
	batch "github.com/libra-market/libra/live/slurm/client"
)

// associationOptions are the flags of libra slurm associations.
type associationOptions struct {
	liveOptions
	file, under, cluster, from string
	dry                        bool
	slurm                      config.Slurm
}

func newSlurmAssociations(con *console) *cobra.Command {
	var o associationOptions
	cmd := &cobra.Command{
		Use:   "associations",
		Short: "Open accounts for those that Slurm has, and bind their users",
		Long: `Associations compares the accounts of the market with those that sacctmgr shows: each
account of Slurm's is one of the market's below --under, as deep as it is there, and its
users are bound to it; the one that is a user's default in Slurm pays for them. Who is not
in an account any more is unbound from it. All below --under is Slurm's; other accounts
stay as they are, and so does a user's own that pays.

No money is moved and no account closed, and what is under way goes on: who is unbound
hands nothing in any more. Done twice, the second time there is nothing to do. For the
owner of the cluster. A market does it by itself, every minute, where libra.yaml says

  slurm:
    associations: slurm

--from reads what sacctmgr has said, where it is on another machine:
  sacctmgr --parsable2 show associations format=` + association.Fields + `
  sacctmgr --parsable2 show user withassoc format=` + association.DefaultFields,
		Example: `  libra slurm associations --dry-run
  libra slurm associations --under slurm
  libra slurm associations --cluster north --from associations.txt`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runAssociations(cmd, con, &o) },
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.dry, "dry-run", false, "say what would be done, and do nothing")
	f.StringVar(&o.under, "under", "slurm", "`path` of the account that Slurm's are below")
	f.StringVar(&o.cluster, "cluster", "", "`name` of the cluster in Slurm's accounting (default: that of slurm.conf)")
	f.StringVar(&o.from, "from", "", "`file` with what sacctmgr has said, or - (default: it is asked)")
	f.StringVar(&o.file, "config", "", "read this file first (its part slurm)")
	f.StringVar(&o.slurm.Partition, "slurm-partition", "libra", "`partition` whose nodes are the market's")
	f.StringVar(&o.slurm.Conf, "slurm-conf", "", "slurm.conf for Slurm's commands (default: Slurm's own)")
	return cmd
}

// associationAnswer is what the command says to programs.
type associationAnswer struct {
	Cluster string `json:"cluster"`
	Under   string `json:"under"`
	association.Step
}

func runAssociations(cmd *cobra.Command, con *console, o *associationOptions) error {
	c := config.Default()
	if o.file != "" {
		var err error
		if c, err = config.Read(o.file); err != nil {
			return err
		}
		if c.Slurm.Associations != "" && !cmd.Flags().Changed("under") {
			o.under = c.Slurm.Associations
		}
	}
	if f := cmd.Flags(); f.Changed("slurm-partition") {
		c.Slurm.Partition = o.slurm.Partition
	}
	if f := cmd.Flags(); f.Changed("slurm-conf") {
		c.Slurm.Conf = o.slurm.Conf
	}
	if err := ledger.CheckPath(market.Account(o.under)); err != nil {
		return usagef("--under: %w", err)
	}
	if o.from != "" && o.cluster == "" {
		return usagef("--cluster is missing: which of the clusters in %s is the market's", o.from)
	}
	tree, err := o.tree(cmd.Context(), con, &c)
	if err != nil {
		return err
	}
	return o.ask(cmd.Context(), con, func(ctx context.Context, to *client.Client) error {
		// What users see of accounts is a part, and a comparison with a part is wrong.
		if who, err := to.Whoami(ctx); err != nil {
			return err
		} else if who.Role != v1.RoleOwner {
			return fmt.Errorf("you are %s here, and only the owner of the cluster may say who is bound to which account", who.User)
		}
		plan, err := association.Compare(ctx, to, tree, o.under, c.Slurm.Partition)
		if err != nil {
			return err
		}
		step := association.Step{Plan: plan, Made: []association.Change{}}
		if !o.dry {
			step, err = association.Make(ctx, to, plan)
		}
		if bad := o.show(con, &associationAnswer{Cluster: tree.Cluster, Under: o.under, Step: step}); bad != nil {
			return bad
		}
		return err
	})
}

// tree is what Slurm has, as it says or has said.
func (o *associationOptions) tree(ctx context.Context, con *console, c *config.Config) (*association.Tree, error) {
	if o.from == "" {
		return batch.Associations(ctx, slurmOptions(c), o.cluster)
	}
	text, err := readWhole(con, o.from)
	if err != nil {
		return nil, err
	}
	tree, err := association.Read(o.cluster, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.from, err)
	}
	return tree, nil
}

func readWhole(con *console, path string) (string, error) {
	if path == "-" {
		text, err := io.ReadAll(con.in)
		return string(text), err
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

func (o *associationOptions) show(con *console, a *associationAnswer) error {
	if o.json {
		return con.writeJSON(a)
	}
	for _, note := range a.Notes {
		con.warn("%s", note)
	}
	list, all := a.Made, ""
	if o.dry {
		list, all = a.Changes, " to make"
	}
	for _, c := range list {
		printline(con.out, c)
	}
	if len(a.Changes) == 0 {
		_, err := printf(con.out, "accounts below %s are as cluster %s of Slurm has them\n", a.Under, a.Cluster)
		return err
	}
	_, err := printf(con.out, "%s%s\n", number(int64(len(list)), "change"), all)
	return err
}
