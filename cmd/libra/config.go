package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/live/config"
)

func newConfig(con *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check the file that configures a controller and its agents",
		RunE:  showHelp,
	}
	cmd.AddCommand(newConfigCheck(con))
	return cmd
}

func newConfigCheck(con *console) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Say what is wrong with a file, if anything is",
		Long: `Say all that is wrong with a file, each mistake with its line and the setting that it
is about; or that the file is good.`,
		Example: `  libra config check libra.yaml
  libra config check --json libra.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := config.Read(args[0])
			var warnings []string
			if err == nil {
				warnings = c.Warnings()
			}
			if asJSON {
				return errors.Join(con.writeJSON(checkedFile(args[0], err, warnings)), err)
			}
			if err != nil {
				return err
			}
			for _, w := range warnings {
				con.warn("%s: %s", args[0], w)
			}
			printf(con.out, "%s is good: policy %s, listening on %s\n", args[0], c.Policy, c.Listen)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// checked is what there is to say of a file, for programs.
type checked struct {
	File     string   `json:"file"`
	Good     bool     `json:"good"`
	Mistakes []string `json:"mistakes"`
	Warnings []string `json:"warnings"`
}

func checkedFile(path string, wrong error, warnings []string) checked {
	c := checked{File: path, Good: wrong == nil, Mistakes: []string{}, Warnings: append([]string{}, warnings...)}
	if wrong != nil {
		for line := range strings.SplitSeq(inLines(wrong), "\n") {
			c.Mistakes = append(c.Mistakes, strings.TrimPrefix(line, path+": "))
		}
	}
	return c
}
