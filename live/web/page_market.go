package web

import (
	"context"
	"fmt"
	"html/template"
	"math"
	"slices"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// marketView is the page of the market as a whole: nothing in it is anybody's.
type marketView struct {
	Prices   v1.Prices
	Span     string // hour, day
	Past     template.HTML
	Free     freeView
	Standard *curve
	NowUS    int64
	Samples  int
	Usual    int64 // price of a standard job with some time to spare; below zero: it is not to be had
}

// spans are the stretches of the past that can be looked at.
var spans = map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour}

func showMarket(c *call) error {
	which := c.r.URL.Query().Get("span")
	if which == "" {
		which = "hour"
	}
	if spans[which] == 0 {
		return errNotFound
	}
	v, err := c.h.marketNow(c.r.Context(), which)
	if err != nil {
		return err
	}
	r := standardJob()
	if v.Standard, err = c.newCurve(c.r.Context(), &r, [2]int64{}); err != nil {
		return err
	}
	return c.page("market", "Market", "market", v)
}

// marketNow is what everybody sees alike.
func (h *Handler) marketNow(ctx context.Context, which string) (*marketView, error) {
	p, err := h.observe(ctx)
	if err != nil {
		return nil, err
	}
	latest, _ := h.past.latest()
	nodes, err := h.market.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	now := h.now().UnixMicro()
	past := h.past.last(now, spans[which])
	return &marketView{
		Prices: p, Span: which, NowUS: now, Free: freeWhen(nodes, p.Quoted*float64(p.Up), now), Samples: len(past), Usual: latest.usual,
		Past: drawPast(past, now-spans[which].Microseconds(), now, h.unit),
	}, nil
}

const (
	priceTop  = 20.0
	priceFoot = 150.0
	usedTop   = 192.0
	usedFoot  = 262.0
	pastHigh  = 292.0
)

// pastPoints is how many points a line of the past has at most.
const pastPoints = 120

// drawPast draws prices above and use below, over the same time.
func drawPast(list []sample, from, to int64, unit string) template.HTML {
	list = medians(list, from, to, pastPoints)
	d := &drawing{height: pastHigh}
	x := func(us int64) float64 { return min(1, max(0, float64(us-from)/float64(to-from))) }
	top := usualTop(list)
	price := func(v float64) float64 { return priceFoot - (priceFoot-priceTop)*v/max(top, 1) }
	used := func(v float64) float64 { return usedFoot - (usedFoot-usedTop)*min(1, max(0, v)) }
	if top > 0 {
		d.levels(top, 3, price, exactly)
	}
	d.line(0, priceFoot, 1, priceFoot, "base")
	for _, part := range []float64{0.5, 1} {
		d.line(0, used(part), 1, used(part), "grid")
		d.text(0, used(part)-4, "tick", "", percent(part))
	}
	d.line(0, usedFoot, 1, usedFoot, "base")
	d.paths(func(path func(class, d string)) {
		for _, run := range runsOf(list, func(s *sample) bool { return s.urgent >= 0 && s.patient >= 0 }) {
			path("band", band(run, x, price))
		}
		for _, run := range runsOf(list, func(s *sample) bool { return s.usual >= 0 }) {
			path("price", polyline(dots(run, x, func(s *sample) float64 { return price(float64(s.usual)) }), math.NaN()))
		}
		for _, run := range runsOf(list, func(*sample) bool { return true }) {
			path("area", polyline(dots(run, x, func(s *sample) float64 { return used(s.used) }), usedFoot))
			path("kept", polyline(dots(run, x, func(s *sample) float64 { return used(s.kept) }), math.NaN()))
		}
	})
	for i := range list {
		d.read = append(d.read, reading{x(list[i].at), list[i].at, list[i].words(unit)})
	}
	d.hours(from, to, pastHigh-8)
	return d.svg("past", pastWords(list, unit), "")
}

// usualTop is the price at the top of the drawing: above nearly all of them. Where
// a node is nearly full its price has no bound, and a peak of that kind leaves
// the drawing rather than flatten it.
func usualTop(list []sample) float64 {
	var all []int64
	for i := range list {
		for _, p := range []int64{list[i].usual, list[i].urgent} {
			if p >= 0 {
				all = append(all, p)
			}
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return 1.15 * min(float64(all[len(all)-1]), 2.5*float64(all[len(all)*8/10]))
}

// runsOf cuts a history where the condition fails, and where nothing was seen
// for long.
func runsOf(list []sample, ok func(*sample) bool) [][]sample {
	var all [][]sample
	start := -1
	for i := range list {
		gap := i > 0 && list[i].at-list[i-1].at > 40*coarseEvery
		if start >= 0 && (gap || !ok(&list[i])) {
			all = append(all, list[start:i])
			start = -1
		}
		if start < 0 && ok(&list[i]) {
			start = i
		}
	}
	if start >= 0 {
		all = append(all, list[start:])
	}
	return all
}

func dots(run []sample, x func(int64) float64, y func(*sample) float64) []dot {
	out := make([]dot, len(run))
	for i := range run {
		out[i] = dot{x(run[i].at), y(&run[i])}
	}
	return out
}

// band is the surface between the price for the urgent and for the patient.
func band(run []sample, x func(int64) float64, price func(float64) float64) string {
	points := dots(run, x, func(s *sample) float64 { return price(float64(max(s.urgent, s.usual, s.patient))) })
	for i := len(run) - 1; i >= 0; i-- {
		points = append(points, dot{x(run[i].at), price(float64(min(run[i].urgent, max(0, run[i].usual), run[i].patient)))})
	}
	return polyline(points, math.NaN()) + "Z"
}

// words say what was seen.
func (s *sample) words(unit string) string {
	price := "not to be had within three hours"
	if s.usual >= 0 {
		price = moneyIn(s.usual, unit) + " an hour"
	}
	return fmt.Sprintf("%s; %s given, %s promised", price, percent(s.used), percent(s.kept))
}

func pastWords(list []sample, unit string) string {
	if len(list) == 0 {
		return "No history yet."
	}
	s := list[len(list)-1]
	text := fmt.Sprintf("History of price and use. Now %s of the processors are used and %s promised", percent(s.used), percent(s.kept))
	if s.usual >= 0 {
		text += fmt.Sprintf("; an hour of a processor costs %s", moneyIn(s.usual, unit))
	}
	return text + "."
}
