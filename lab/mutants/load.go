package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// subject is a package that is being changed.
type subject struct {
	dir     string // core/ledger
	path    string
	mutants []mutant
	sources map[string][]byte // by file name: with all its mutants
	digest  string            // of the sources as they stand
}

// listed is what go list says of a package.
type listed struct {
	Dir          string
	ImportPath   string
	Name         string
	Export       string
	GoFiles      []string
	TestImports  []string
	XTestImports []string
}

func list(args ...string) ([]listed, error) {
	c := exec.Command("go", append([]string{"list"}, args...)...)
	var said bytes.Buffer
	c.Stderr = &said
	text, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, said.String())
	}
	var all []listed
	for decode := json.NewDecoder(bytes.NewReader(text)); ; {
		var l listed
		if err := decode.Decode(&l); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
}

// load reads a package, finds its mutants, and puts them in.
func load(dir string) (*subject, error) {
	dir = strings.TrimPrefix(strings.TrimSuffix(dir, "/"), "./")
	all, err := list("-export", "-deps", "-json=Dir,ImportPath,Name,Export,GoFiles", "./"+dir)
	if err != nil {
		return nil, err
	}
	own := all[len(all)-1] // what it stands on comes first
	exports := map[string]string{}
	for _, l := range all {
		exports[l.ImportPath] = l.Export
	}
	fset := token.NewFileSet()
	var files []*ast.File
	sources := map[string][]byte{}
	for _, name := range own.GoFiles {
		text, failed := os.ReadFile(filepath.Join(own.Dir, name))
		if failed != nil {
			return nil, failed
		}
		f, failed := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if failed != nil {
			return nil, failed
		}
		files, sources[name] = append(files, f), text
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	check := types.Config{Importer: importer.ForCompiler(fset, "gc", func(p string) (io.ReadCloser, error) { return os.Open(exports[p]) })}
	pkg, err := check.Check(own.ImportPath, fset, files, info)
	if err != nil {
		return nil, err
	}
	s := &subject{dir: dir, path: own.ImportPath, sources: map[string][]byte{}, digest: digest(own.GoFiles, sources)}
	number := 0
	for i, f := range files {
		name := own.GoFiles[i]
		m := &mutator{
			file: fset.File(f.Pos()), name: path.Join(dir, name), source: sources[name], info: info, pkg: pkg, names: imported(f, pkg), next: &number,
			opens: map[int][]string{}, closes: map[int][]string{}, instead: map[int]edit{},
		}
		m.walk(f)
		s.mutants = append(s.mutants, m.mutants...)
		s.sources[filepath.Join(own.Dir, name)] = m.result()
	}
	s.sources[filepath.Join(own.Dir, "mutants_alive.go")] = fmt.Appendf(nil, helpers, own.Name)
	return s, nil
}

// imported are the names of packages that a file can use.
func imported(f *ast.File, pkg *types.Package) map[string]bool {
	names := map[string]bool{}
	for _, spec := range f.Imports {
		if spec.Name != nil {
			continue // under another name
		}
		for _, p := range pkg.Imports() {
			if fmt.Sprintf("%q", p.Path()) == spec.Path.Value {
				names[p.Name()] = true
			}
		}
	}
	return names
}
