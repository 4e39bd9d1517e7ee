package api

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics counts calls, and asks the market for its own numbers when somebody
// wants to see them.
type metrics struct {
	show     http.Handler
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	flight   prometheus.Gauge
	streams  prometheus.Gauge
}

func newMetrics(m Health) *metrics {
	s := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "libra_http_requests_total", Help: "Calls, by route and status; 499: the client hung up.",
		}, []string{"method", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "libra_http_request_seconds", Help: "How long calls took, without streams and those that wait.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5, 30},
		}, []string{"method", "route"}),
		flight:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "libra_http_requests_in_flight", Help: "Calls under way."}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{Name: "libra_http_streams", Help: "Streams being followed."}),
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(s.requests, s.seconds, s.flight, s.streams, &measures{m},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	s.show = promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
	return s
}

func showMetrics(c *call) error {
	c.w.Header()["Cache-Control"] = noStore
	c.w.Header()["X-Content-Type-Options"] = noSniff
	c.status = http.StatusOK
	c.h.metrics.show.ServeHTTP(c.w, c.r)
	return nil
}

// watch is the counters of one route, found once.
type watch struct {
	metrics *metrics
	route   *route
	seconds prometheus.Observer // nil: it waits, so how long it takes says nothing
	usual   prometheus.Counter  // calls that succeeded
}

func (m *metrics) watch(rt *route) *watch {
	w := &watch{metrics: m, route: rt}
	if rt.method == "" { // a call that went astray
		return w
	}
	w.usual = m.requests.WithLabelValues(rt.method, rt.pattern, strconv.Itoa(rt.status))
	switch rt.pattern {
	case "/v1/events", "/v1/jobs/{id}/logs", "/v1/nodes/{node}/desired":
	default:
		w.seconds = m.seconds.WithLabelValues(rt.method, rt.pattern)
	}
	return w
}

func (w *watch) begin() {
	if w != nil {
		w.metrics.flight.Inc()
	}
}

func (w *watch) end(status int, took time.Duration) {
	if w == nil {
		return
	}
	w.metrics.flight.Dec()
	if w.usual != nil && status == w.route.status {
		w.usual.Inc()
	} else {
		// A method that no route knows is a word of the client's: it must not
		// become a label.
		method := w.route.method
		if method == "" {
			method = "other"
		}
		w.metrics.requests.WithLabelValues(method, w.route.pattern, strconv.Itoa(status)).Inc()
	}
	if w.seconds != nil {
		w.seconds.Observe(took.Seconds())
	}
}

// measures is the numbers of the market as metrics.
type measures struct{ market Health }

// Describe says nothing: which numbers there are is for the market to say.
func (s *measures) Describe(chan<- *prometheus.Desc) {}

// Collect asks the market.
func (s *measures) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	numbers, err := s.market.Measure(ctx)
	if err != nil {
		out <- prometheus.NewInvalidMetric(prometheus.NewInvalidDesc(err), err)
		return
	}
	for key, value := range numbers {
		name, labels, values, ok := parseMeasure(key)
		if !ok {
			continue
		}
		kind := prometheus.GaugeValue
		if strings.HasSuffix(name, "_total") {
			kind = prometheus.CounterValue
		}
		desc := prometheus.NewDesc("libra_"+name, meaning(name), labels, nil)
		metric, err := prometheus.NewConstMetric(desc, kind, value, values...)
		if err == nil {
			out <- metric
		}
	}
}

var (
	measureForm = regexp.MustCompile(`^([a-z][a-z0-9_]*)(?:\{(.*)\})?$`)
	labelForm   = regexp.MustCompile(`^([a-z][a-z0-9_]*)="([^"\\]*)"(?:,|$)`)
)

// parseMeasure reads name{label="value",label="value"}.
func parseMeasure(key string) (name string, labels, values []string, ok bool) {
	m := measureForm.FindStringSubmatch(key)
	if m == nil {
		return "", nil, nil, false
	}
	for rest := m[2]; rest != ""; {
		l := labelForm.FindStringSubmatch(rest)
		if l == nil {
			return "", nil, nil, false
		}
		labels, values = append(labels, l[1]), append(values, l[2])
		rest = rest[len(l[0]):]
	}
	return m[1], labels, values, true
}
