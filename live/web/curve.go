package web

import (
	"context"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/wire"
)

// curve is what a job costs by how long one is ready to wait.
type curve struct {
	MinMS, MaxMS int64 // of the axis
	Points       []curvePoint
	AtMS         int64  // the deadline that was asked for; 0: none
	Price        int64  // with it, if the market takes it
	Taken        bool   // it does
	Budget       *int64 // drawn where it matters
	unit         string // that amounts are in
}

// curvePoint is the answer of the market to one deadline.
type curvePoint struct {
	DeadlineMS int64
	Price      int64
	Refused    string
	Over       bool // it can be had, but not for the budget
}

const (
	curvePoints = 12
	curveReach  = 16.0 // estimates to the right end of the axis
	curveTop    = 26.0 // pixels
	curveFoot   = 196.0
	curveHigh   = 224.0
)

// newCurve asks the market about a dozen deadlines. The axis is given where
// somebody is dragging along it, so that it does not move under their hand.
func (c *call) newCurve(ctx context.Context, r *v1.Request, axis [2]int64) (*curve, error) {
	k := &curve{MinMS: axis[0], MaxMS: axis[1], AtMS: r.DeadlineMS, Budget: r.Budget, unit: c.h.unit}
	if !k.sound() {
		work := float64(r.EstimateMS)
		k.MinMS, k.MaxMS = int64(work), int64(work*curveReach)
		if d := float64(r.DeadlineMS); d > 0 {
			k.MinMS, k.MaxMS = int64(min(work, d)), int64(max(work*curveReach, d*2))
		}
		k.MaxMS = min(k.MaxMS, longest)
	}
	if !k.sound() {
		return nil, nil
	}
	deadlines := k.deadlines()
	asked := *r
	for _, d := range deadlines {
		asked.DeadlineMS = d
		p, err := c.pricePoint(ctx, asked)
		if err != nil {
			return nil, err
		}
		if k.Points = append(k.Points, p); d == k.AtMS {
			k.Price, k.Taken = p.Price, p.Refused == "" && !p.Over
		}
	}
	return k, nil
}

const longest = int64(1e12) // milliseconds: thirty years

func (k *curve) sound() bool { return k.MinMS > 0 && k.MaxMS > k.MinMS && k.MaxMS <= longest }

