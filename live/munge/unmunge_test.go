package munge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/munge"
)

// Nobody is let in by what unmunge does not say in so many words: that all is well, and whose
// the credential is. What is no credential is not shown to it.
func TestWhatUnmungeSays(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if got, err := munge.Check(t.Context(), "abc", "MUNGE:x:"); err == nil || !strings.Contains(err.Error(), "unmunge") {
		t.Errorf("without munge: user %d, %v", got, err)
	}
	script := "#!/bin/sh\nprintf \"$SAYS\"\nprintf \"$WRONG\" >&2\nexit $CODE\n"
	if err := os.WriteFile(filepath.Join(dir, "unmunge"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	const well = "STATUS:  Success (0)\\nUID:  ann (1000)\\n\\nlibra login abc"
	for name, c := range map[string]struct {
		says, wrong, code string
		credential        string
		want              string // in the error; "": it is user 1000's
	}{
		"all is well":               {says: well, code: "0"},
		"another status":            {says: strings.Replace(well, "Success (0)", "Expired (15)", 1), code: "0", want: "not whose it is"},
		"none":                      {says: strings.Replace(well, "STATUS", "STATE", 1), code: "0", want: "not whose it is"},
		"no number":                 {says: strings.Replace(well, "(1000)", "", 1), code: "0", want: "not whose it is"},
		"another text":              {says: well + "d", code: "0", want: "something else"},
		"it failed, whatever":       {says: strings.Replace(well, "STATUS", "STATE", 1), wrong: "no socket", code: "1", want: "no socket"},
		"it failed, and why":        {says: strings.Replace(well, "Success (0)", "Expired (15)", 1), wrong: "x", code: "15", want: "Expired (15)"},
		"longer than a credential":  {says: well, code: "0", credential: strings.Repeat("x", 4097), want: "no credential"},
		"as long as one may be yet": {says: well, code: "0", credential: strings.Repeat("x", 4096)},
	} {
		t.Setenv("SAYS", c.says)
		t.Setenv("WRONG", c.wrong)
		t.Setenv("CODE", c.code)
		got, err := munge.Check(t.Context(), "abc", c.credential)
		if c.want == "" && (err != nil || got != 1000) || c.want != "" && (err == nil || got != 0 || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: user %d, %v", name, got, err)
		}
	}
}
