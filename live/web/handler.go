package web

import (
	"context"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/fair"
)

// Options are what a Handler may be told; the zero value is good.
type Options struct {
	Log *slog.Logger     // default: none
	Now func() time.Time // default: the clock
	// Ahead is how far the market's time is ahead of the time of day, if that was
	// set; every page says so. Default: not at all.
	Ahead func() time.Duration
	// URL is where browsers on this machine find the pages, without a slash at the
	// end: for programs that came another way and ask for a link.
	URL string
	// Door is the host and port at which a browser on this machine finds the server after
	// a restart, whatever the URL is then; "" if that is not known, or anybody's.
	Door string
	// Peer is the user of the system whose connection a request came by, if that is known.
	// Default: the kernel is asked, of browsers on this machine.
	Peer func(*http.Request) (uid int, known bool)
	// Secure says that people reach the server by TLS: cookies then travel by
	// nothing else.
	Secure bool
	// WhatIf replays the history under other levers. Without it the owner's page
	// has levers and no forecast.
	WhatIf WhatIf
	Seller ledger.Seller // who sends bills; default Libra, without a currency (XXX)
	// Home is the directory on the nodes in which the jobs of a user run who names
	// none and has had none yet; default /tmp.
	Home func(user string) string

	// Memory keeps the history of prices, and who has signed in, over a restart. Default:
	// both begin anew.
	Memory Memory

	// Gate has the limits of everybody, shared with the API. Default: none but that
	// of pages that follow the market.
	Gate *fair.Gate

	Sample    time.Duration // how often the market is looked at for its history; default 5 s
	Heartbeat time.Duration // of streams of events; default 15 s
}

// WhatIf says what the history of the last days would have brought under a
// policy, its settings and base prices.
type WhatIf func(ctx context.Context, policy string, settings map[string]string, rates v1.Rates) (WhatIfResult, error)

// WhatIfResult is a replay beside what was. Both are replays of the same jobs, so
// that only the levers differ.
type WhatIfResult struct {
	FromUS         int64 // of the history that was replayed
	ToUS           int64
	Jobs           int
	Revenue        int64 // micro-units, penalties paid taken off
	RevenueBefore  int64 // of the same jobs, replayed under the levers in force
	Brought        int64 // what they brought in fact, penalties taken off
	Accepted       int
	AcceptedBefore int
	Kept           int // promises
	KeptBefore     int
	UsersBetter    int // more of their jobs in time and within budget, or the same for less
	UsersWorse     int
	LeftOut        int // jobs that nobody could pay for
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now //nolint:forbidigo // the edge of the system, and a test can hand in its own
	}
	if o.Ahead == nil {
		o.Ahead = func() time.Duration { return 0 }
	}
	if o.Sample <= 0 {
		o.Sample = 5 * time.Second
	}
	if o.Heartbeat <= 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.Gate == nil {
		o.Gate = fair.NewGate(fair.Limits{Streams: 32}, o.Now)
	}
	if o.Peer == nil {
		o.Peer = peerOf
	}
	if o.Home == nil {
		o.Home = func(string) string { return "/tmp" }
	}
	if o.Seller.Name == "" {
		o.Seller.Name = "Libra"
	}
	if o.Seller.Currency == "" {
		o.Seller.Currency = ledger.NoCurrency
	}
	return o
}

// Market is what the pages read and ask: nothing of agents, records or health.
type Market interface {
	api.Trade
	api.Jobs
	api.Floor
	api.Accounts
}

// Handler serves the pages. It is an http.Handler.
type Handler struct {
	market   Market
	keys     api.Keys
	options  Options
	unit     string // that amounts are in
	pages    pages
	gate     *fair.Gate
	mux      *http.ServeMux
	guard    *http.CrossOriginProtection
	sessions sessions
	links    links
	carries  carries
	before   []string // addresses of the last starts
	attempts attempts
	past     history
	hub      *hub
	today    tallies
	ratings  ratings
	forecast sync.Mutex // one replay at a time: it takes a whole processor

	ctx  context.Context //nolint:containedctx // of what goes on between requests; Close ends it
	stop context.CancelFunc
	done sync.WaitGroup
}

// New makes the pages of a market whose tokens are in keys. It looks at the
// market every few seconds until it is closed.
func New(m Market, k api.Keys, o Options) *Handler {
	o = o.withDefaults()
	h := &Handler{
		market: m, keys: k, options: o, gate: o.Gate, mux: http.NewServeMux(), guard: http.NewCrossOriginProtection(),
		unit: o.Seller.Unit(), pages: pagesIn(o.Seller.Unit()),
		sessions: sessions{now: o.Now}, links: links{now: o.Now}, carries: carries{now: o.Now}, attempts: newAttempts(o.Now),
	}
	h.ctx, h.stop = context.WithCancel(context.Background())
	h.recallSessions(h.ctx) // before anybody comes
	h.recallAddresses()
	h.hub = newHub(h)
	h.mount()
	h.done.Go(h.watch)
	return h
}

// Close ends the streams that are being followed and what goes on between
// requests. Register it with [http.Server.RegisterOnShutdown].
func (h *Handler) Close() {
	h.stop()
	h.done.Wait()
	h.hub.wait()
}

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r = place(r)
	// The mux would redirect a path with dots or double slashes to where it
	// leads. Nobody writes such a path in good faith.
	if p := r.URL.Path; p == "" || p[0] != '/' || path.Clean(p) != p {
		h.serve(&nowhere, w, r)
		return
	}
	if h.isBefore(r.Host) && !strings.HasPrefix(r.URL.Path, assetPath) {
		h.serve(&past, w, r)
		return
	}
	h.mux.ServeHTTP(w, r)
}

// Join puts a market's API and its pages behind one address: what programs ask
// goes to the API, all else to the pages.
func Join(programs, people http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if forPrograms(r.URL.Path) {
			programs.ServeHTTP(w, r)
			return
		}
		people.ServeHTTP(w, r)
	})
}

func forPrograms(path string) bool {
	switch path {
	case "/v1", "/openapi.json", "/metrics", "/healthz", "/readyz", "/livez", "/problems":
		return true
	}
	return strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, "/problems/")
}

func (h *Handler) now() time.Time { return h.options.Now() }
