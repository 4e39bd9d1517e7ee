package api

import (
	"context"
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/live/fair"
	"github.com/libra-market/libra/live/passwd"
)

// Options are what a Handler may be told; the zero value is good.
type Options struct {
	Log *slog.Logger     // default: none
	Now func() time.Time // default: the clock; it may be ahead of it, not behind, because deadlines are reckoned by it

	TokenCache time.Duration // how long a token counts as good without asking again; default 5 s, negative: not at all
	Heartbeat  time.Duration // of streams of events; default 15 s
	Poll       time.Duration // how often a job's output is looked at that somebody follows; default 500 ms
	Streams    int           // that a user may follow at a time, if there is no Gate; default 16

	// Gate has the limits of everybody, shared with the pages. Default: none but that
	// of streams.
	Gate *fair.Gate

	// CertificateNodes are patterns of the names for which a certificate of the
	// authority makes a node though it does not say so itself.
	CertificateNodes []string

	// LocalUsers lets who comes by the market's socket without a token in as the user of the
	// system that the kernel says they are, if it is none of the system's own.
	LocalUsers bool

	// Munge says by the number whose credential over a challenge somebody shows, and lets them in as
	// that user of the system, if it is none of the system's own. Default: nobody comes so.
	Munge func(ctx context.Context, challenge, credential string) (uid int, err error)

	Term int64 // of the lead under which the market is served; 0: there is only one

	// Notice is what who asks whether the market is ready should know beside that. Default:
	// nothing.
	Notice func() string

	PublicMetrics bool // /metrics asks for no token; else it is for the owner

	// Named finds the account that a user calls by another name: that of Slurm's, for
	// instance. What it finds is looked at like what they name. Default: nobody has any.
	Named func(ctx context.Context, user, account string) string

	Seller ledger.Seller // who sends bills; default Libra, without a currency (XXX)
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Notice == nil {
		o.Notice = func() string { return "" }
	}
	if o.Now == nil {
		o.Now = time.Now //nolint:forbidigo // the edge of the system, and a test can hand in its own
	}
	if o.TokenCache == 0 {
		o.TokenCache = 5 * time.Second
	}
	if o.Heartbeat <= 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.Poll <= 0 {
		o.Poll = 500 * time.Millisecond
	}
	if o.Streams <= 0 {
		o.Streams = 16
	}
	if o.Gate == nil {
		o.Gate = fair.NewGate(fair.Limits{Streams: o.Streams}, o.Now)
	}
	if o.Seller.Name == "" {
		o.Seller.Name = "Libra"
	}
	if o.Seller.Currency == "" {
		o.Seller.Currency = "XXX"
	}
	return o
}

// Handler serves a market. It is an http.Handler.
type Handler struct {
	trade    Trade
	jobs     Jobs
	floor    Floor
	accounts Accounts
	records  Records
	agents   Agents
	health   Health

	options  Options
	currency []string // what amounts are in, for those who show them
	mux      *http.ServeMux
	door     door
	lodge    *lodge
	gate     *fair.Gate
	told     *told
	metrics  *metrics
	names    *passwd.Names
	quiet    *fair.Throttle // of lines about those who are refused
	clip     sync.Pool      // of buffers for bodies and answers

	closed chan struct{} // streams end when it is
	close  sync.Once
}

// New makes the handler of a market whose tokens are in keys.
func New(m Market, k Keys, o Options) *Handler {
	o = o.withDefaults()
	h := &Handler{
		trade: m, jobs: m, floor: m, accounts: m, records: m, agents: m, health: m,
		options: o, currency: []string{o.Seller.Currency},
		mux:     http.NewServeMux(),
		door:    newDoor(k, &o),
		lodge:   newLodge(&o),
		gate:    o.Gate,
		told:    newTold(o.Now().UnixMicro()),
		names:   passwd.NewNames(o.Now),
		metrics: newMetrics(m),
		quiet:   fair.NewThrottle("log", refusalsRate, refusalsBurst, o.Now),
		closed:  make(chan struct{}),
	}
	h.clip.New = newBuffer
	h.mount()
	return h
}

// Close ends the streams that are being followed, so that a server can shut
// down without waiting for them.
func (h *Handler) Close() { h.close.Do(func() { close(h.closed) }) }

// mount hangs the routes into the mux, and beside them the answers for wrong
// methods and wrong paths, which are problems like all others.
func (h *Handler) mount() {
	methods := map[string][]string{}
	for i := range routes {
		rt := &routes[i]
		if h.options.PublicMetrics && rt.pattern == metricsPath {
			open := *rt
			open.roles = everyone
			rt = &open
		}
		methods[rt.pattern] = append(methods[rt.pattern], rt.method)
		watch := h.metrics.watch(rt)
		h.mux.HandleFunc(rt.method+" "+rt.pattern, func(w http.ResponseWriter, r *http.Request) { h.serve(rt, watch, w, r) })
	}
	for pattern, known := range methods {
		if slices.Contains(known, http.MethodGet) {
			known = append(known, http.MethodHead)
		}
		slices.Sort(known)
		allow := strings.Join(known, ", ")
		wrong := &route{pattern: pattern, roles: everyone, handle: func(c *call) error {
			c.w.Header().Set("Allow", allow)
			return &fault{kind: kindMethod, detail: c.r.Method + " is not possible here (want " + allow + ")"}
		}}
		watch := h.metrics.watch(wrong)
		h.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { h.serve(wrong, watch, w, r) })
	}
	watch := h.metrics.watch(&nowhere)
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { h.serve(&nowhere, watch, w, r) })
}

// nowhere answers what no route knows.
var nowhere = route{pattern: "/", roles: everyone, handle: func(*call) error { return notFound("this path") }}

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	DemandTLS(w, r)
	// The mux would redirect a path with dots or double slashes to where it
	// leads. Nobody writes such a path in good faith.
	if p := r.URL.Path; p == "" || p[0] != '/' || path.Clean(p) != p {
		h.serve(&nowhere, nil, w, r)
		return
	}
	h.mux.ServeHTTP(w, r)
}
