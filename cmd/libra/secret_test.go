package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file with a token that others can read is refused by whoever reads it, with
// what to do.
func TestTokenFilesThatOthersCanRead(t *testing.T) {
	said := func(args ...string) func(*testing.T, string) string {
		return func(t *testing.T, path string) string {
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "FILE", path)
			}
			return libra(t, args...).err
		}
	}
	con := &console{out: io.Discard, err: io.Discard}
	for name, ask := range map[string]func(*testing.T, string) string{
		"commands":        said("jobs", "--server", "unix:/nowhere/market.sock", "--token-file", "FILE"),
		"an agent":        said("agent", "--node", "n1", "--server", "unix:/nowhere/market.sock", "--token-file", "FILE"),
		"broker: cluster": said("broker", "--cluster", "a=unix:/nowhere/market.sock,FILE", "--store", filepath.Join(t.TempDir(), "b.db"), "--listen", "127.0.0.1:0"),
		"libra serve": func(t *testing.T, path string) string {
			return fmt.Sprint((&serveOptions{token: path}).ownerToken(t.Context(), con, nil))
		},
		"libra broker": func(t *testing.T, path string) string {
			return fmt.Sprint((&brokerOptions{token: path}).ownerToken(t.Context(), con, nil))
		},
		"the agent of libra up": func(t *testing.T, path string) string {
			return fmt.Sprint((&upOptions{dir: filepath.Dir(path)}).localAgent(t.Context(), nil, nil, nil))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, "node.token", "libra_x\n")
			for _, mode := range []os.FileMode{0o644, 0o640, 0o604} {
				if err := os.Chmod(path, mode); err != nil {
					t.Fatal(err)
				}
				if got := ask(t, path); !strings.Contains(got, "others can read it") || !strings.Contains(got, "chmod 600 "+path) {
					t.Errorf("mode %04o: %q", mode, got)
				}
			}
		})
	}
}
