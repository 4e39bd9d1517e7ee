package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Where commands speak to another market than the one of the usual store, that store is
// neither read nor filled unless somebody says so.
func TestTheUsualStoreIsNotAnothers(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, err := stateDir()
	if err != nil {
		t.Fatal(err)
	}
	usual, elsewhere := filepath.Join(dir, "libra.db"), filepath.Join(t.TempDir(), "libra.db")
	backup := filepath.Join(t.TempDir(), "monday.backup")
	for _, c := range []struct {
		name, env string
		kept      marketContext
		says      string // "": it goes on with the usual one, which is not there
		site      string
	}{
		{"nothing is named", "", marketContext{}, "", ""},
		{"libra up runs on it", "", marketContext{Server: "http://127.0.0.1:7070", Store: usual}, "", ""},
		{"the environment names it", "127.0.0.1:7070/", marketContext{Server: "http://127.0.0.1:7070", Store: usual}, "", ""},
		{"the environment names the usual one", "http://127.0.0.1:7070", marketContext{}, "", ""},
		{"the environment names another", "https://market.example:7070", marketContext{}, "$LIBRA_SERVER names the market at https://market.example:7070", ""},
		{"another of this machine", "127.0.0.1:7171", marketContext{Server: "http://127.0.0.1:7070", Store: usual}, "$LIBRA_SERVER names the market at 127.0.0.1:7171", ""},
		{"the context is of another", "", marketContext{Server: "https://market.example:7070"}, "Your commands speak to the market at https://market.example:7070", ""},
		{"libra up runs on another", "", marketContext{Server: "http://127.0.0.1:7171", Store: elsewhere}, "say --store " + elsewhere, ""},
		{"the site names another", "", marketContext{}, "names the market at https://site.example:7070", "server: https://site.example:7070"},
		{"the site names another, and libra up runs here", "", marketContext{Server: "http://127.0.0.1:7070", Store: usual}, "", "server: https://site.example:7070"},
	} {
		t.Run(c.name, func(t *testing.T) {
			noContext(t)
			t.Setenv("LIBRA_SERVER", c.env)
			before := siteFile
			siteFile = file(t, "site.yaml", c.site)
			t.Cleanup(func() { siteFile = before })
			if c.kept.Server != "" {
				if err := writeContext(c.kept); err != nil {
					t.Fatal(err)
				}
			}
			for _, command := range [][]string{{"backup", backup}, {"restore", "--put-back"}, {"restore", backup}} {
				r := libra(t, command...)
				if c.says == "" && strings.Contains(r.err, "which store?") || c.says != "" && (r.code != exitUsage || !strings.Contains(r.err, c.says)) {
					t.Errorf("%v: %+v", command, r)
				}
			}
			if _, err := (&storeOptions{store: elsewhere}).address(); err != nil {
				t.Errorf("who names one is refused: %v", err)
			}
		})
	}
}
