package client_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Whoever imports the client gets the wire form, the standard library, and
// nothing else: no policy, no solver, no module of anybody's.
func TestWhatTheClientPullsIn(t *testing.T) {
	const (
		module = "github.com/libra-market/libra/"
		list   = `{{if not .Standard}}{{.ImportPath}}{{end}}`
	)
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", list, ".", "./v1").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Fields(string(out)), module+"client/socket "+module+"client/v1 "+module+"client"; strings.Join(got, " ") != want {
		t.Errorf("the client pulls in %s; want %s", got, want)
	}
}
