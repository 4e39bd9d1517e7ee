package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// tree is what the repository holds, as far as documents name it.
type tree struct {
	paths    map[string]bool            // files and directories, from the root
	bases    map[string]bool            // names of files
	packages map[string]map[string]bool // directory of a package -> identifiers: Name, Type.Method, Type.Field
	tests    map[string][]string        // name of a test -> directories
	commands map[string]bool            // of the program
	flags    map[string]bool            // words that can be flags of it
	targets  map[string]bool            // of make
	docs     map[string]string          // path -> text, of Markdown files
	comments map[string]string          // path -> package comment, of doc.go files
	sources  map[string]string          // path -> text, of Go files and plays
}

// readTree reads the repository, once for all tests.
func readTree(t *testing.T) *tree {
	t.Helper()
	r, err := readOnce()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var readOnce = sync.OnceValues(read)

// read leaves out what a build leaves (bin, out) and what belongs to version
// control.
func read() (*tree, error) {
	r := &tree{
		paths: map[string]bool{}, bases: map[string]bool{}, packages: map[string]map[string]bool{}, tests: map[string][]string{},
		commands: map[string]bool{"help": true, "completion": true}, targets: map[string]bool{}, flags: map[string]bool{"help": true, "version": true},
		docs: map[string]string{}, comments: map[string]string{}, sources: map[string]string{},
	}
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (name == ".git" || name == "bin" || name == "out") {
			return fs.SkipDir
		}
		r.paths[name] = true
		if d.IsDir() || !d.Type().IsRegular() {
			return nil
		}
		r.bases[path.Base(name)] = true
		return r.take(root, name)
	})
	if err != nil {
		return nil, err
	}
	if len(r.packages) < 20 || len(r.tests) < 100 || len(r.commands) < 10 || len(r.targets) < 5 || len(r.docs) < 5 {
		return nil, fmt.Errorf("the tree was not read: %d packages, %d tests, %d commands, %d targets, %d documents",
			len(r.packages), len(r.tests), len(r.commands), len(r.targets), len(r.docs))
	}
	return r, nil
}

var (
	useLine    = regexp.MustCompile(`\bUse:\s+"([a-z-]+)`)
	aWord      = regexp.MustCompile(`"([a-z][a-z-]*)"`)
	targetLine = regexp.MustCompile(`(?m)^([a-z-]+):(?:[^=]|$)`)
)

func (r *tree) take(root fs.FS, name string) error {
	ext := path.Ext(name)
	isPlay := ext == ".txt" && strings.Contains(name, "testdata/")
	if ext != ".go" && ext != ".md" && !isPlay && name != "Makefile" {
		return nil
	}
	content, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	text := string(content)
	switch {
	case name == "Makefile":
		for _, m := range targetLine.FindAllStringSubmatch(text, -1) {
			r.targets[m[1]] = true
		}
	case ext == ".md":
		r.docs[name] = text
	case isPlay:
		r.sources[name] = text
	case !strings.Contains(name, "testdata/"):
		r.sources[name] = text
		if strings.HasPrefix(name, "cmd/") {
			for _, m := range useLine.FindAllStringSubmatch(text, -1) {
				r.commands[m[1]] = true
			}
		}
		if !strings.HasSuffix(name, "_test.go") && (strings.HasPrefix(name, "cmd/") || strings.HasPrefix(name, "live/directive/")) { // its words are flags too
			for _, m := range aWord.FindAllStringSubmatch(text, -1) {
				r.flags[m[1]] = true
			}
		}
		return r.parse(name, text)
	}
	return nil
}

var testName = regexp.MustCompile(`^(Test|Fuzz|Benchmark|Example)[A-Z0-9_]`)

// parse takes in what a Go file declares.
func (r *tree) parse(name, text string) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	dir := path.Dir(name)
	if path.Base(name) == "doc.go" {
		r.comments[name] = file.Doc.Text()
	}
	if r.packages[dir] == nil {
		r.packages[dir] = map[string]bool{}
	}
	known := r.packages[dir]
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && testName.MatchString(d.Name.Name) && strings.HasSuffix(name, "_test.go") {
				r.tests[d.Name.Name] = append(r.tests[d.Name.Name], dir)
			}
			if d.Recv != nil {
				known[receiver(d.Recv.List[0].Type)+"."+d.Name.Name] = true
			} else {
				known[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				declare(known, s)
			}
		}
	}
	return nil
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// declare takes in a constant, a variable, or a type with its fields and methods.
func declare(known map[string]bool, s ast.Spec) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			known[n.Name] = true
		}
	case *ast.TypeSpec:
		known[s.Name.Name] = true
		var fields *ast.FieldList
		switch body := s.Type.(type) {
		case *ast.StructType:
			fields = body.Fields
		case *ast.InterfaceType:
			fields = body.Methods
		}
		if fields == nil {
			return
		}
		for _, f := range fields.List {
			for _, n := range f.Names {
				known[s.Name.Name+"."+n.Name] = true
			}
			if embedded := receiver(f.Type); len(f.Names) == 0 && embedded != "" {
				known[s.Name.Name+embeds+embedded] = true
			}
		}
	}
}

// embeds stands between a type and one of the same package that it embeds.
const embeds = " embeds "

// knows reports whether a package declares an identifier, be it by what a type
// embeds.
func knows(known map[string]bool, identifier string) bool {
	if known[identifier] {
		return true
	}
	outer, name, dotted := strings.Cut(identifier, ".")
	for k := range known {
		if inner, found := strings.CutPrefix(k, outer+embeds); dotted && found && knows(known, inner+"."+name) {
			return true
		}
	}
	return false
}

// has reports whether a path, or a pattern of paths, is there.
func (r *tree) has(name string) bool {
	name = path.Clean(name)
	if !strings.ContainsAny(name, "*") {
		return r.paths[name]
	}
	found, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(name)))
	return err == nil && len(found) > 0
}

// top reports whether a name is a directory at the root that holds Go packages
// or documents: what a whole path begins with.
func (r *tree) top(name string) bool {
	switch name {
	case "core", "live", "lab", "client", "cmd", "docs", ".github", ".ci":
		return true
	}
	return false
}

// packagesNamed are the directories of the packages of that name.
func (r *tree) packagesNamed(name string) []string {
	var dirs []string
	for dir := range r.packages {
		if path.Base(dir) == name {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// declares reports whether a package of that name, or any if the name is empty,
// declares an identifier. Of a package, a method or a field will do without its
// type: cluster.Step.
func (r *tree) declares(pkg, identifier string) bool {
	for dir, known := range r.packages {
		if pkg != "" && path.Base(dir) != pkg {
			continue
		}
		if knows(known, identifier) {
			return true
		}
		for name := range known {
			if pkg != "" && strings.HasSuffix(name, "."+identifier) {
				return true
			}
		}
	}
	return false
}
