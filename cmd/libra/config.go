package main

import (
	"github.com/spf13/cobra"

	"github.com/libra-market/libra/live/config"
)

func newConfig(con *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check the file that configures a controller and its agents",
		RunE:  showHelp,
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "check FILE",
		Short: "Say what is wrong with a file, if anything is",
		Long: `Say all that is wrong with a file, each mistake with its line and the setting that it
is about; or that the file is good.`,
		Example: "  libra config check libra.yaml",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := config.Read(args[0])
			if err != nil {
				return err
			}
			for _, w := range c.Warnings() {
				con.warn("%s: %s", args[0], w)
			}
			printf(con.out, "%s is good: policy %s, listening on %s\n", args[0], c.Policy, c.Listen)
			return nil
		},
	})
	return cmd
}
