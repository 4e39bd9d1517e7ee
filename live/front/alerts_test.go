package front_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/store"
)

// The rules for alerts are about numbers that a market gives.
func TestAlertsAreAboutNumbersThatThereAre(t *testing.T) {
	rules, err := os.ReadFile(filepath.Join("..", "..", "docs", "alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
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
	names := regexp.MustCompile(`libra_[a-z_]+`).FindAllString(string(rules), -1)
	if len(names) < 8 {
		t.Errorf("only %d numbers in the rules", len(names))
	}
	for _, name := range names {
		if !strings.Contains(given, "\n"+name) {
			t.Errorf("no market gives %s", name)
		}
	}
}
