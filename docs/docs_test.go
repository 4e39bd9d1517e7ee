package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// speaksOfWhatWas reports whether a document is a record: what it names may be
// gone by now.
func speaksOfWhatWas(name string) bool {
	return name == "CHANGELOG.md" || strings.HasPrefix(name, "docs/decisions/") || !strings.HasPrefix(name, "docs/") && strings.Contains(name, "/")
}

func TestDocumentsNameWhatIsThere(t *testing.T) {
	r := readTree(t)
	for _, name := range slices.Sorted(maps.Keys(r.docs)) {
		if speaksOfWhatWas(name) {
			continue
		}
		for _, wrong := range r.wrongNames(r.docs[name]) {
			t.Errorf("%s: %s", name, wrong)
		}
		for _, m := range subtest.FindAllStringSubmatch(r.docs[name], -1) {
			if !r.says("lab/policytest/", strconv.Quote(m[1])) {
				t.Errorf("%s: conformance has no %q", name, m[1])
			}
		}
	}
}

// says reports whether a Go file below a directory contains a text.
func (r *tree) says(dir, text string) bool {
	for name, content := range r.sources {
		if strings.HasPrefix(name, dir) && strings.Contains(content, text) {
			return true
		}
	}
	return false
}

func TestPackageCommentsNameWhatIsThere(t *testing.T) {
	r := readTree(t)
	for _, name := range slices.Sorted(maps.Keys(r.comments)) {
		for _, wrong := range r.wrongInComment(path.Dir(name), r.comments[name]) {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	r := readTree(t)
	for _, dir := range slices.Sorted(maps.Keys(r.packages)) {
		if !r.has(path.Join(dir, "doc.go")) && r.hasCode(dir) {
			t.Errorf("%s has no doc.go", dir)
		}
	}
}

// hasCode reports whether a directory has Go files that are not tests, and is
// no command of a few lines that serves its parent's tests.
func (r *tree) hasCode(dir string) bool {
	for name, text := range r.sources {
		if path.Dir(name) == dir && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			return !strings.Contains("\n"+text, "\npackage main\n") || dir == "cmd/libra"
		}
	}
	return false
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

func TestLinksLeadSomewhere(t *testing.T) {
	r := readTree(t)
	for _, name := range slices.Sorted(maps.Keys(r.docs)) {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(r.docs[name], ""), -1) {
			if wrong := r.wrongLink(name, m[1]); wrong != "" {
				t.Errorf("%s: %s", name, wrong)
			}
		}
	}
}

func (r *tree) wrongLink(from, to string) string {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
		return ""
	}
	file, anchor, _ := strings.Cut(to, "#")
	if file = path.Join(path.Dir(from), file); strings.HasPrefix(to, "#") {
		file = from
	}
	switch {
	case !r.paths[file]:
		return "a link leads to " + to + ", which is not there"
	case anchor != "" && !anchors(r.docs[file])[anchor]:
		return "a link leads to " + to + ", but there is no such heading"
	}
	return ""
}

// What code and plays cite must be there: docs/semantics.md, section 4.
func TestCitationsAreThere(t *testing.T) {
	r := readTree(t)
	for _, name := range slices.Sorted(maps.Keys(r.sources)) {
		text := strings.NewReplacer("\n// ", " ", "\n# ", " ").Replace(r.sources[name])
		for _, m := range citation.FindAllStringSubmatch(text, -1) {
			switch doc, ok := r.docs["docs/"+m[1]]; {
			case strings.HasPrefix(name, "docs/"): // this package's own examples
			case !ok:
				t.Errorf("%s cites docs/%s, which is not there", name, m[1])
			case m[2] != "" && !strings.Contains(doc, "\n## "+m[2]+". "):
				t.Errorf("%s cites section %s of docs/%s, which has none", name, m[2], m[1])
			}
		}
		if strings.Contains(text, "SEMANTICS") && name != "docs/docs_test.go" {
			t.Errorf("%s cites SEMANTICS: the rules are in docs/semantics.md", name)
		}
	}
}

// The drawing of the house has every package of a wing, and nothing else.
func TestTheDrawingIsTheTree(t *testing.T) {
	r := readTree(t)
	for _, wing := range []string{"core", "live", "lab"} {
		drawn := wingOf(r.docs["ARCHITECTURE.md"], wing)
		for dir := range r.packages {
			name, found := strings.CutPrefix(dir, wing+"/")
			if found && !strings.Contains(name, "/") && !regexp.MustCompile(`\b`+name+`\b`).MatchString(drawn) {
				t.Errorf("ARCHITECTURE.md: the drawing has no %s", dir)
			}
		}
		for line := range strings.Lines(drawn) {
			names, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
			for name := range strings.SplitSeq(names, ", ") {
				if !r.paths[wing+"/"+name] {
					t.Errorf("ARCHITECTURE.md: the drawing has %s/%s, which is not there", wing, name)
				}
			}
		}
	}
}

