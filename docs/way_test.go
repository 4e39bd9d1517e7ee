package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// theWay is where docs/contract.md lists what a job becomes on its way.
const theWay = "What a job becomes on its way"

// offTheWay are packages that are in front of a market, or show it.
var offTheWay = []string{"live/broker", "live/config", "live/slurm", "live/spec", "live/system", "live/web"}

// ofAJob are fields by which a type says itself what a job runs, or what it is worth.
var ofAJob = []string{"Argv", "Budget", "Estimate", "EstimateMS", "Receipt", "Spec"}

// named is a type of a package in a document: `trade.Request`.
var named = regexp.MustCompile("`([a-z][a-z0-9]*\\.[A-Za-z]\\w*)`")

// TestEveryShapeOfAJobIsNamed holds the list to the tree: whoever adds a type that
// carries a job has to say there why it is not one of the others, and what is no
// longer there is not listed.
func TestEveryShapeOfAJobIsNamed(t *testing.T) {
	r := readTree(t)
	_, rest, found := strings.Cut(r.docs["docs/contract.md"], "## "+theWay)
	if !found {
		t.Fatalf("docs/contract.md has no section %q", theWay)
	}
	section, _, _ := strings.Cut(rest, "\n## ")
	listed := map[string]bool{}
	for _, m := range named.FindAllStringSubmatch(section, -1) {
		listed[m[1]] = true
	}
	carriers := carriersOf(t, r)
	if len(carriers) < 10 {
		t.Fatalf("only %d types carry a job: the test says little", len(carriers))
	}
	for _, full := range slices.Sorted(maps.Keys(carriers)) {
		if !listed[path.Base(full)] {
			t.Errorf("%s carries a job, and docs/contract.md does not say why (%s)", full, theWay)
		}
		delete(listed, path.Base(full))
	}
	for name := range listed { // those of other packages, TestDocumentsNameWhatIsThere looks for
		if _, of, _ := strings.Cut(name, "."); ast.IsExported(of) {
			continue
		}
		t.Errorf("docs/contract.md lists %s, which carries no job", name)
	}
}

// carriersOf are the types that say what a job runs or is worth, and those that hold
// one of them: one, not many.
func carriersOf(t *testing.T, r *tree) map[string]bool {
	t.Helper()
	holds := map[string][]string{} // by type: the types of its fields
	carriers := map[string]bool{}
	for name, text := range r.sources {
		if !onTheWay(name) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		dir := path.Dir(name)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, is := spec.Type.(*ast.StructType); is {
				full := dir + "." + spec.Name.Name
				for _, f := range s.Fields.List {
					holds[full] = append(holds[full], heldBy(file, dir, f.Type))
					for _, n := range f.Names {
						carriers[full] = carriers[full] || slices.Contains(ofAJob, n.Name)
					}
				}
			}
			return true
		})
	}
	maps.DeleteFunc(carriers, func(_ string, is bool) bool { return !is })
	for grown := true; grown; {
		grown = false
		for full, types := range holds {
			if !carriers[full] && slices.ContainsFunc(types, func(held string) bool { return carriers[held] }) {
				carriers[full], grown = true, true
			}
		}
	}
	return carriers
}

func onTheWay(name string) bool {
	wing, _, _ := strings.Cut(name, "/")
	if wing != "core" && wing != "live" && !strings.HasPrefix(name, "client/v1/") {
		return false
	}
	if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || forTests(path.Dir(name)) {
		return false
	}
	return !slices.ContainsFunc(offTheWay, func(dir string) bool { return within(path.Dir(name), dir) })
}

// heldBy is the type of a field, of a package of this module, that is one and not many.
func heldBy(file *ast.File, dir string, field ast.Expr) string {
	switch f := field.(type) {
	case *ast.StarExpr:
		return heldBy(file, dir, f.X)
	case *ast.Ident:
		return dir + "." + f.Name
	case *ast.SelectorExpr:
		for _, i := range file.Imports {
			from := strings.Trim(i.Path.Value, `"`)
			if of, ours := strings.CutPrefix(from, module); ours && f.X.(*ast.Ident).Name == path.Base(of) {
				return of + "." + f.Sel.Name
			}
		}
	}
	return ""
}
