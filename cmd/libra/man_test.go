package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Every command that is shown has a manual page, and the page what its help has.
func TestManualPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	mustLibra(t, "man", dir)
	pages := 0
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		if !cmd.IsAvailableCommand() || cmd.Name() == "help" {
			return
		}
		pages++
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		page, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			return
		}
		text := strings.ReplaceAll(string(page), `\`, "")
		for _, want := range []string{".TH ", ".SH SYNOPSIS", cmd.Short} {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q", name, want)
			}
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	root := newRoot(newConsole(nil, io.Discard, io.Discard))
	for _, c := range root.Commands() {
		visit(c)
	}
	if pages < 40 {
		t.Errorf("only %d pages", pages)
	}
}
