package main

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

func newVersion(con *console) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit it was built from and its date",
		Example: `  libra version
  libra version --json`,
		Args: positional(),
		RunE: func(*cobra.Command, []string) error {
			b := readBuild()
			if asJSON {
				return con.writeJSON(b)
			}
			_, err := printf(con.out, "libra %s\n", b)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// build is what the build recorded about itself, as --json prints it. The go
// command stamps it from the repository; no flags are needed.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"` // of the commit
	Modified bool   `json:"modified"`       // there were changes after the commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func readBuild() build {
	about, ok := debug.ReadBuildInfo()
	if !ok {
		about = &debug.BuildInfo{}
	}
	return buildOf(about)
}

func buildOf(about *debug.BuildInfo) build {
	b := build{
		Version: cmp.Or(about.Main.Version, "(devel)"), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	for _, s := range about.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// String is the build in one line, for people: the version, then the commit,
// with a plus where there were changes after it, and its date.
func (b build) String() string {
	parts := []string{b.Version}
	if b.Commit != "" {
		commit := b.Commit[:min(12, len(b.Commit))]
		if b.Modified {
			commit += "+"
		}
		parts = append(parts, commit)
	}
	if b.Date != "" {
		parts = append(parts, b.Date)
	}
	return strings.Join(append(parts, b.Go, b.Platform), " ")
}

// buildVersion is the build as reports name it.
func buildVersion() string { return readBuild().String() }
