package client

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Of one slurmctld it is known when it was started; of two, not when one took over.
func TestWhenSlurmctldBegan(t *testing.T) {
	for hosts, want := range map[string]int64{
		"SlurmctldHost[0]        = head\n":                                            1794907745,
		"SlurmctldHost[0]        = head\nSlurmctldHost[1]        = other(10.0.0.2)\n": 0,
	} {
		dir := t.TempDir()
		script := "#!/bin/sh\ncat <<'E'\nConfiguration data as of 1794907800\nBOOT_TIME               = 1794907745\n" + hosts + "E\n"
		if err := os.WriteFile(filepath.Join(dir, "scontrol"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":/usr/bin:/bin")
		c := &commands{timeout: time.Minute}
		if began, err := c.Began(t.Context()); err != nil || began != want {
			t.Errorf("%q: %d, %v, want %d", hosts, began, err, want)
		}
	}
}
