package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// What a program can run it can read: only what serves, and what writes files in forms of
// their own, has no --json. README says so.
func TestWhatHasNoJSON(t *testing.T) {
	var none []string
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, below := range cmd.Commands() {
			visit(below)
		}
		// Subcommands have the persistent flags of those above them.
		if cmd.Runnable() && cmd.HasParent() && cmd.Flag("json") == nil && cmd.InheritedFlags().Lookup("json") == nil {
			none = append(none, strings.TrimPrefix(cmd.CommandPath(), "libra "))
		}
	}
	visit(newRoot(newConsole(strings.NewReader(""), io.Discard, io.Discard)))
	none = slices.DeleteFunc(none, func(name string) bool { // some show their help, or write for a shell
		return slices.Contains([]string{"config", "revenue", "slurm", "trace", "help"}, name) || strings.HasPrefix(name, "completion")
	})
	slices.Sort(none)
	want := []string{"agent", "broker", "man", "serve", "simulate-grid generate", "slurm plugin", "trace convert", "trace generate", "up"}
	if !slices.Equal(none, want) {
		t.Errorf("got  %q\nwant %q", none, want)
	}
}