// deadlines are spread evenly over the logarithm of the axis, the one that was
// asked for among them.
func (k *curve) deadlines() []int64 {
	ratio := float64(k.MaxMS) / float64(k.MinMS)
	var list []int64
	for i := range curvePoints {
		list = append(list, int64(float64(k.MinMS)*math.Pow(ratio, float64(i)/(curvePoints-1))))
	}
	if k.AtMS >= k.MinMS && k.AtMS <= k.MaxMS {
		list = append(list, k.AtMS)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// pricePoint asks for one price. What is too dear is asked for again without a
// budget, so that one sees by how much.
func (c *call) pricePoint(ctx context.Context, r v1.Request) (curvePoint, error) {
	p := curvePoint{DeadlineMS: r.DeadlineMS}
	o, err := c.h.market.Preview(ctx, c.who, wire.ToRequest(&r))
	if err == nil && o.Refusal != nil && o.Refusal.Reason == v1.ReasonBudget && r.Budget != nil {
		r.Budget, p.Over = nil, true
		o, err = c.h.market.Preview(ctx, c.who, wire.ToRequest(&r))
	}
	switch {
	case err != nil:
		return p, err
	case o.Quote != nil:
		p.Price = o.Quote.Price
	case o.Refusal != nil:
		p.Refused = o.Refusal.Reason
	}
	return p, nil
}

// x is where a deadline stands on the axis, 0 to 1.
func (k *curve) x(ms int64) float64 {
	return math.Log(float64(ms)/float64(k.MinMS)) / math.Log(float64(k.MaxMS)/float64(k.MinMS))
}

// most is the price at the top of the drawing. Where a node is nearly full its
// price has no bound; such a peak leaves the drawing rather than flatten it.
func (k *curve) most() float64 {
	least, top := math.Inf(1), 0.0
	for _, p := range k.Points {
		if p.Refused == "" {
			least, top = min(least, float64(p.Price)), max(top, float64(p.Price))
		}
	}
	top = min(top, max(4*least, 2*float64(k.Price)))
	if k.Budget != nil && float64(*k.Budget) <= 1.5*top {
		top = max(top, float64(*k.Budget))
	}
	return top * 1.12
}

// Saving says what waiting brings.
func (k *curve) Saving() string {
	if k == nil || !k.Taken || k.Price <= 0 {
		return ""
	}
	best := curvePoint{Price: k.Price}
	for _, p := range k.Points {
		if p.Refused == "" && !p.Over && p.DeadlineMS > k.AtMS && p.Price < best.Price {
			best = p
		}
	}
	saved := k.Price - best.Price
	if saved*200 < k.Price { // less than half a hundredth is not worth a word
		return "As things stand, waiting longer saves nothing."
	}
	// The nearest deadline that saves nearly as much is the better advice.
	for _, p := range k.Points {
		if p.Refused == "" && !p.Over && p.DeadlineMS > k.AtMS && k.Price-p.Price >= saved*9/10 {
			best = p
			break
		}
	}
	saved = k.Price - best.Price
	return fmt.Sprintf("Waiting up to %s would save %s (%s).", span(best.DeadlineMS), moneyIn(saved, k.unit), percent(float64(saved)/float64(k.Price)))
}

// SVG draws the curve. The script moves the marker; what it needs to know about
// the scales stands in attributes.
func (k *curve) SVG() template.HTML {
	d := &drawing{height: curveHigh}
	top := k.most()
	y := func(price float64) float64 { return curveFoot - (curveFoot-curveTop)*price/max(top, 1) }
	if top > 0 {
		d.levels(top, 3, y, exactly)
	}
	d.line(0, curveFoot, 1, curveFoot, "base")
	k.drawRefused(d)
	d.paths(func(path func(class, d string)) {
		for _, run := range k.runs(y) {
			path("area", smooth(run, curveFoot))
			path("price", smooth(run, math.NaN()))
		}
	})
	if k.Budget != nil && float64(*k.Budget) < top {
		at := y(float64(*k.Budget))
		d.line(0, at, 1, at, "budget")
		label := at - 5
		if last := k.Points[len(k.Points)-1]; last.Refused == "" && y(float64(last.Price)) < at && y(float64(last.Price)) > at-22 {
			label = at + 14 // the curve runs where the words would stand
		}
		d.text(1, label, "budget-text", "end", "your budget "+moneyIn(*k.Budget, k.unit))
	}
	k.drawTicks(d)
	if k.Taken {
		x, at := k.x(k.AtMS), y(float64(k.Price))
		fmt.Fprintf(d, `<g class="here"><line x1="%[1]s" x2="%[1]s" y1="%[2]s" y2="%[3]s" class="guide"/><circle cx="%[1]s" cy="%[2]s" r="6" class="spot"/></g>`,
			pct(x), num(at), num(curveFoot))
	}
	for _, p := range k.Points {
		text := "within " + span(p.DeadlineMS) + ": "
		if p.Refused != "" {
			text += "not to be had"
		} else {
			text += moneyIn(p.Price, k.unit)
		}
		d.read = append(d.read, reading{x: k.x(p.DeadlineMS), text: text})
	}
	extra := fmt.Sprintf(` data-top="%s" data-foot="%s" data-most="%s" data-min="%d" data-max="%d" data-points="%s"`,
		num(curveTop), num(curveFoot), num(top), k.MinMS, k.MaxMS, k.pairs())
	if k.AtMS >= k.MinMS && k.AtMS <= k.MaxMS {
		extra += fmt.Sprintf(` data-at="%s"`, num(k.x(k.AtMS)*1000))
	}
	return d.svg("curve", k.words(), extra)
}

// runs are the stretches of the curve without a refusal in between.
func (k *curve) runs(y func(float64) float64) [][]dot {
	var all [][]dot
	var run []dot
	for _, p := range k.Points {
		if p.Refused != "" {
			if len(run) > 0 {
				all = append(all, run)
			}
			run = nil
			continue
		}
		run = append(run, dot{k.x(p.DeadlineMS), y(float64(p.Price))})
	}
	if len(run) > 0 {
		all = append(all, run)
	}
	return all
}

// drawRefused hatches the deadlines that the market does not take.
func (k *curve) drawRefused(d *drawing) {
	for i := 0; i < len(k.Points); i++ {
		if k.Points[i].Refused == "" {
			continue
		}
		from, last := 0.0, i
		if i > 0 {
			from = k.x(k.Points[i-1].DeadlineMS)
		}
		for last+1 < len(k.Points) && k.Points[last+1].Refused != "" {
			last++
		}
		to := 1.0
		if last+1 < len(k.Points) {
			to = k.x(k.Points[last+1].DeadlineMS)
		}
		d.rect(from, curveTop-8, to-from, curveFoot-curveTop+8, "refused", "the market says no: "+reasonLabel(k.Points[i].Refused))
		if to-from > 0.16 {
			word := "too soon"
			if k.Points[i].Refused != v1.ReasonDeadline {
				word = reasonLabel(k.Points[i].Refused)
			}
			d.text((from+to)/2, curveFoot-12, "refused-text", "middle", word) // below the numbers of the axis
		}
		i = last
	}
}

// niceSpans are the lengths of time that people say.
var niceSpans = []int64{
	1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 12 * 3600,
	86400, 2 * 86400, 4 * 86400, 7 * 86400, 14 * 86400, 30 * 86400, 90 * 86400, 365 * 86400,
}

func (k *curve) drawTicks(d *drawing) {
	before := -1.0
	for _, s := range niceSpans {
		ms := s * 1000
		if ms < k.MinMS || ms > k.MaxMS {
			continue
		}
		x := k.x(ms)
		if x-before < 0.17 {
			continue
		}
		before = x
		anchor := "middle"
		switch {
		case x < 0.05:
			anchor = "start"
		case x > 0.95:
			anchor = "end"
		}
		d.line(x, curveFoot, x, curveFoot+4, "base")
		d.text(x, curveFoot+18, "tick", anchor, span(ms))
	}
}

// words say what the drawing shows.
func (k *curve) words() string {
	text := "Price by deadline:"
	for i, p := range k.Points {
		if i > 0 {
			text += ";"
		}
		if p.Refused != "" {
			text += fmt.Sprintf(" %s refused", span(p.DeadlineMS))
			continue
		}
		text += fmt.Sprintf(" %s %s", span(p.DeadlineMS), moneyIn(p.Price, k.unit))
	}
	return text
}

// pairs are the points for the script: deadline, and price or null.
func (k *curve) pairs() string {
	list := make([]string, len(k.Points))
	for i, p := range k.Points {
		price := "null"
		if p.Refused == "" {
			price = strconv.FormatInt(p.Price, 10)
		}
		list[i] = fmt.Sprintf("[%d,%s]", p.DeadlineMS, price)
	}
	return "[" + strings.Join(list, ",") + "]"
}
