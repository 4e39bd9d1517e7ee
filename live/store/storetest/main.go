package storetest

import (
	"fmt"
	"os"
	"testing"
)

// childVar says to a test binary that it is a child, and of which kind.
const childVar = "LIBRA_STORETEST_CHILD"

// inMain is set while tests run under Main.
var inMain bool

// Main runs the tests of a package that uses this one, or is the child of such
// a test, and stops the server that the tests shared.
func Main(m *testing.M) {
	if kind := os.Getenv(childVar); kind != "" {
		if err := child(kind, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	inMain = true
	code := m.Run()
	if shared.server != nil {
		if err := shared.server.remove(); err != nil {
			fmt.Fprintln(os.Stderr, "stop postgres:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}
