package front_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/store"
)

// document is the text of a file in docs.
func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// numbers are what a market gives at /metrics.
func numbers(t *testing.T) string {
	t.Helper()
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "libra.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	m := startMarket(t, st)
	defer m.halt()
	h := api.New(front.Market{Controller: m.Controller}, front.Keyring{Kept: st}, api.Options{PublicMetrics: true})
	_, _ = serve(h, httptest.NewRequest(http.MethodGet, "/v1/whoami", nil))
	_, given := serve(h, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return given
}

var numberName = regexp.MustCompile(`libra_[a-z_]+`)

// sometimes are numbers that a market gives when it has something to say of them.
var sometimes = []string{"libra_jobs", "libra_log_entries_archived"}

// The rules for alerts and the dashboard are about numbers that a market gives.
func TestAlertsAreAboutNumbersThatThereAre(t *testing.T) {
	given := numbers(t)
	for _, file := range []string{"alerts.yml", "grafana.json"} {
		names := numberName.FindAllString(document(t, file), -1)
		if len(names) < 8 {
			t.Errorf("%s: only %d numbers", file, len(names))
		}
		for _, name := range names {
			if !strings.Contains(given, "\n"+name) && !slices.Contains(sometimes, name) {
				t.Errorf("%s: no market gives %s", file, name)
			}
		}
	}
}

// Every number that a market gives is explained, in the same words there and in the
// document.
func TestEveryNumberIsExplained(t *testing.T) {
	text := document(t, "operations.md")
	said := regexp.MustCompile(`(?m)^# HELP (libra_[a-z_]+) (.*)$`).FindAllStringSubmatch(numbers(t), -1)
	if len(said) < 20 {
		t.Fatalf("only %d numbers", len(said))
	}
	for _, s := range said {
		if strings.HasPrefix(s[2], "A number of the market") || !strings.Contains(text, "| `"+s[1]+"` | "+s[2]+" |") {
			t.Errorf("operations.md has no row | `%s` | %s |", s[1], s[2])
		}
	}
}

// Prometheus takes the rules, and the expressions of the dashboard.
func TestPrometheusTakesThem(t *testing.T) {
	if _, err := exec.LookPath("promtool"); err != nil {
		if slices.Contains(strings.Split(os.Getenv("LIBRA_REQUIRE"), ","), "prometheus") {
			t.Fatal("this machine has no promtool, and LIBRA_REQUIRE asks for it")
		}
		t.Skip("no promtool here: install prometheus")
	}
	dir := t.TempDir()
	of := filepath.Join(dir, "dashboard.yml")
	rules := strings.Builder{}
	rules.WriteString("groups: [{name: dashboard, rules: [\n")
	for _, e := range expressions(t) {
		e = strings.NewReplacer("$__range", "1h", "$job", "libra").Replace(e)
		quoted, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		rules.WriteString("{record: x, labels: {n: " + string(quoted) + "}, expr: " + string(quoted) + "},\n")
	}
	rules.WriteString("]}]\n")
	if err := os.WriteFile(of, []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join("..", "..", "docs", "alerts.yml"), of} {
		if out, err := exec.CommandContext(t.Context(), "promtool", "check", "rules", file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", file, err, out)
		}
	}
}

// expressions are those of the dashboard, whose panels lie side by side and not on top of
// each other.
func expressions(t *testing.T) (all []string) {
	t.Helper()
	var board struct {
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(document(t, "grafana.json")), &board); err != nil {
		t.Fatal(err)
	}
	taken := map[[2]int]string{}
	ids := map[int]bool{}
	for _, p := range board.Panels {
		if ids[p.ID] {
			t.Errorf("%q has the number of another panel", p.Title)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; x >= 24 || other != "" {
					t.Fatalf("%q is outside, or on top of %q", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		for _, target := range p.Targets {
			all = append(all, target.Expr)
		}
	}
	if len(all) < 10 {
		t.Errorf("only %d expressions", len(all))
	}
	return all
}
