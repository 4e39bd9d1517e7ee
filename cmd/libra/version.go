package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(con *console) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  libra version",
		Args:    positional(),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(con.out, "libra %s\n", buildVersion())
			return err
		},
	}
}

// buildVersion is what the build recorded about itself.
func buildVersion() string {
	version, revision, changed := "(devel)", "", ""
	if about, ok := debug.ReadBuildInfo(); ok {
		if about.Main.Version != "" {
			version = about.Main.Version
		}
		for _, s := range about.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = " " + s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = "+"
			}
		}
	}
	return fmt.Sprintf("%s%s%s %s %s/%s", version, revision, changed, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
