package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan writes manual pages. It is for who installs the program (make install,
// packages): others ask for help where they are.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:     "man directory",
		Short:   "Write a manual page for each command",
		Long:    "Man writes a manual page for each command into a directory, as make install does.",
		Hidden:  true,
		Args:    positional("a directory"),
		Example: `  libra man /usr/local/share/man/man1`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			cmd.Root().DisableAutoGenTag = true // the same pages from the same program
			head := &doc.GenManHeader{Section: "1", Source: "libra " + buildVersion(), Manual: "Libra", Date: &time.Time{}}
			if err := doc.GenManTree(cmd.Root(), head, args[0]); err != nil {
				return fmt.Errorf("manual pages in %s: %w", args[0], err)
			}
			return nil
		},
	}
}
