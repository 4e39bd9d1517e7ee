package docs

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A type with more methods than that is several, and so is a package with more lines.
const (
	mostMethods = 40
	mostLines   = 5700
)

// floor is what a live market is made of. The state of a cluster (book) and the ledger
// are each one thing that is asked much.
var floor = []string{"accounts", "allowance", "audit", "bill", "epoch", "exchange", "journal", "quote", "roster", "trade", "underway"}

// No type of a live market has so many methods, and no package so many lines, that
// nobody could know all of it.
func TestNoTypeDoesEverything(t *testing.T) {
	methods, lines := map[string]int{}, map[string]int{}
	var files []string
	for _, name := range floor {
		some, err := filepath.Glob("../core/" + name + "/*.go")
		if err != nil || len(some) == 0 {
			t.Fatalf("core/%s: %d files, %v", name, len(some), err)
		}
		files = append(files, some...)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Dir(path)
		lines[folder] += bytes.Count(text, []byte("\n"))
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[folder+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
	}
	if len(methods) == 0 {
		t.Fatal("no methods were found")
	}
	for name, n := range methods {
		if n > mostMethods {
			t.Errorf("%s has %d methods, %d at most", name, n, mostMethods)
		}
	}
	for name, n := range lines {
		if n > mostLines {
			t.Errorf("%s has %d lines, %d at most", name, n, mostLines)
		}
	}
}
