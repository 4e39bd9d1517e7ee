package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/plugin"
	"github.com/libra-market/libra/live/slurm/survey"
)

// slurmFlags are those that say where Slurm is.
func slurmFlags(f *pflag.FlagSet, s *config.Slurm) {
	f.StringVar(&s.Partition, "slurm-partition", "libra", "`partition` whose nodes are the market's; several with commas between them, the first is that of jobs that name none")
	f.StringVar(&s.Rest, "slurm-rest", "", "slurmrestd, as `http://host:port` or unix:/path (default: Slurm's commands)")
	f.StringVar(&s.TokenFile, "slurm-token-file", "", "`file` with a JWT of root (default: asked for with scontrol)")
	f.StringVar(&s.Control, "slurm-control", "agents", "who holds jobs to their shares: agents, or none")
	f.StringVar(&s.Conf, "slurm-conf", "", "slurm.conf for Slurm's commands (default: Slurm's own)")
	f.StringVar(&s.DoorKey, "slurm-door-key", "", "`file` with the key of job_submit.lua, where that is installed")
}

// slurmGiven takes over those that were given.
func slurmGiven(f *pflag.FlagSet, s *config.Slurm) {
	for name, to := range map[string]*string{
		"slurm-partition": &s.Partition, "slurm-rest": &s.Rest, "slurm-token-file": &s.TokenFile, "slurm-control": &s.Control,
		"slurm-conf": &s.Conf, "slurm-door-key": &s.DoorKey,
	} {
		if f.Changed(name) {
			*to = f.Lookup(name).Value.String()
		}
	}
}

func newSlurm(con *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "slurm",
		Short: "Prepare a Slurm cluster for a market, and check it",
		RunE:  showHelp,
	}
	cmd.AddCommand(newSlurmCheck(con), newSlurmPlugin(con), newSlurmAssociations(con))
	return cmd
}

// slurmCheckOptions are the flags of libra slurm check.
type slurmCheckOptions struct {
	connection
	json  bool
	file  string
	slurm config.Slurm
}

func newSlurmCheck(con *console) *cobra.Command {
	var o slurmCheckOptions
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Say whether Slurm, the partition and the plugins are as a market needs them",
		Long: `Check asks Slurm how it is set up and says what a market on it would lack, and
what to do about it. Where the market answers already, its nodes are held against
Slurm's: names, processors, GPUs and ratings. It changes nothing. Exit code 1:
something is wrong.`,
		Example: `  libra slurm check --slurm-partition libra --slurm-rest http://127.0.0.1:6820
  libra slurm check --config libra.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runSlurmCheck(cmd, con, &o) },
	}
	cmd.Flags().StringVar(&o.file, "config", "", "read this file first (its part slurm)")
	slurmFlags(cmd.Flags(), &o.slurm)
	o.connection.flags(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "print as JSON")
	completeFlag(cmd, "slurm-control", "agents", "none")
	return cmd
}

func runSlurmCheck(cmd *cobra.Command, con *console, o *slurmCheckOptions) error {
	c := config.Default()
	if o.file != "" {
		var err error
		if c, err = config.Read(o.file); err != nil {
			return err
		}
	}
	c.Backend = config.BackendSlurm
	slurmGiven(cmd.Flags(), &c.Slurm)
	if c.Slurm.Control == "none" && !cmd.Flags().Changed("config") {
		c.Policy = "edf-bf" // what is checked is Slurm, not a policy
	}
	if err := c.Validate(); err != nil {
		return err
	}
	batch, err := client.Open(cmd.Context(), slurmOptions(&c))
	if err != nil {
		return fmt.Errorf("slurm: %w", err)
	}
	found, wrong := survey.Inspect(cmd.Context(), &c.Slurm, batch), 0
	found = append(found, o.compare(cmd.Context(), &c.Slurm, batch)...)
	for _, f := range found {
		if f.Wrong {
			wrong++
		}
		if !o.json {
			printline(con.out, f)
		}
	}
	if o.json {
		if err := con.writeJSON(found); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%s to do before a market can run on partition %s", number(int64(wrong), "thing"), c.Slurm.Partition)
	}
	return nil
}

// compare holds the nodes of the market against Slurm's, if there is a market yet.
func (o *slurmCheckOptions) compare(ctx context.Context, c *config.Slurm, batch client.Slurm) []survey.Finding {
	market, where, err := o.dial(attempts)
	var nodes []v1.NodeView
	if err == nil {
		nodes, err = market.Nodes(ctx)
	}
	if err != nil {
		return []survey.Finding{{Text: fmt.Sprintf("no nodes of a market were looked at: %v", o.inWords(where, err))}}
	}
	slurms, err := batch.Nodes(ctx, c.Partition)
	if err != nil {
		return nil // that was said already
	}
	return survey.Compare(c.Partition, slurms, nodes)
}

func newSlurmPlugin(con *console) *cobra.Command {
	var out string
	var door plugin.DoorSettings
	cmd := &cobra.Command{
		Use:   "plugin --out DIR",
		Short: "Write the plugins that Slurm needs: libra_spank.c and job_submit.lua",
		Long: `Plugin writes the sources of two plugins, and a key:

  libra_spank.c   puts the tasks of a job into the group that the agent made for
                  it, before they begin, and tells srun where they are. Compile it on a node and name it in
                  plugstack.conf.
  job_submit.lua  lets only jobs into the partition that were bought. Put it
                  beside slurm.conf and set JobSubmitPlugins=lua.
  libra-door.key  by which job_submit.lua knows them. Only slurmctld and libra
                  serve (--slurm-door-key) may read it. One that is there stays.`,
		Example: `  libra slurm plugin --out /etc/slurm/libra --partition libra
  gcc -shared -fPIC -o /usr/lib/libra_spank.so /etc/slurm/libra/libra_spank.c`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if out == "" {
				return usagef("--out is missing: where to write the plugins, as in: libra slurm plugin --out /etc/slurm/libra")
			}
			dir, err := filepath.Abs(out)
			if err != nil {
				return err
			}
			if door.KeyFile == "" {
				door.KeyFile = filepath.Join(dir, plugin.KeyFile)
			}
			if err := plugin.Write(dir, door); err != nil {
				if errors.Is(err, plugin.ErrDoorSettings) {
					return &usageError{err}
				}
				return err
			}
			printf(con.out, "%s, %s and %s are in %s\n", plugin.SpankFile, plugin.DoorFile, plugin.KeyFile, dir)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&out, "out", "", "`directory` to write them into")
	f.StringSliceVar(&door.Partitions, "partition", []string{"libra"}, "`partitions` that are the market's")
	f.StringVar(&door.KeyFile, "key-file", "", "the key as slurmctld sees it (default: in the directory)")
	f.BoolVar(&door.Hold, "hold", false, "hold jobs that were not bought, rather than refuse them")
	f.BoolVar(&door.Offer, "offer", false, "hold jobs of plain sbatch until the market has told their price and they take it (slurm.offer in libra.yaml)")
	return cmd
}
