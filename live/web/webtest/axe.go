package webtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Axe is the program that looks at pages as those do who cannot see them well: axe-core,
// where .ci/axe has put it. It skips the test where there is none, and fails instead
// where LIBRA_REQUIRE names axe.
func Axe(t testing.TB) string {
	t.Helper()
	kept, err := os.UserCacheDir()
	var found []string
	if err == nil {
		found, err = filepath.Glob(filepath.Join(kept, "libra", "axe", "axe-*.min.js"))
	}
	if err != nil || len(found) == 0 {
		if slices.Contains(strings.Split(os.Getenv("LIBRA_REQUIRE"), ","), "axe") {
			t.Fatalf("this machine has no axe-core, and LIBRA_REQUIRE asks for it (%v)", err)
		}
		t.Skip("needs axe-core: .ci/axe fetches it")
	}
	text, err := os.ReadFile(slices.Max(found))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// runAxe asks for all rules: those of the guidelines and those of good practice.
const runAxe = `axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.flatMap((v) => v.nodes.map((n) =>
	v.id + " (" + v.impact + "): " + v.help + ": " + n.target.join(" ") + " " + n.html.slice(0, 120))))`

// Examine is what axe-core finds wrong with the page as it stands.
func (p *Page) Examine(axe string) (wrong []string) {
	p.t.Helper()
	there := false
	if p.Eval(`typeof axe === "object"`, &there); !there {
		p.Eval(axe+"\n;0", nil)
	}
	p.Eval(runAxe, &wrong)
	if len(wrong) > mostSaid {
		wrong = append(wrong[:mostSaid], fmt.Sprintf("and %d more", len(wrong)-mostSaid))
	}
	return wrong
}

// mostSaid is how much is said of one page.
const mostSaid = 12
