package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file of names of nodes is read where it is, and not without end.
func TestNodefile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "nodes")
	for _, size := range []int{mostNames, mostNames + 1} {
		if err := os.WriteFile(name, []byte(strings.Repeat("n", size)), 0o600); err != nil {
			t.Fatal(err)
		}
		if text, err := nodefile(name); (err == nil) != (size == mostNames) || err == nil && len(text) != size {
			t.Errorf("%d bytes: %d, %v", size, len(text), err)
		}
	}
	if _, err := nodefile(name + "x"); err == nil || !strings.Contains(err.Error(), name+"x") {
		t.Errorf("%v", err)
	}
}
