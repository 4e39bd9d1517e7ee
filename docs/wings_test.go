package docs

import (
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/libra-market/libra/"

// Who may know whom: what each wing may import of this module.
var mayImport = map[string][]string{
	"core":   {"core"},
	"live":   {"core", "live", "client"},
	"lab":    {"core", "lab", "client"},
	"client": {"client"},
	"cmd":    {"core", "live", "lab", "client"},
}

// onlyStandard are the wings that import nothing of other people's: the core,
// and what other people's programs import.
var onlyStandard = []string{"core", "client"}

// TestTheWingsKeepApart holds the tree to the rule that a reader takes from it.
// The linter says the same where the line is written; this is short enough to be
// believed. Tests, and packages that are there for tests, may look anywhere.
func TestTheWingsKeepApart(t *testing.T) {
	r := readTree(t)
	for _, name := range slices.Sorted(maps.Keys(r.sources)) {
		wing, _, _ := strings.Cut(name, "/")
		allowed, known := mayImport[wing]
		if !known || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || forTests(path.Dir(name)) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, r.sources[name], parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(imported, "/")
			inside, ours := strings.CutPrefix(imported, module)
			other, _, _ := strings.Cut(inside, "/")
			switch {
			case ours && !slices.Contains(allowed, other):
				t.Errorf("%s imports %s: %s may import %s", name, inside, wing, strings.Join(allowed, ", "))
			case !ours && strings.Contains(first, ".") && slices.Contains(onlyStandard, wing):
				t.Errorf("%s imports %s: %s imports nothing of other people's", name, imported, wing)
			}
		}
	}
}

// forTests reports whether a package is there for tests: its name says so.
func forTests(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		if strings.HasSuffix(part, "test") || part == "oracle" || part == "system" {
			return true
		}
	}
	return false
}
