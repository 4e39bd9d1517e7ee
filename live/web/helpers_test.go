package web_test

import (
	"log/slog"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/web"
	"github.com/libra-market/libra/live/web/webtest"
)

// logTo writes what the pages have to say into the log of the test.
func logTo(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// serve lets a handler be reached, and ends its streams before the server waits
// for them.
func serve(t testing.TB, h *web.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close()
		server.Close()
	})
	return server
}

// jobIn is the newest job of somebody in a state.
func jobIn(t *testing.T, f *webtest.Floor, owner string, state v1.State) string {
	t.Helper()
	list, err := f.Market.Jobs(t.Context(), v1.JobQuery{Owner: owner, States: []v1.State{state}, Limit: 40})
	if err != nil || len(list) == 0 {
		t.Fatalf("no %s job of %s (%v)", state, owner, err)
	}
	// One that has done something is better to look at.
	for i := range list {
		if list[i].Work > 600_000 {
			return strconv.FormatInt(list[i].ID, 10)
		}
	}
	return strconv.FormatInt(list[0].ID, 10)
}