// wingOf is the lines of the drawing that are about a wing, without its head.
func wingOf(text, wing string) string {
	_, after, _ := strings.Cut(text, "\n    "+wing+"/ ")
	var lines strings.Builder
	for i, line := range strings.Split(after, "\n") {
		if i > 0 && !strings.HasPrefix(line, "      ") {
			break
		}
		if i > 0 {
			lines.WriteString(line + "\n")
		}
	}
	return lines.String()
}

// The index of the decisions has them all.
func TestDecisionsAreInTheirIndex(t *testing.T) {
	r := readTree(t)
	for name := range r.docs {
		if file, found := strings.CutPrefix(name, "docs/decisions/"); found && file != "README.md" &&
			!strings.Contains(r.docs["docs/decisions/README.md"], "("+file+")") {
			t.Errorf("docs/decisions/README.md does not list %s", file)
		}
	}
}

var paperNumber = regexp.MustCompile(`(?:^|[ (])00[0-4](?:[ ,).:;]|$)`)

// Numbers of papers are for comments: what people read says the paper's name.
func TestPeopleReadNoNumbersOfPapers(t *testing.T) {
	r := readTree(t)
	for _, name := range slices.Sorted(maps.Keys(r.sources)) {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, r.sources[name], parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && paperNumber.MatchString(strings.Trim(text.Value, "\"`")) {
				t.Errorf("%s: people read the number of a paper: %s", name, text.Value)
			}
			return true
		})
	}
}

var invariant = regexp.MustCompile(`(?m)^\| (\d+) \| (.*) \| (.*) \|$`)

// The invariants have their numbers in order, and each names what tests it.
func TestInvariantsAreNumberedAndTested(t *testing.T) {
	r := readTree(t)
	rows := invariant.FindAllStringSubmatch(r.docs["ARCHITECTURE.md"], -1)
	if len(rows) < 20 {
		t.Fatalf("ARCHITECTURE.md has %d invariants", len(rows))
	}
	for i, m := range rows {
		if m[1] != strconv.Itoa(i+1) {
			t.Errorf("invariant %s stands in place %d", m[1], i+1)
		}
		if !strings.Contains(m[3], "`Test") && !strings.Contains(m[3], "conformance") {
			t.Errorf("invariant %s names no test: %s", m[1], m[3])
		}
	}
}

// A wrong name of every kind is noticed, and what only looks like a name is let
// be.
func TestWrongNamesAreNoticed(t *testing.T) {
	r := readTree(t)
	for _, text := range []string{
		"`core/nothing`", "`core/market/nothing.go`", "`nothing.go`", "`nothing.md`", "`market/money.go`", "`sim/oracle`", "`market.Nothing`",
		"`market.Job.Nothing`", "`Job.Nothing`", "`TestNothingAtAll`", "`core/market`: `TestLinksLeadSomewhere`", "`libra nothing`", "`libra up --no-such-thing`", "    libra submit --no-such-thing x -- prog\n", "`make nothing`", "`go test ./nothing -run x`",
		"    $ libra nothing --flag\n", "```\nmake nothing\n```", "`lab/sim/testdata/nothing*.txt`",
	} {
		if wrong := r.wrongNames(text); len(wrong) != 1 {
			t.Errorf("%s: noticed %q", text, wrong)
		}
	}
	for _, text := range []string{
		"`core/market`", "`core/market/money.go`", "`money.go`", "`semantics.md`", "`market.Money`", "`market.Job`", "`TestLinksLeadSomewhere`",
		"`docs`: `TestLinksLeadSomewhere`", "`libra up --listen 0.0.0.0:7070`", "`make check`", "    libra submit -e 1s --deadline 4m -- prog --nothing\n", "`go test ./lab/sim -run x`", "`go test ./...`", "`site/project/alice`", "`jobs.csv`", "`--slurm-rest`",
		"`/etc/slurm/slurm.conf`", "`bin/libra`", "`gamma * E + delta * E / D`", "`docs/*.md`", "`cpu.max`", "`Fatal`", "    make check\n",
	} {
		if wrong := r.wrongNames(text); len(wrong) != 0 {
			t.Errorf("%s: %q", text, wrong)
		}
	}
	for _, text := range []string{"Read nothing.go first.", "see [Nothing]", "sim/oracle does it", "core/nothing", "TestNothingAtAll", "docs/nothing.md", "[Job.Nothing]"} {
		if wrong := r.wrongInComment("core/market", text); len(wrong) != 1 {
			t.Errorf("%s: noticed %q", text, wrong)
		}
	}
	for _, text := range []string{"Read job.go first.", "see [Job]", "[market.Money]", "lab/sim/oracle", "docs/semantics.md", "one and/or the other", "[http.Client]"} {
		if wrong := r.wrongInComment("core/market", text); len(wrong) != 0 {
			t.Errorf("%s: %q", text, wrong)
		}
	}
	for to, ok := range map[string]bool{
		"docs/live.md": true, "docs/nothing.md": false, "docs/live.md#people-and-money": true, "docs/live.md#nothing": false, "https://example.org": true,
	} {
		if wrong := r.wrongLink("README.md", to); (wrong == "") != ok {
			t.Errorf("link to %s: %q", to, wrong)
		}
	}
}
